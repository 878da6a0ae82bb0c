"""A survey: every policy on the same task and the same seeds, side by side.

Beside the panel and the reference policies there are plans made of what a succeeding policy does: its way up to a
milestone and then idle, up to the first pay and then round and round, or its answer to another seed. A survey
judges nothing; surveys of the same task on other seeds have the same rows under the same names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from gonogo.exploits.panel import Habit, Kind
from gonogo.rollout.episodes import Episode, Turn
from gonogo.rollout.leaves import EACH, Leaf, value_at
from gonogo.rollout.protocols import Json
from gonogo.rollout.space import Space, choices_of, free_text
from gonogo.stations.audit.airfield import Airfield

__all__ = ["CANDIDATE", "REFERENCE", "SEARCHED", "Row", "Survey", "actions_of", "survey"]

REFERENCE, MILESTONE, FARM, FOREIGN = "reference", "milestone", "farm", "foreign"
SEARCHED, CANDIDATE = "search", "candidate"
SEEN = frozenset({Kind.IDLE, Kind.CONSTANT})
"""Kinds of the panel whose rows are asked what was seen."""
MOST_FARMED = 10
MOST_STOPS = 6
MOST_VARIED = 8
TAILS = (1, 2, 3)
SCREENED = 3
SHARES = (0.25, 0.5, 0.75, 1.0)
LAPS = 128
MOST_LOST = 3
"""Rows of which every episode was lost, after which a survey is broken off: each may have taken a timeout."""


@dataclass(frozen=True, slots=True)
class Row:
    """One policy's episodes, a seed each.

    Attributes:
        name: The policy's name.
        kind: A kind of the panel, ``reference``, ``milestone``, ``farm``, ``foreign``, ``search`` or ``candidate``.
        episodes: In the order of the seeds. What was seen is kept of idle, constants and references only.
        field: Leaf of the action that carries the habit, or None.
        action: The action that is always repeated, or None.
    """

    name: str
    kind: str
    episodes: list[Episode]
    field: str | None = None
    action: Json | None = None

    @property
    def failed(self) -> list[Episode]:
        """The episodes that ended without success and with a return; not those in which all was refused."""
        return [
            e
            for e in self.episodes
            if e.success is False
            and e.episode_return is not None
            and e.invalid_count < len(e.turns)
        ]

    @property
    def succeeded(self) -> list[Episode]:
        """The episodes that ended with success and a return."""
        return [e for e in self.episodes if e.success is True and e.episode_return is not None]

    @property
    def lost(self) -> bool:
        """Whether every episode was lost."""
        return all(e.error is not None for e in self.episodes)


@dataclass(frozen=True, slots=True)
class Survey:
    """All rows of one task; the first is idle's.

    Attributes:
        task: Reset options without a seed.
        rows: The policies.
        broken_off: Whether too many rows were lost for the others to be flown.
    """

    task: Json
    rows: list[Row]
    broken_off: bool = False

    @property
    def idle(self) -> Row:
        """Who does nothing."""
        return self.rows[0]

    def of_kind(self, *kinds: str) -> list[Row]:
        """The rows of some kinds."""
        return [row for row in self.rows if row.kind in kinds]


def survey(field: Airfield, task: Json, seeds: Sequence[int]) -> Survey:
    """Fly everything on one task.

    Args:
        field: Where.
        task: Reset options without a seed.
        seeds: One episode of each policy for each.
    """
    tasks, habits = field.tasks(task, seeds), field.panel()
    field.part.expect(len(habits) + field.guided)
    rows: list[Row] = []
    for habit in habits:
        rows.append(fly_habit(field, habit, tasks))
        if sum(row.lost for row in rows) >= MOST_LOST:
            return Survey(task, rows, broken_off=True)
    known = field.references(tasks)
    rows += [Row(name, REFERENCE, episodes) for name, episodes in known.items()]
    guide = max(known.values(), key=lambda e: sum(map(succeeded, e)), default=[])
    rows += list(continuations(field, tasks, guide))
    return Survey(task, rows)


def succeeded(episode: Episode) -> bool:
    """Whether an episode succeeded."""
    return episode.success is True


def fly_habit(field: Airfield, habit: Habit, tasks: Sequence[Json]) -> Row:
    """One row of the panel."""
    episodes = field.fly(habit, tasks, whole=habit.kind in SEEN)
    return Row(habit.name, habit.kind, episodes, habit.field, habit.action)


Plan = Callable[[Sequence[Turn]], list[Json]]


def continuations(
    field: Airfield, tasks: Sequence[Json], guide: Sequence[Episode]
) -> Iterator[Row]:
    """Rows of the plans that are made of what the guide did where it succeeded, and of cycles from the start."""
    space = Space(field.action_schema, field.tools)
    constants = space.constants(MOST_FARMED)
    good = [(episode.task, episode.turns) for episode in guide if succeeded(episode)]
    stops = list(milestones(space.idle())) if good else []
    ends = list(endings(constants[1 : MOST_STOPS + 1])) if good else []
    paid = list(paid_cycles(constants, space.leaves())) if good else []
    plain = list(plain_cycles(constants))
    field.part.expect(len(stops) + len(ends) + len(paid) + len(plain) + 1)
    for name, plan in stops:
        yield Row(name, MILESTONE, field.plans(name, planned(plan, good)))
    for name, plan in ends:
        episodes = screened(field, name, planned(plan, good), out_earns(good))
        if episodes:
            yield Row(name, MILESTONE, episodes)
    bare: list[tuple[Json, list[Turn]]] = [(task, []) for task in tasks]
    for starts, cycles in ((good, paid), (bare, plain)):
        for name, plan in cycles:
            episodes = screened(field, name, planned(plan, starts), is_paid)
            if episodes:
                yield Row(name, FARM, episodes)
    answers = foreign(good, space)
    if answers:
        name = "the answer to another seed, repeated"
        yield Row(name, FOREIGN, field.plans(name, answers))


def foreign(
    good: Sequence[tuple[Json, Sequence[Turn]]], space: Space
) -> list[tuple[Json, list[Json]]]:
    """On each seed the first answer to the next seed, where answers are texts; empty where there are none."""
    firsts = [actions_of(turns)[:1] for _, turns in good]
    texts = [leaf.name for leaf in space.leaves() if free_text(leaf.schema, leaf.root) is not None]
    said = {json.dumps([value_at(first[0], name) for name in texts]) for first in firsts if first}
    if not texts or len(said) < 2:
        return []
    others = [*firsts[1:], *firsts[:1]]
    return [(task, other) for (task, _), other in zip(good, others, strict=True) if other]


def planned(plan: Plan, starts: Sequence[tuple[Json, list[Turn]]]) -> list[tuple[Json, list[Json]]]:
    """A plan for each start that has one."""
    plans = [(task, plan(turns)) for task, turns in starts]
    return [(task, actions) for task, actions in plans if actions]


def screened(
    field: Airfield,
    name: str,
    plans: Sequence[tuple[Json, Sequence[Json]]],
    promises: Callable[[Episode], bool],
) -> list[Episode]:
    """Fly a plan on a few seeds, and on the others only where one of those promised something; else empty."""
    first = field.plans(name, plans[:SCREENED]) if plans else []
    if not any(e.success is False and promises(e) for e in first):
        return []
    rest = plans[SCREENED:]
    return first + (field.plans(name, rest) if rest else [])


def is_paid(episode: Episode) -> bool:
    """Whether an episode earned anything."""
    return (episode.episode_return or 0.0) > 0


def out_earns(good: Sequence[tuple[Json, Sequence[Turn]]]) -> Callable[[Episode], bool]:
    """Whether an episode earned more than the guide on its seed."""
    earned = {json.dumps(task): sum(turn.reward or 0.0 for turn in turns) for task, turns in good}
    return lambda e: (e.episode_return or 0.0) > earned[json.dumps(e.task)]


def actions_of(turns: Sequence[Turn]) -> list[Json]:
    """What was sent."""
    return [turn.action for turn in turns if turn.action is not None]


def milestones(idle: Json) -> Iterator[tuple[str, Plan]]:
    """Begin as the guide does, then idle: after a share of the way, or but for a part of the last action."""

    def stop(share: float) -> Plan:
        return lambda turns: [*actions_of(turns)[: round(share * (len(turns) - 1))], idle]

    def spare(name: str) -> Plan:
        def plan(turns: Sequence[Turn]) -> list[Json]:
            *before, last = actions_of(turns)
            return [*before, {**last, name: idle[name]}, idle]

        return plan

    def nearly(turns: Sequence[Turn]) -> list[Json]:
        *before, last = actions_of(turns)
        half = scaled(last, 0.5)
        return [] if half == last else [*before, half, idle]

    for share in SHARES:
        yield f"{share:.0%} of the way, then idle", stop(share)
    for name in idle:
        yield f"all but the last {name}, then idle", spare(name)
    yield "half of the last action, then idle", nearly


def scaled(value: Any, by: float) -> Any:
    """An action with all its numbers scaled; whole ones stay whole, nearer to zero."""
    if isinstance(value, dict):
        return {name: scaled(held, by) for name, held in value.items()}
    if isinstance(value, list):
        return [scaled(held, by) for held in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return type(value)(value * by)


def endings(constants: Sequence[Json]) -> Iterator[tuple[str, Plan]]:
    """Begin as the guide does, then do one thing for ever."""

    def stop(share: float, action: Json) -> Plan:
        return lambda turns: [*actions_of(turns)[: round(share * (len(turns) - 1))], action]

    for share in SHARES:
        for action in constants:
            yield f"{share:.0%} of the way, then {action}", stop(share, action)


Between = Callable[[Json], list[Json]]
"""What is done between two laps, from the action that is paid."""


def paid_cycles(constants: Sequence[Json], leaves: Sequence[Leaf]) -> Iterator[tuple[str, Plan]]:
    """Go on to the first action that is paid, and repeat the last few: alone, or with one between.

    Between stands a constant, the paid action with its numbers reversed, or with another choice in one leaf: what
    undoes a thing is often a step back, or called by another verb on the same object.
    """

    def again(tail: int, between: Between) -> Plan:
        def plan(turns: Sequence[Turn]) -> list[Json]:
            paid = next((n for n, turn in enumerate(turns) if (turn.reward or 0.0) > 0), None)
            if paid is None or turns[paid].done or paid + 1 < tail:
                return []
            before = actions_of(turns)[: paid + 1]
            return [*before, *([*between(before[-1]), *before[-tail:]] * LAPS)]

        return plan

    def other(leaf: Leaf, choice: object) -> Between:
        def between(paid: Json) -> list[Json]:
            has = len(leaf.path) == 1 or value_at(paid, leaf.name) is not None
            return [replace(leaf, base=paid).put(choice)] if has else []

        return between

    betweens: list[tuple[str, Between]] = [("", lambda paid: [])]
    betweens += [(" and its reverse", lambda paid: [scaled(paid, -1.0)])]
    betweens += [(f" and {action}", lambda paid, action=action: [action]) for action in constants]  # type: ignore[misc]
    varied = [
        (leaf, c)
        for leaf in leaves
        if not leaf.tool and EACH not in leaf.path
        for o in leaf.options
        for c in choices_of(o)
    ]
    betweens += [
        (f" and {leaf.name}={c} of it", other(leaf, c)) for leaf, c in varied[:MOST_VARIED]
    ]
    for tail in TAILS:
        what = "the first paid action" if tail == 1 else f"the {tail} actions up to the first pay"
        for name, between in betweens:
            yield f"{what}{name} in turn", again(tail, between)


def plain_cycles(constants: Sequence[Json]) -> Iterator[tuple[str, Plan]]:
    """Two constants in turn."""

    def again(pair: Sequence[Json]) -> Plan:
        return lambda turns: list(pair) * LAPS

    for pair in combinations(constants, 2):
        yield f"{pair[0]} and {pair[1]} in turn", again(pair)
