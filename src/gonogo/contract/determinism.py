"""Checks by repetition: is an episode decided by its seed and its actions, and by nothing else?

The same history was flown in two processes with different hash seeds. What differs between which flights
tells the cause: between processes only, a clock or the process; everywhere from the reset on, an ignored
seed; everywhere after it, chance; within a session only, a leak between episodes; between sessions of one
process only, a leak between sessions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from gonogo.contract.findings import Item, failed, not_applicable, passed
from gonogo.contract.provocations import is_refused
from gonogo.contract.seeds import SeedUse
from gonogo.contract.trajectories import RESETS, SHOWN_CHARS, HistoryPlan, Trace, recordable
from gonogo.records.contract import ItemEvidence
from gonogo.records.findings import FirstDifference
from gonogo.rollouts.types import Transition
from gonogo.rollouts.volatile import (
    KEYS,
    NOTHING,
    Sample,
    Volatile,
    calm,
    keys_of,
    place,
    volatile_fields,
)
from gonogo.wire import JsonObject, State

IDENTITY_FIELDS = frozenset({"episode_id"})
AROUND = 40
TraceHistory = Mapping[str, Trace]
UNSEEDED = ("unseeded 1", "unseeded 2")
LEAKS = {
    "again": ("reference", "episode_state_leak"),
    "after other": ("reference", "episode_state_leak"),
    "new session": ("reference", "session_state_leak"),
    "beside": ("new session", "session_state_leak"),
}
"""Flights that repeat another in the same process, and what it means where they differ by what came before."""
OTHERS = {
    "beside": ", while another session of the process was reset after it and stepped between its steps",
}
"""What is flown with some repetitions, in words: a reader sees it in no witness."""
TURNS_SAID = (
    "each reset goes on to the next episode, as is written ({!r}): {} steps are the same in a session that was reset "
    "as often and did nothing else"
)
UNTOLD = (
    ". The session was reset before, and one that was reset as often, and did nothing else, gives the same: each reset "
    "goes on to another episode, which no docstring and no README says"
)
DRAWN_SAID = (
    "each reset goes on to the next episode, as is written ({!r}), and a later one draws what no seed decides: no two "
    "can be compared"
)
"""What is said of a reset that goes on to the next episode."""
BY_CHANCE = frozenset({"seed_ignored", "nondeterministic", "process_dependent"})
"""Findings whose flight comes out another also after the resets that came before it."""
WITHIN = ("again", "after other")
"""Flights that come after others in the same session."""
REPEATED = ("reference", "again", "after other", "new session", "beside", *RESETS)
"""Flights by the same seed and the same actions."""


def difference(
    a: Trace, b: Trace, volatile: Mapping[str, Volatile] = NOTHING, *, growing: bool = False
) -> FirstDifference | None:
    """The first difference between two flights, or None; ids of episodes don't count.

    Args:
        a: The earlier flight.
        b: The later flight.
        growing: Whether an integer may be larger in the later flight, as one that counts over episodes is.
        volatile: Places whose clocks and random ids don't count either.

    Returns:
        The two values are each where they first differ; or what one of them has and the other lacks.
    """
    for step, (one, two) in enumerate(zip(a.shots, b.shots, strict=False)):
        here, there = comparable(one.answer, one.state), comparable(two.answer, two.state)
        found = unequal(here, there, "", Alike(growing, volatile))
        if found is not None:
            path, here, there = found
            return FirstDifference(step=step, field=path, values=apart(here, there))
    if len(a.shots) != len(b.shots) or (a.failure is None) != (b.failure is None):
        step = min(len(a.shots), len(b.shots))
        return FirstDifference(step=step, field="length", values=(end_of(a), end_of(b)))
    return None


def end_of(trace: Trace) -> int | str:
    """How many steps a flight has, or what lost it."""
    return len(trace.shots) - 1 if trace.failure is None else trace.failure.message


def comparable(answer: Transition, state: State | None) -> JsonObject:
    """What of an answer, and of the state after it, has to come out the same."""
    return {
        "observation": answer.observation,
        "reward": answer.reward,
        "done": answer.done,
        "refused": answer.refusal is not None,
        "state": state,
    }


def samples_of(process: int, traces: Iterable[Trace]) -> Iterator[Sample]:
    """What flights of one process answered, for :func:`~gonogo.rollouts.volatile.volatile_fields`."""
    for trace in traces:
        for step, shot in enumerate(trace.shots):
            answer = {"observation": shot.answer.observation, "state": shot.state}
            yield Sample(process, shot.at, step, answer)


@dataclass(frozen=True, slots=True)
class Alike:
    """What two values may differ in; see :func:`difference`."""

    growing: bool
    volatile: Mapping[str, Volatile]

    def same(self, a: Any, b: Any, path: str) -> bool:
        """Whether two values that hold no others are the same; True is not 1 here."""
        if type(a) is type(b) and (a == b or (self.growing and type(a) is int and b > a)):
            return True
        found = self.volatile.get(place(path))
        if found is None or not path.startswith(("observation", "state")):
            return False
        one, two = calm(a, found), calm(b, found)
        return type(one) is type(two) and one == two

    def keyed(self, a: JsonObject, b: JsonObject, path: str) -> JsonObject:
        """The second object by the first one's keys, where only tokens in the keys differ."""
        found = self.volatile.get(place(path) + KEYS)
        if found is None or calm(keys_of(a), found) != calm(keys_of(b), found):
            return b
        return dict(zip(a, b.values(), strict=True))


