"""Plans that are made of what succeeded: left before the end, gone round and round in, said on another seed, broken.

A plan is open-loop: a list of actions, the last of which is repeated. Nothing is flown here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from gonogo.exploits.witness import actions_of
from gonogo.rollouts.episodes import Turn
from gonogo.rollouts.space import EACH, ActionField, Space, choices_of, free_text, value_at
from gonogo.wire import Action, JsonValue, TaskOptions

MOST_VARIED = 8
TAILS = (1, 2, 3)
SHARES = (0.25, 0.5, 0.75, 1.0)
LAPS = 128

PlanMaker = Callable[[Sequence[Turn]], list[Action]]
"""From the turns of a success to what is sent; nothing where there is no such plan."""
Between = Callable[[Action], list[Action]]
"""What is done between two laps, from the action that is paid."""
CutPoint = Callable[[Sequence[Turn]], int | None]
"""From the turns of an episode to the one that is paid; None where there is none such."""


def planned(
    plan: PlanMaker, starts: Sequence[tuple[TaskOptions, list[Turn]]]
) -> list[tuple[TaskOptions, list[Action]]]:
    """A plan for each start that has one."""
    plans = [(task, plan(turns)) for task, turns in starts]
    return [(task, actions) for task, actions in plans if actions]


def milestones(idle: Action) -> Iterator[tuple[str, PlanMaker]]:
    """Begin as the guide does, then idle: after a share of the way, or but for a part of the last action."""

    def spare(name: str) -> PlanMaker:
        def plan(turns: Sequence[Turn]) -> list[Action]:
            *before, last = actions_of(turns)
            return [*before, {**last, name: idle[name]}, idle]

        return plan

    def nearly(turns: Sequence[Turn]) -> list[Action]:
        *before, last = actions_of(turns)
        half = scaled(last, 0.5)
        return [] if half == last else [*before, half, idle]

    for share in SHARES:
        yield f"{share:.0%} of the way, then idle", begin(share, idle)
    for name in idle:
        yield f"all but the last {name}, then idle", spare(name)
    yield "half of the last action, then idle", nearly


def begin(share: float, then: Action) -> PlanMaker:
    """A share of the way that the guide went, then one action for ever."""
    return lambda turns: [*actions_of(turns)[: round(share * (len(turns) - 1))], then]


def scaled(value: JsonValue, by: float) -> JsonValue:
    """An action with all its numbers scaled; whole ones stay whole, nearer to zero."""
    if isinstance(value, dict):
        return {name: scaled(held, by) for name, held in value.items()}
    if isinstance(value, list):
        return [scaled(held, by) for held in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return type(value)(value * by)


def endings(constants: Sequence[Action]) -> Iterator[tuple[str, PlanMaker]]:
    """Begin as the guide does, then do one thing for ever."""
    for share in SHARES:
        for action in constants:
            yield f"{share:.0%} of the way, then {action}", begin(share, action)


def paid_cycles(
    constants: Sequence[Action], leaves: Sequence[ActionField]
) -> Iterator[tuple[str, PlanMaker]]:
    """Go on to the first action that is paid, and repeat the last few: alone, or with one between.

    Args:
        constants: Actions that may stand between two laps.
        leaves: The places of an action.
    """
    first = ranked(0, leaves)
    for tail in TAILS:
        what = "the first paid action" if tail == 1 else f"the {tail} actions up to the first pay"
        for name, between in betweens(constants, leaves):
            yield f"{what}{name} in turn", cycle(first, tail, between)


def later_cycles(
    name: str, place: CutPoint, constants: Sequence[Action], leaves: Sequence[ActionField]
) -> Iterator[tuple[str, PlanMaker]]:
    """The same of an action that is paid at another place, and all the way there again.

    Args:
        name: What the action is called.
        place: Where it is paid.
        constants: Actions that may stand between two laps.
        leaves: The places of an action.
    """
    ways = list(betweens(constants, leaves))
    alone = ways[0][1]
    yield f"{name} in turn", cycle(place, 1, alone)
    yield f"all the way to {name} in turn", cycle(place, None, alone)
    for tail in TAILS:
        what = name if tail == 1 else f"the {tail} actions up to {name}"
        for beside, between in ways[1:] if tail == 1 else ways:
            yield f"{what}{beside} in turn", cycle(place, tail, between)


def cycle(place: CutPoint, tail: int | None, between: Between) -> PlanMaker:
    """Go on to an action that is paid, then repeat.

    Args:
        place: Where it is.
        tail: How many actions up to it are repeated; None for all of them.
        between: What is done between two laps.
    """

    def plan(turns: Sequence[Turn]) -> list[Action]:
        paid = place(turns)
        if paid is None or paid + 1 < (tail or 1):
            return []
        before = actions_of(turns[: paid + 1])
        return [*before, *([*between(before[-1]), *before[-(tail or len(before)) :]] * LAPS)]

    return plan


def ranked(rank: int, leaves: Sequence[ActionField]) -> CutPoint:
    """Where the paid action of some rank is; the first is the first that is paid."""

    def place(turns: Sequence[Turn]) -> int | None:
        places = paid_places(turns, leaves)
        return places[rank] if rank < len(places) else None

    return place


def like(verb: str, leaves: Sequence[ActionField]) -> CutPoint:
    """Where an action of some verb is paid first."""

    def place(turns: Sequence[Turn]) -> int | None:
        paid = paid_places(turns, leaves)
        return next((n for n in paid if verb_of(turns[n].action or {}, leaves) == verb), None)

    return place


def paid_places(turns: Sequence[Turn], leaves: Sequence[ActionField]) -> list[int]:
    """The turns that are paid before the end: the first of each verb, then the other actions, each once."""
    seen: list[Action] = []
    verbs: list[str] = []
    firsts: list[int] = []
    others: list[int] = []
    for number, turn in enumerate(turns):
        action = turn.action
        if action is None or (turn.reward or 0.0) <= 0 or turn.done or action in seen:
            continue
        seen.append(action)
        verb = verb_of(action, leaves)
        (others if verb in verbs else firsts).append(number)
        verbs.append(verb)
    return [*firsts, *others]


def verb_of(action: Action, leaves: Sequence[ActionField]) -> str:
    """What an action does, apart from what it does it to: its choices and its tool; all of it where it has neither."""
    tool = action.get("tool_name")
    if tool is not None:
        return str(tool)
    chosen = [leaf.name for leaf in leaves if any(choices_of(option) for option in leaf.options)]
    said = {name: value_at(action, name) for name in chosen} if chosen else action
    return json.dumps(said, sort_keys=True)


def betweens(
    constants: Sequence[Action], leaves: Sequence[ActionField]
) -> Iterator[tuple[str, Between]]:
    """What is done between two laps: nothing, or what may undo what was paid.

    That is a constant, the paid action with its numbers reversed, or with another choice in one leaf: what undoes a
    thing is often a step back, or called by another verb on the same object.
    """

    def other(leaf: ActionField, choice: object) -> Between:
        def between(paid: Action) -> list[Action]:
            has = len(leaf.path) == 1 or value_at(paid, leaf.name) is not None
            return [replace(leaf, base=paid).put(choice)] if has else []

        return between

    yield "", lambda paid: []
    yield " and its reverse", lambda paid: [scaled(paid, -1.0)]
    for action in constants:
        yield f" and {action}", lambda paid, action=action: [action]  # type: ignore[misc]
    varied = [
        (leaf, c)
        for leaf in leaves
        if not leaf.tool and EACH not in leaf.path
        for o in leaf.options
        for c in choices_of(o)
    ]
    for leaf, c in varied[:MOST_VARIED]:
        yield f" and {leaf.name}={c} of it", other(leaf, c)


def plain_cycles(constants: Sequence[Action]) -> Iterator[tuple[str, PlanMaker]]:
    """Two constants in turn."""

    def again(pair: Sequence[Action]) -> PlanMaker:
        return lambda turns: list(pair) * LAPS

    for pair in combinations(constants, 2):
        yield f"{pair[0]} and {pair[1]} in turn", again(pair)


def foreign(
    good: Sequence[tuple[TaskOptions, Sequence[Turn]]], space: Space
) -> list[tuple[TaskOptions, list[Action]]]:
    """On each seed the first answer to the next seed, where answers are texts; empty where there are none."""
    firsts = [actions_of(turns)[:1] for _, turns in good]
    texts = [leaf.name for leaf in texts_of(space)]
    said = {json.dumps([value_at(first[0], name) for name in texts]) for first in firsts if first}
    if not texts or len(said) < 2:
        return []
    others = [*firsts[1:], *firsts[:1]]
    return [(task, other) for (task, _), other in zip(good, others, strict=True) if other]


def texts_of(space: Space) -> list[ActionField]:
    """The leaves that take any text."""
    return [leaf for leaf in space.leaves() if free_text(leaf.schema, leaf.root) is not None]


def answers_alone(space: Space) -> bool:
    """Whether each action is an answer: texts and numbers, and no choice of what to do."""
    places = space.leaves()
    chosen = any(choices_of(option) for leaf in places for option in leaf.options)
    return bool(texts_of(space)) and not chosen and len({leaf.tool for leaf in places}) == 1


def broken(turns: Sequence[Turn], leaf: ActionField, garbage: str) -> list[Action]:
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
