"""Plans that are made of what succeeded: left before the end, gone round and round in, said on another seed, broken.

A plan is open-loop: a list of actions, the last of which is repeated. Nothing is flown here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from gonogo.rollout.episodes import Turn
from gonogo.rollout.leaves import EACH, Leaf, value_at
from gonogo.rollout.protocols import Json
from gonogo.rollout.space import Space, choices_of, free_text

__all__ = [
    "Plan",
    "actions_of",
    "broken",
    "endings",
    "foreign",
    "milestones",
    "paid_cycles",
    "plain_cycles",
    "planned",
    "scaled",
    "texts_of",
]

MOST_VARIED = 8
TAILS = (1, 2, 3)
SHARES = (0.25, 0.5, 0.75, 1.0)
LAPS = 128

Plan = Callable[[Sequence[Turn]], list[Json]]
"""From the turns of a success to what is sent; nothing where there is no such plan."""
Between = Callable[[Json], list[Json]]
"""What is done between two laps, from the action that is paid."""


def actions_of(turns: Sequence[Turn]) -> list[Json]:
    """What was sent."""
    return [turn.action for turn in turns if turn.action is not None]


def planned(plan: Plan, starts: Sequence[tuple[Json, list[Turn]]]) -> list[tuple[Json, list[Json]]]:
    """A plan for each start that has one."""
    plans = [(task, plan(turns)) for task, turns in starts]
    return [(task, actions) for task, actions in plans if actions]


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


def foreign(
    good: Sequence[tuple[Json, Sequence[Turn]]], space: Space
) -> list[tuple[Json, list[Json]]]:
    """On each seed the first answer to the next seed, where answers are texts; empty where there are none."""
    firsts = [actions_of(turns)[:1] for _, turns in good]
    texts = [leaf.name for leaf in texts_of(space)]
    said = {json.dumps([value_at(first[0], name) for name in texts]) for first in firsts if first}
    if not texts or len(said) < 2:
        return []
    others = [*firsts[1:], *firsts[:1]]
    return [(task, other) for (task, _), other in zip(good, others, strict=True) if other]


def texts_of(space: Space) -> list[Leaf]:
    """The leaves that take any text."""
    return [leaf for leaf in space.leaves() if free_text(leaf.schema, leaf.root) is not None]


def broken(turns: Sequence[Turn], leaf: Leaf, garbage: str) -> list[Json]:
    """What succeeded, with every text of a leaf cut to its first character and gone on with garbage.

    A form that asks for a sign at its beginning lets no other nonsense through to what may crash on it.
    """
    said = [(action, value_at(action, leaf.name)) for action in actions_of(turns)]
    if not any(isinstance(text, str) and text for _, text in said):
        return []
    return [
        replace(leaf, base=action).put(text[:1] + garbage) if isinstance(text, str) else action
        for action, text in said
    ]