def unequal(a: Any, b: Any, path: str, alike: Alike) -> tuple[str, Any, Any] | None:
    """The first place where two JSON values differ, with both."""
    if isinstance(a, dict) and isinstance(b, dict):
        b = alike.keyed(a, b, path)
        for key in [*a, *(key for key in b if key not in a)]:
            if key in IDENTITY_FIELDS:
                continue
            where = f"{path}.{key}" if path else str(key)
            found = unequal(a.get(key), b.get(key), where, alike)
            if found is not None:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list):
        places = (
            unequal(x, y, f"{path}[{n}]", alike) for n, (x, y) in enumerate(zip(a, b, strict=False))
        )
        found = next((place for place in places if place is not None), None)
        return found if found is not None or len(a) == len(b) else (path, a, b)
    return None if alike.same(a, b, path) else (path, a, b)


def apart(a: Any, b: Any) -> tuple[Any, Any]:
    """Two values that differ, as a record shows them: long ones around the place where they begin to."""
    if isinstance(a, str) and isinstance(b, str):
        begins = next(
            (n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
        )
        return window(a, begins), window(b, begins)
    if isinstance(a, list) and isinstance(b, list):
        begins = min(len(a), len(b))
        return counted(a, begins), counted(b, begins)
    return recordable(a), recordable(b)


def counted(items: list[Any], begins: int) -> str:
    """How long a list is, and its first item that another has not."""
    more = f", and then {recordable(items[begins])!r}" if len(items) > begins else ""
    return f"{len(items)} items{more}"


def window(text: str, at: int) -> str:
    """The part of a long text around a place."""
    if len(text) <= SHOWN_CHARS:
        return text
    first, last = max(0, at - AROUND), at + 2 * AROUND
    before, after = "…" if first else "", f"… ({len(text)} characters)" if last < len(text) else ""
    return f"{before}{text[first:last]}{after}"


@dataclass(frozen=True, slots=True)
class Differences:
    """The first difference from the reference of each kind of repetition; None where there is none.

    Attributes:
        again: Flown again at once, in the same session.
        after_other: Flown after another episode of the session.
        new_session: Flown in a new session of the process.
        beside: Flown beside another session.
        new_process: The history in another process; None also where there is no second history.
        resets: Reset again, a few times, each in a new session of its process: of either, for a coin may fall alike
            in all of one's.
        drawn: A later reset again, a few times, each after as many resets alone in its process.
    """

    again: FirstDifference | None
    after_other: FirstDifference | None
    new_session: FirstDifference | None
    beside: FirstDifference | None
    new_process: FirstDifference | None
    resets: FirstDifference | None = None
    drawn: FirstDifference | None = None

    @classmethod
    def of(
        cls, first: TraceHistory, second: TraceHistory | None, volatile: Mapping[str, Volatile]
    ) -> Differences:
        """Compare the flights of a history, and two histories with each other, but for what is volatile."""
        reference, new = first["reference"], first["new session"]
        resets = (
            difference(
                Trace(reference.options, history["reference"].shots[:1]), history[name], volatile
            )
            for history in (first, second or {})
            for name in RESETS
            if name in history
        )
        return cls(
            difference(reference, first["again"], volatile),
            difference(reference, first["after other"], volatile),
            difference(reference, new, volatile),
            difference(new, first["beside"], volatile) if "beside" in first else None,
            across(first, second, volatile) if second is not None else None,
            next((different for different in resets if different is not None), None),
        )

    def cause(self) -> str:
        """The finding that the pattern of differences means."""
        if self.new_process is not None:
            if not self.everywhere():
                return "process_dependent"
            return "seed_ignored" if self.at_reset() else "nondeterministic"
        if self.new_session is not None:
            return "session_state_leak"
        within = self.again is not None or self.after_other is not None
        return "episode_state_leak" if within else "session_state_leak"

    def cause_unseen(self) -> str:
        """The same without a second process: chance and a leak between sessions look alike."""
        if self.everywhere():
            return "seed_ignored" if self.at_reset() else "nondeterministic"
        return self.cause()

    def everywhere(self) -> bool:
        """Whether it takes neither another process nor an earlier episode to differ."""
        both = self.again is not None and self.new_session is not None
        return both or self.resets is not None or self.drawn is not None

    def at_reset(self) -> bool:
        """Whether the repetitions differ from the reset on, after as many resets: in one session those may count."""
        seen = (self.new_session, self.resets, self.drawn)
        return any(d is not None and d.step == 0 for d in seen)

    def vary(self) -> bool:
        """Whether any repetition differs."""
        found = (self.again, self.after_other, self.new_session, self.beside, self.new_process)
        return self.resets is not None or any(difference is not None for difference in found)


@dataclass(frozen=True, slots=True)
class Rotation:
    """Each reset of a session goes on to the next episode: their number decides it, and nothing that was done in one.

    Attributes:
        told: The words of README or docstrings that say so; None where nothing says so.
        alike: Whether flights come out the same after as many resets alone.
        drawn: A reset after others that comes out another after the same ones in the same process, and in what; None
            where it does not.
    """

    told: str | None
    alike: bool = True
    drawn: tuple[Trace, FirstDifference] | None = None


def across(
    first: TraceHistory, second: TraceHistory, volatile: Mapping[str, Volatile]
) -> FirstDifference | None:
    """The first difference between two histories, with the name of the flight; draws without a seed differ."""
    for name, trace in first.items():
        if name not in UNSEEDED and name in second:
            found = difference(trace, second[name], volatile)
            if found is not None:
                return found.model_copy(update={"flight": name})
    return None


def find_volatile(
    first: TraceHistory, second: TraceHistory | None, *, counting: bool = False
) -> dict[str, Volatile]:
    """Places of clocks and random ids: those that differ between flights by the same seed and actions.

    Args:
        first: The history in one process.
        second: The same in another process; None where none could be started.
        counting: Whether numbers that grow from each episode to the next are found as well, whatever their name.
    """
    histories = [history for history in (first, second) if history is not None]
    return volatile_fields(
        [
            sample
            for process, history in enumerate(histories)
            for sample in samples_of(process, (history[n] for n in REPEATED if n in history))
        ],
        counting=counting,
    )


def check_repeats(
    plan: HistoryPlan,
    first: TraceHistory,
    second: TraceHistory | None,
    seed: SeedUse,
    volatile: Mapping[str, Volatile],
    rotation: Rotation | None = None,
) -> Iterator[Item]:
    """The items of determinism, isolation and seeds.

    Args:
        plan: How the histories were flown.
        first: The whole history in one process.
        second: The same in another process; None where none could be started.
        seed: What is known of the reset's seed beside the flights.
        volatile: Places of clocks and random ids, which no comparison counts.
        rotation: What is known of the resets of a session that open otherwise; None where they do not.
    """
    drawn = None if rotation is None else rotation.drawn
    found = Differences.of(first, second, volatile)
    found = replace(found, drawn=None if drawn is None else drawn[1])
    cause = found.cause() if second is not None else found.cause_unseen()
    if cause == "seed_ignored" and plan.task.indexed:
        cause = "nondeterministic"
    yield seed_item(plan, (first, second), found, cause, seed, volatile, drawn, rotation)
    kinds = {
        "determinism_same_session": ("again", found.again),
        "determinism_new_session": ("new session", found.new_session or found.resets),
        "isolation_episodes": ("after other", found.after_other),
        "isolation_sessions": ("beside", found.beside),
    }
    for check, (flight, different) in kinds.items():
        if flight not in first:
            said = "it is flown in one session at a time"
            yield not_applicable(check, said, plan.task)
        else:
            own, besides = (
                within_process(flight, first, second, cause, volatile),
                OTHERS.get(flight, ""),
            )
            turning = rotation if flight in WITHIN and different is not None else None
            if turning is not None and turning.told is not None:
                yield told_item(check, plan, first[flight], turning)
                continue
            alike = turning is not None and turning.alike
            besides = UNTOLD if alike else besides
            turned = alike and not volatile  # a replay leaves no clock out
            yield repeat_item(check, plan, first[flight], different, own, besides, turned=turned)
    if second is None:
        said = "a URL's process is not ours to start again"
        yield not_applicable("determinism_new_process", said, plan.task)
    else:
        different = found.new_process
        flight = "reference" if different is None else different.flight or "reference"
        trace = second[flight]
        yield repeat_item("determinism_new_process", plan, trace, found.new_process, cause)


def told_item(check: str, plan: HistoryPlan, trace: Trace, rotation: Rotation) -> Item:
    """The item of a later flight of a session whose resets go on to the next episode, as is written."""
    if not rotation.alike:
        return not_applicable(check, DRAWN_SAID.format(rotation.told), plan.task)
    steps = len(trace.shots) - 1
    said = TURNS_SAID.format(rotation.told, steps)
    return passed(check, said, plan.task, ItemEvidence(steps=steps))


def within_process(
    flight: str,
    first: TraceHistory,
    second: TraceHistory | None,
    cause: str,
    volatile: Mapping[str, Volatile],
) -> str:
    """The finding that a difference within one process means, where another process is what others differ by.

    Where the other process differs by just the same in its own repetition, as where each reset goes on to the next
    task, the process is not what decides it: something of the episode before, or of the session before, is.

    Args:
        flight: The repetition.
        first: The history in one process.
        second: The same in another; None where none could be started.
        cause: What all differences together mean.
        volatile: Places of clocks and random ids, which no comparison counts.
    """
    if cause != "process_dependent" or second is None or flight not in LEAKS:
        return cause
    base, leak = LEAKS[flight]
    if any(name not in history for name in (base, flight) for history in (first, second)):
        return cause
    here, there = (difference(h[base], h[flight], volatile) for h in (first, second))
    return leak if here is not None and here == there else cause


def repeat_item(
    check: str,
    plan: HistoryPlan,
    trace: Trace,
    different: FirstDifference | None,
    cause: str,
    besides: str = "",
    *,
    turned: bool = False,
) -> Item:
    """The item of one repetition.

    Args:
        check: The item's id.
        plan: How it was flown.
        trace: The repetition.
        different: In what it differs; None where it does not.
        cause: The finding that this means.
        besides: What else was flown, in words.
        turned: Whether it comes out the same after as many resets alone.
    """
    if different is None:
        steps = len(trace.shots) - 1
        said = f"{steps} steps: observation, reward, done and state the same"
        return passed(check, said, plan.task, ItemEvidence(steps=steps))
    here, there = different.values or (None, None)
    said = f"step {different.step}: {different.field} was {here!r}, then {there!r}{besides}"
    told = {"difference": different.model_dump()}
    evidence = ItemEvidence(difference=different)
    if not (
        turned or cause in BY_CHANCE
    ):  # what came before is what it is about: alone it is another
        trace = replace(trace, before=())
    if trace.failure is not None:
        # Lost to another session's reset, it is the same when it is flown alone, to where it was lost.
        lost = trace.shown(different.step, **told)
        return failed(check, cause, said, plan.task, lost, evidence)
    proof = trace.witness(different.step, **told)
    turned = turned and cause not in BY_CHANCE
    return failed(check, cause, said, plan.task, replace(proof, turned=turned), evidence)


def merely_counts(first: TraceHistory, volatile: Mapping[str, Volatile]) -> bool:
    """Whether flights of a session differ in nothing but integers that grow: no seed has to decide those."""
    flights = [first[name] for name in ("reference", "again", "after other")]
    pairs = pairwise(flights)
    return all(difference(a, b, volatile, growing=True) is None for a, b in pairs)


def same_seed_differs(
    found: Differences, cause: str, effects: Sequence[FirstDifference | None]
) -> str | None:
    """Why the seed is known to decide nothing: the same one gives different episodes; None where it is not.

    Where the resets are alike and what follows differs, the seed may decide them: unless all seeds open alike.
    """
    if not found.vary():
        return None
    if cause == "seed_ignored":
        return "the same seed gives different resets"
    open_alike = bool(effects) and all(effect is None or effect.step > 0 for effect in effects)
    if cause == "nondeterministic" and open_alike:
        return f"the same seed gives different episodes, and {len(effects) + 1} seeds open alike"
    return None


def unseeded_flight(
    histories: tuple[TraceHistory, TraceHistory | None],
    found: Differences,
    volatile: Mapping[str, Volatile],
    drawn: tuple[Trace, FirstDifference] | None = None,
) -> tuple[Trace, FirstDifference]:
    """A flight that differs from another by the same seed, and in what: with as many resets before, if there is one.

    One that opens otherwise comes before one that goes on otherwise.

    Two flights of one session may differ by how often it was reset. So may the first flights of two sessions, where
    they share an instance: but then they do in the other process in just the same way, as no chance does twice.

    Args:
        histories: The history in one process, and the same in another; None where none could be started.
        found: The differences.
        volatile: Places whose clocks and random ids don't count.
        drawn: A later reset that comes out another after as many resets, and in what; None where it does not.
    """
    first, second = histories
    known: list[tuple[Trace, FirstDifference]] = []
    if found.new_session is not None and (
        second is None
        or difference(second["reference"], second["new session"], volatile) != found.new_session
    ):
        known.append((first["new session"], found.new_session))
    across = found.new_process
    if second is not None and across is not None and across.flight in {"reference", "new session"}:
        known.append((second[across.flight], across.model_copy(update={"flight": None})))
    if found.resets is not None:
        known.append((first["new session"], found.resets))
    known += [] if drawn is None else [drawn]
    opens = (each for each in known if each[1].step == 0)
    different = found.new_session or found.again or FirstDifference(step=0)
    last = first["new session" if found.new_session else "again"], different
    return next(opens, (*known, last)[0])


def seed_item(
    plan: HistoryPlan,
    histories: tuple[TraceHistory, TraceHistory | None],
    found: Differences,
    cause: str,
    seed: SeedUse,
    volatile: Mapping[str, Volatile],
    drawn: tuple[Trace, FirstDifference] | None = None,
    rotation: Rotation | None = None,
) -> Item:
    """Whether the seed decides the episode: the same seed the same, another seed another.

    Where it is written that nothing is drawn, or that each reset goes on to the next episode, what only counts the
    episodes, or goes on as is written, says nothing of the seed.

    Args:
        plan: How it was flown.
        histories: The history in one process, and the same in another; None where none could be started.
        found: The differences.
        cause: What they mean.
        seed: What is known of the reset's seed beside the flights.
        volatile: Places of clocks and random ids, which no comparison counts.
        drawn: A later reset that comes out another after as many resets, and in what; None where it does not.
        rotation: What is known of the resets of a session that open otherwise; None where they do not.
    """
    task, varies = plan.task, found.vary()
    if seed.fixed is not None or seed.turns is not None:
        volatile = {**find_volatile(*histories, counting=True), **volatile}
        drawn = None if drawn is None or place(drawn[1].field or "") in volatile else drawn
        found = as_told(histories, volatile, drawn, rotation)
        cause = found.cause() if histories[1] is not None else found.cause_unseen()
        cause = "nondeterministic" if cause == "seed_ignored" and task.indexed else cause
    if task.indexed:
        return not_applicable("seed_control", "the task's options name one episode", task)
    first, _ = histories
    reference = first["new session"]
    others = [trace for name, trace in first.items() if name.startswith("seed ")]
    blind = without_seed(reference)
    effects = [difference(blind, without_seed(trace), volatile) for trace in others]
    same = same_seed_differs(found, cause, effects)
    if same is not None:
        trace, different = unseeded_flight(histories, found, volatile, drawn)
        if different.step > 0 and cause == "seed_ignored":
            same = "the same seed gives different episodes"
        witness = trace.witness(different.step, difference=different.model_dump())
        evidence = ItemEvidence(difference=different)
        return failed("seed_control", "seed_ignored", same, task, witness, evidence)
    if not plan.seeded:
        return not_applicable("seed_control", "one task only: its reset takes no seed", task)
    effect = next((found for found in effects if found is not None), None)
    if effect is not None:
        said = f"{len(effects) + 1} seeds, the same again for each and different between them"
        return passed("seed_control", said, task, ItemEvidence(difference=effect))
    unseeded = difference(first[UNSEEDED[0]], first[UNSEEDED[1]], volatile)
    if (found.vary() and not merely_counts(first, volatile)) or unseeded is not None:
        said = f"episodes vary, and {len(effects) + 1} different seeds in new sessions give the same one"
        witness = reference.witness(seeds=list(plan.seeds))
        return failed("seed_control", "seed_ignored", said, task, witness)
    besides = " but what is counted" if varies else ""
    return alike_item(plan, reference, seed, besides)


def as_told(
    histories: tuple[TraceHistory, TraceHistory | None],
    volatile: Mapping[str, Volatile],
    drawn: tuple[Trace, FirstDifference] | None,
    rotation: Rotation | None,
) -> Differences:
    """The differences, without those that a documented rotation from reset to reset makes.

    The arguments are those of :func:`seed_item`.
    """
    found = Differences.of(*histories, volatile)
    if rotation is not None and rotation.told is not None and rotation.alike:
        found = replace(found, again=None, after_other=None)
    return replace(found, drawn=None if drawn is None else drawn[1])


def alike_item(plan: HistoryPlan, reference: Trace, seed: SeedUse, besides: str) -> Item:
    """The item where every seed gives the same episode: one that is taken and dropped is a finding.

    Args:
        plan: How it was flown.
        reference: The episode.
        seed: What is known of the reset's seed beside the flights.
        besides: What varies all the same, in words.
    """
    said = f"nothing{besides} varies: {len(plan.seeds)} seeds and no seed give the same episode"
    upto, steps = None, reference.shots[1:]
    if steps and all(map(is_refused, steps)):
        # Where no action did anything, episodes that are alike are no evidence: what opened them is all that was seen.
        said = f"{len(plan.seeds)} seeds and no seed open alike, and no action that was sent was accepted"
        upto = 0
    if seed.dropped and seed.fixed is None:
        told = f"reset takes a seed and drops it: {said}"
        witness = reference.witness(upto, seeds=list(plan.seeds))
        evidence = ItemEvidence(seeds=plan.seeds)
        return failed("seed_control", "seed_ignored", told, plan.task, witness, evidence)
    known = (
        seed.why
        if seed.fixed is None
        else f"the documentation says that nothing is drawn: “{seed.fixed}”"
    )
    why = f"{said}; {known}"
    evidence = ItemEvidence(seeds=plan.seeds, unclear=seed.unclear and seed.fixed is None)
    return not_applicable("seed_control", why, plan.task, evidence)


def without_seed(trace: Trace) -> Trace:
    """A flight whose observations and states do not repeat the seed that its reset was given."""
    seed = trace.options.get("seed")

    def blind(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {
                key: "the seed" if "seed" in str(key).lower() and inner == seed else blind(inner)
                for key, inner in value.items()
            }
        return [blind(inner) for inner in value] if isinstance(value, list) else value

    shots = [
        replace(
            shot,
            answer=replace(shot.answer, observation=blind(shot.answer.observation)),
            state=blind(shot.state),
        )
        for shot in trace.shots
    ]
    return replace(trace, shots=shots)
