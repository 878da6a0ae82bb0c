"""Numbers without bounds: a paid action and its likes with a number that is absurd, and the same with smaller ones.

A fee, a stake or an amount that no bound holds may turn round below zero, or earn without end. One step rarely shows
it, for what is bought has to be sold again. So each action that exploration saw do something is flown with a huge
number, above and below zero, in turn with the same fields under another verb, or with the other sign. What is then
paid more than all that is known is flown on all seeds with three sizes, which stand beside each other as rows. Nothing
is judged here: see :mod:`gonogo.auditing.checks.without_success`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from gonogo.auditing.explored import choices_in, shown
from gonogo.auditing.probes import worth
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, total
from gonogo.explore.relations import ShownPath
from gonogo.explore.retrace import RetracingPolicy, WayStep, put, scalars, way_of
from gonogo.explore.search import CorpusEntry, Exploration
from gonogo.explore.values import Verb
from gonogo.rollouts.schema import bound
from gonogo.rollouts.space import Space, choices_of
from gonogo.wire import Action, JsonValue, TaskOptions

SCALED = "scaled"
"""Kind of the rows of one plan with numbers of several sizes; those of the smaller ones are about the largest."""
SIZES = (10**3, 10**5, 10**7)
SCREEN = SIZES[1]
MOST_TURNS, MOST_STEPS, LEAST_WAYS = 64, 3_000, 16
"""Turns of a plan; steps of all plans together; plans that are flown in any case."""
MOST_BASES, MOST_PARTNERS, MOST_KEPT = 6, 4, 3
LEAST_RICH, RICH = 1.0, 2.0
"""What a plan has to earn at least to be flown on, and so many times the best that is known."""


@dataclass(frozen=True, slots=True)
class NumberedPlan:
    """Two actions in turn that hold the same number.

    Attributes:
        task: Where.
        before: What is sent first.
        pair: The actions.
        path: Where the number stands in both.
        signs: Of either's number.
    """

    task: TaskOptions
    before: tuple[Action, ...]
    pair: tuple[Action, Action]
    path: ShownPath
    signs: tuple[int, int]

    def actions(self, size: int, turns: int) -> list[Action]:
        """What is sent with a number of a size, in so many turns."""
        both = zip(self.pair, self.signs, strict=True)
        lap = [with_number(action, self.path, sign * size) for action, sign in both]
        return [*self.before, *lap * (turns // 2 + 1)][:turns]


def scaled_rows(
    session: AuditSession,
    flown: Survey,
    found: Exploration,
    tasks: Sequence[TaskOptions],
    tried: set[str],
) -> Iterator[SurveyRow]:
    """Rows of what a huge number earns that nothing else does, with three sizes each, the largest first.

    Args:
        session: Where.
        flown: The survey.
        found: What exploring came to.
        tasks: Reset options of a row's episodes.
        tried: Plans that were tried before; takes those that are tried now.
    """
    plans = numbered(found.corpus, found.values.verbs, session.space)
    ways = [way for way in plans if key_of(way) not in tried]
    if not ways or flown.broken_off:
        return
    turns = min(session.limit, MOST_TURNS)
    ways = ways[: max(LEAST_WAYS, MOST_STEPS // turns)]
    tried |= {key_of(way) for way in ways}
    huge = [(way.task, way.actions(SCREEN, turns)) for way in ways]
    episodes = session.plans("huge numbers", huge, whole=True)
    best = max((worth(row) for row in flown.rows if row.kind != SCALED), default=0.0)
    rich = [
        (way, episode)
        for way, episode in zip(ways, episodes, strict=True)
        if episode.error is None and total(episode) >= max(LEAST_RICH, RICH * best)
    ]
    rich.sort(key=lambda pair: -total(pair[1]))
    choices = choices_in(session.space)
    for way, episode in rich[:MOST_KEPT]:
        steps = way_of(episode.turns, choices)
        name = f"a number of any size: {shown(steps)}"
        for size in reversed(SIZES):
            yield fly_scaled(session, name, resized(steps, way.path, size), size, tasks)


def fly_scaled(
    session: AuditSession,
    name: str,
    steps: Sequence[WayStep],
    size: int,
    tasks: Sequence[TaskOptions],
) -> SurveyRow:
    """The row of a plan with a number of one size."""

    def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
        return fly_scaled(session, name, steps, size, tasks)

    largest = size == max(SIZES)
    called = name if largest else f"{name}, with {size:,}"
    policy = RetracingPolicy(called, steps, None)
    episodes = session.fly(policy, tasks, whole=False)
    return SurveyRow(called, SCALED, episodes, about=None if largest else name, again=again)


def numbered(
    corpus: Sequence[CorpusEntry], verbs: Sequence[Verb], space: Space
) -> Iterator[NumberedPlan]:
    """The plans: actions that opened something up, the best paid and the earliest first, each with its likes."""
    known: set[str] = set()
    for entry in sorted(corpus, key=lambda entry: (-last_pay(entry), len(entry.actions))):
        *before, action = entry.actions
        for path, value in scalars(action):
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            signs = [sign for sign in (-1, 1) if unbounded(space, path, sign)]
            key = json.dumps([put(action, path, 0), list(path)], sort_keys=True, default=repr)
            if key in known or not signs or any(isinstance(part, int) for part in path):
                continue
            known.add(key)
            partners = [action, *likes(action, path, verbs)][: MOST_PARTNERS + 1]
            for partner, one, other in product(partners, signs, signs):
                pair = action, partner
                yield NumberedPlan(entry.task, tuple(before), pair, path, (one, other))
            if len(known) >= MOST_BASES:
                return


def last_pay(entry: CorpusEntry) -> float:
    """What the last action of an entry was paid."""
    turn = entry.episode.turns[len(entry.actions) - 1 :][:1]
    return (turn[0].reward or 0.0) if turn else 0.0


def likes(action: Action, path: ShownPath, verbs: Sequence[Verb]) -> Iterator[Action]:
    """The same fields under other verbs that have a place for the number."""
    mine = [verb for verb in verbs if verb.name in texts_at(action)]
    for verb in verbs:
        named = {key: value for key, value in verb.base.items() if value == verb.name}
        kept = set(verb.fields) | {verb.at} if verb.at else set(verb.fields)
        if named and verb not in mine and path[0] in kept:
            yield {**action, **named}


def texts_at(action: Action) -> set[str]:
    """The texts that an action's own fields hold."""
    return {value for value in action.values() if isinstance(value, str)}


