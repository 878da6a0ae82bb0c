"""Does what proves a finding of the map show it in a process that flew nothing, and at which reset?

The map's processes fly all tasks one after another, and a reader's flies one. So each proof is flown again there, by
:mod:`gonogo.contract.reset_search`. It shows the same if it is the same flight, or if the check that failed fails so on
the new one: where each reset draws another episode, a wrong type is still wrong. A finding that no reset of a fresh
process shows is not proven, and the item says that it is not known. An item for which no process starts, or no time is
left, stays as it is, and says so.

What is about several resets or processes by its nature keeps its own form: it says itself how it is to be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gonogo.contract.determinism import difference
from gonogo.contract.findings import Item, shows
from gonogo.contract.reset_search import MOST_RESETS, Before, ResetSearch
from gonogo.contract.trajectories import Proof, Trace, fly
from gonogo.errors import EnvironmentFailure
from gonogo.records.contract import ItemEvidence
from gonogo.records.findings import Finding
from gonogo.rollouts.types import Inspection
from gonogo.rollouts.volatile import Volatile
from gonogo.rollouts.watch import Watch
from gonogo.wire import Action

ABOUT_SEVERAL_RESETS = frozenset({"seed_ignored", "silent_reset", "silent_reconnect"})
"""Findings about several resets that hold no difference of two flights."""
OF_ANSWERS = frozenset({"malformed_actions", "example"})
"""Checks of nothing but what is taken and what is refused: they fly what they judge, and say nothing of a flight."""


@dataclass(frozen=True, slots=True)
class ProofPlacing:
    """How the proofs of one task are flown again in fresh processes.

    Attributes:
        fresh: Starts a process in which nothing was flown.
        volatile: Places whose clocks and random ids don't count.
        judge: What the check of some id says of a flight; it is not asked for :data:`OF_ANSWERS`.
        past: Resets after which to look for a proof, beside those with its own options.
        watch: When the flights are to end.
    """

    fresh: Callable[[], Inspection]
    volatile: Mapping[str, Volatile]
    judge: Callable[[str, Trace], Iterable[Item]]
    past: Sequence[Before] = ()
    watch: Watch = field(default_factory=Watch)

    def place(self, item: Item) -> Item:
        """An item with the proof that a fresh process shows, and of which reset it is; unknown where none shows it.

        It stays as it is, and says so, where a process cannot be started, or the time is over.
        """
        proof, finding = item.proof, item.finding
        if proof is None or finding is None or finding.id in ABOUT_SEVERAL_RESETS:
            return item
        if shows(proof) not in {"same", "lost"}:
            return item
        try:
            return self._searched(item, proof, finding)
        except SearchOver:
            return left_alone(item, "the time for this check ran out")
        except EnvironmentFailure as error:
            return left_alone(item, f"the process could not be started: {error}")

    def _searched(self, item: Item, proof: Proof, finding: Finding) -> Item:
        """The same, if the search comes to its end.

        Raises:
            SearchOver: The time is over.
            EnvironmentFailure: A process cannot be started.
        """

        def fails(again: Trace) -> bool:
            return self._judged(item, finding, again) is not None

        def check() -> None:
            if self.watch.out:
                raise SearchOver

        search = trace_search(self.fresh, proof.trace, proof.upto, self.volatile, fails, check)
        found = search.find(proof.trace, self.past)
        if found is None:
            return unproven(item)
        again, before = found
        if search.same(proof.trace, again):
            return item.proven_by(replace(proof.trace, before=before))
        return self._judged(item, finding, replace(again, before=before)) or item

    def _judged(self, item: Item, finding: Finding, again: Trace) -> Item | None:
        """What the item's check says of another flight, if it is the same finding; else None."""
        proof, check = item.proof, item.checked.id
        if check in OF_ANSWERS:
            if proof is None or not answered_alike(proof, again):
                return None
            witness = again.shown(proof.upto)
            told = finding.model_copy(update={"witness": witness})
            return replace(item, finding=told, proof=Proof(again, proof.upto, witness))
        failing = (each for each in self.judge(check, again) if each.finding is not None)
        return next((e for e in failing if e.finding and e.finding.id == finding.id), None)


class SearchOver(Exception):
    """The time is over within a search."""


def left_alone(item: Item, why: str) -> Item:
    """An item as it is, which says that its proof was not looked for to the end in a fresh process.

    Args:
        item: It.
        why: Why it was not.
    """
    more = f"; not checked in a fresh process: {why}"
    said = f"{item.checked.said}{more}"
    checked, finding = item.checked.model_copy(update={"said": said}), item.finding
    if finding is not None:
        finding = finding.model_copy(update={"explanation": f"{finding.explanation}{more}"})
    return replace(item, checked=checked, finding=finding)


def unproven(item: Item) -> Item:
    """An item whose finding no fresh process shows so that it comes back: what it saw is told, and is not known."""
    seen = item.checked.said
    said = f"{seen}; but a fresh process did not show this within {MOST_RESETS} resets, so it is not known"
    told = {
        "verdict": "na",
        "said": said,
        "finding": None,
        "evidence": ItemEvidence(unclear=True),
    }
    return Item(item.checked.model_copy(update=told))


def answered_alike(proof: Proof, again: Trace) -> bool:
    """Whether another flight was answered as a proof: each action taken or refused, on to an end or a loss.

    That is all that a bad action's finding is about, whatever the episode shows beside.

    Args:
        proof: It.
        again: The other flight.
    """
    one, other = (
        each if proof.upto is None else up_to(each, proof.upto) for each in (proof.trace, again)
    )
    told = [[(s.refused, s.answer.done) for s in trace.shots] for trace in (one, other)]
    kinds = [None if t.failure is None else t.failure.kind for t in (one, other)]
    return told[0] == told[1] and kinds[0] == kinds[1]


def up_to(trace: Trace, shot: int) -> Trace:
    """A flight up to a shot."""
    return replace(trace, shots=trace.shots[: shot + 1], failure=None, lost_on=None)


def trace_search(
    fresh: Callable[[], Inspection],
    trace: Trace,
    upto: int | None,
    volatile: Mapping[str, Volatile],
    shows: Callable[[Trace], bool],
    check: Callable[[], None],
) -> ResetSearch[Inspection, Trace]:
    """The search for a flight of the map.

    Args:
        fresh: Starts a process in which nothing was flown.
        trace: The flight.
        upto: Its last shot that matters; None for all of them.
        volatile: Places whose clocks and random ids don't count.
        shows: Whether a flight proves the same.
        check: Called before each start, reset and step; raises where the search is to end.
    """
    sent = [*trace.actions, *([] if trace.lost_on is None else [trace.lost_on])]

    def start() -> Inspection:
        check()
        return fresh()

    def checked() -> Iterator[Action]:
        for action in sent:
            check()
            yield action

    def fly_after(connection: Inspection, before: Before) -> Trace:
        for options in before:
            check()
            connection.reset({0: options})
        check()
        return fly(connection, 0, trace.options, checked(), past=True)

    def same(one: Trace, other: Trace) -> bool:
        if upto is not None:
            one, other = up_to(one, upto), up_to(other, upto)
        return difference(one, other, volatile) is None

    def proves(again: Trace) -> bool:
        return same(trace, again) or shows(again)

    return ResetSearch(trace.options, start, fly_after, proves, same, drawn=True)
