"""Does what proves a finding of the map show it in a process that flew nothing, and at which reset?

The map's processes fly all tasks one after another, and a reader's flies one. So each proof is flown again there, by
:mod:`gonogo.contract.reset_search`. It shows the same if it is the same flight, or if the check that failed fails so on
the new one: where each reset draws another episode, a wrong type is still wrong. A finding that no reset of a fresh
process shows is not proven, and the item says that it is not known.

What is about several resets or processes by its nature keeps its own form: it says itself how it is to be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gonogo.contract.determinism import difference
from gonogo.contract.findings import Item, shows
from gonogo.contract.reset_search import MOST_RESETS, Before, ResetSearch, at_each_reset
from gonogo.contract.trajectories import Proof, Trace, fly
from gonogo.records.contract import ItemEvidence
from gonogo.records.findings import Finding
from gonogo.rollouts.types import Inspection
from gonogo.rollouts.volatile import Volatile

OF_SEVERAL = frozenset({"seed_ignored", "silent_reset", "silent_reconnect"})
"""Findings about several resets that hold no difference of two flights."""
OF_ANSWERS = frozenset({"malformed_actions", "example"})
"""Checks of nothing but what is taken and what is refused: they fly what they judge, and say nothing of a flight."""


@dataclass(frozen=True, slots=True)
class ProofPlacing:
    """How the proofs of one task are flown again.

    Attributes:
        fresh: Starts a process in which nothing was flown.
        volatile: Places whose clocks and random ids don't count.
        judge: What the check of some id says of a flight.
        past: Resets after which to look for a proof, beside those with its own options.
    """

    fresh: Callable[[], Inspection]
    volatile: Mapping[str, Volatile]
    judge: Callable[[str, Trace], Iterable[Item]]
    past: Sequence[Before] = ()

    def placed(self, item: Item) -> Item:
        """An item with the proof that a fresh process shows, and of which reset it is; unknown where none shows it."""
        proof, finding = item.proof, item.finding
        if proof is None or finding is None or finding.id in OF_SEVERAL:
            return item
        if shows(proof) not in {"same", "lost"}:
            return item

        def fails(again: Trace) -> bool:
            return self._judged(item, finding, again) is not None

        search = trace_search(self.fresh, proof.trace, proof.upto, self.volatile, fails)
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
        failing = (each for each in self.judge(check, again) if each.finding is not None)
        found = next((e for e in failing if e.finding and e.finding.id == finding.id), None)
        if check in OF_ANSWERS and proof is not None and answered_alike(proof, again):
            witness = again.shown(proof.upto)
            told = finding.model_copy(update={"witness": witness})
            found = replace(item, finding=told, proof=Proof(again, proof.upto, witness))
        return found


def unproven(item: Item) -> Item:
    """An item whose finding no reset of a fresh process shows: what it saw is told, and is not known to be so."""
    said = f"seen once, and at none of the first {MOST_RESETS} resets of a fresh process: {item.checked.said}"
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
    shows: Callable[[Trace], bool] | None = None,
) -> ResetSearch[Inspection, Trace]:
    """The search for a flight of the map.

    Args:
        fresh: Starts a process in which nothing was flown.
        trace: The flight.
        upto: Its last shot that matters; None for all of them.
        volatile: Places whose clocks and random ids don't count.
        shows: Whether a flight proves the same; None where only the same flight does.
    """
    sent = [*trace.actions, *([] if trace.lost_on is None else [trace.lost_on])]

    def fly_after(connection: Inspection, before: Before) -> Trace:
        for options in before:
            connection.reset({0: options})
        return fly(connection, 0, trace.options, sent, past=True)

    def go_on(connection: Inspection, until: Callable[[int, Trace], bool]) -> list[Trace]:
        return at_each_reset(lambda: fly_after(connection, ()), until)

    def same(one: Trace, other: Trace) -> bool:
        if upto is not None:
            one, other = up_to(one, upto), up_to(other, upto)
        return difference(one, other, volatile) is None

    def proves(again: Trace) -> bool:
        return same(trace, again) or (shows is not None and shows(again))

    return ResetSearch(
        trace.options, fresh, fly_after, go_on, proves, same, drawn=shows is not None
    )