def unbounded(space: Space, path: ShownPath, sign: int) -> bool:
    """Whether the schema bounds the number at a path on neither account: not on this side, and by no choices."""
    for leaf in space.leaves():
        if leaf.path == tuple(path)[-len(leaf.path) :] and leaf.path:
            forms = [f for f in leaf.options if f.get("type") in {"integer", "number"}]
            free = [f for f in forms if not choices_of(f)]
            most = [
                bound(form, "minimum", 0, float("-inf"))
                if sign < 0
                else bound(form, "maximum", 0, float("inf"))
                for form in free
            ]
            return any(abs(edge) >= max(SIZES) and (edge < 0) == (sign < 0) for edge in most)
    return False


def with_number(action: Action, path: ShownPath, number: int) -> Action:
    """An action with a number at a path."""
    made = put(action, path, number)
    return made if isinstance(made, dict) else action


def resized(steps: Sequence[WayStep], path: ShownPath, size: int) -> list[WayStep]:
    """A way whose numbers of the screening's size have another one."""
    found = []
    for step in steps:
        values: list[JsonValue] = [value for place, value in scalars(step.action) if place == path]
        number = values[0] if values else None
        if isinstance(number, int) and abs(number) == SCREEN:
            links = tuple(link for link in step.links if link[0] != path)
            sign = 1 if number > 0 else -1
            step = replace(step, action=with_number(step.action, path, sign * size), links=links)
        found.append(step)
    return found


def key_of(way: NumberedPlan) -> str:
    """What is sent, and on which task."""
    plan = way.actions(SCREEN, len(way.before) + 2)
    return json.dumps([way.task, plan], sort_keys=True, default=repr)
