"""A wider survey: what the panel and the plans of a success leave out, flown on few seeds first.

Values beside other choices than idle's, ways of leaving nothing behind, and cycles of every paid action, whoever took
it and whenever. There are many of them, so each is screened, and becomes a row only where it promised something.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from gonogo.auditing.calibration import Scale
from gonogo.auditing.plans import (
    CutPoint,
    later_cycles,
    like,
    paid_places,
    planned,
    ranked,
    verb_of,
)
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import FARM, REFERENCE, Survey, SurveyRow, late_pay, lessened
from gonogo.exploits.crossings import crossings, emptyings
from gonogo.exploits.panel import Habit, Kind
from gonogo.rollouts.action_fields import ActionField
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import Space
from gonogo.wire import Action, TaskOptions

__all__ = ["widen"]

SCREENED = 2
PROMISING = 0.1
"""Share of a success's return from which a failure is flown on all seeds."""
MOST_ENDS = 6
MOST_FARMED = 10
MOST_RANKS, MOST_PAID = 24, 36
LEAST_STEPS = 2_000
"""Steps that the cycles may take where the budget is less."""

Starts = Sequence[tuple[TaskOptions, list[Turn]]]


def widen(session: AuditSession, flown: Survey, budget: int) -> Survey:
    """The survey with the rows of what promised something.

    Args:
        session: Where.
        flown: The survey.
        budget: Environment steps of the search, half of which the cycles may take.
    """
    if flown.broken_off or all(e.success is None for e in flown.episodes):
        return flown
    tasks = [episode.task for episode in flown.idle.episodes]
    space = Space(session.action_schema, session.tools)
    crossed = screen(session, crossings(space, session.observation_schema), tasks)
    emptied = screen(session, list(endings(session, space, tasks)), tasks)
    known = replace(flown, rows=[*flown.rows, *(row for _, row in [*crossed, *emptied])])
    scale, wanted = Scale(known), not Scale(flown).calibrated
    rows = [
        completed(session, habit, row, tasks)
        for habit, row in [*crossed, *emptied]
        if promises(row, scale) or (wanted and row.succeeded)
    ]
    wider = replace(flown, rows=[*flown.rows, *rows])
    if not Scale(wider).calibrated:
        return wider
    farmed = farms(session, wider, space, max(LEAST_STEPS, budget // 2))
    return replace(wider, rows=[*wider.rows, *farmed])


def screen(
    session: AuditSession, habits: Sequence[Habit], tasks: Sequence[TaskOptions]
) -> list[tuple[Habit, SurveyRow]]:
    """Fly habits on few seeds."""
    few = tasks[:SCREENED]
    session.part.expect(len(habits))
    return [(habit, row_of(habit, session.fly(habit, few, whole=seen(habit)))) for habit in habits]


def completed(
    session: AuditSession, habit: Habit, row: SurveyRow, tasks: Sequence[TaskOptions]
) -> SurveyRow:
    """A screened row on all seeds."""
    rest = session.fly(habit, tasks[SCREENED:], whole=seen(habit)) if tasks[SCREENED:] else []
    return replace(row, episodes=[*row.episodes, *rest])


def seen(habit: Habit) -> bool:
    """Whether what a habit saw is kept: the names of some are decided by it."""
    return habit.kind in {Kind.CONSTANT, Kind.EMPTYING}


def row_of(habit: Habit, episodes: list[Episode]) -> SurveyRow:
    """A habit's row."""
    return SurveyRow(habit.name, habit.kind, episodes, habit.field, habit.action, habit.context)


def promises(row: SurveyRow, scale: Scale) -> bool:
    """Whether a failure of a row earns a part of what a success does."""
    return max(scale.worths(row.failed), default=0.0) >= PROMISING


def endings(session: AuditSession, space: Space, tasks: Sequence[TaskOptions]) -> Iterator[Habit]:
    """The ways of leaving nothing behind; those that made what is seen less also with each constant after them."""
    ends = space.constants(MOST_ENDS)
    ways = emptyings(space)
    session.part.expect(len(ways))
    for way in ways:
        habit = way.habit()
        yield habit
        if any(map(lessened, session.fly(habit, tasks[:1]))):
            yield from (way.habit(then) for then in ends if then != way.place.base)


def farms(session: AuditSession, flown: Survey, space: Space, budget: int) -> Iterator[SurveyRow]:
    """Cycles of the actions that were paid later, or to others than the guide, until the steps are spent.

    Each action in its turn is tried in its next way, so that none waits for all the ways of those before it.
    """
    constants = space.constants(MOST_FARMED)
    paid = sources(flown, space.leaves())
    ways = [later_cycles(name, place, constants, space.leaves()) for name, place, _ in paid]
    began = session.steps
    session.part.expect(len(ways))
    for turn in zip_longest(*ways):
        for (_, place, starts), way in zip(paid, turn, strict=True):
            if session.steps - began >= budget:
                return
            name, plan = way or ("", no_plan)
            going = [(task, turns) for task, turns in starts if plan(turns)]
            begun = tuple((place(turns) or 0) + 1 for _, turns in going)
            plans = planned(plan, going)
            if plans and keeps_paying(session.plans(name, plans[:1])[0], begun[0]):
                yield SurveyRow(name, FARM, session.plans(name, plans), begun=begun)


def sources(flown: Survey, leaves: Sequence[ActionField]) -> list[tuple[str, CutPoint, Starts]]:
    """Where actions were paid: what each is called, its place in an episode, and the episodes; the guide's first."""
    guide = max(flown.of_kind(REFERENCE), key=lambda row: len(row.succeeded), default=None)
    good = [] if guide is None else [(e.task, e.turns) for e in guide.succeeded]
    ranks = len(paid_places(good[0][1], leaves)) if good else 0
    found: list[tuple[str, CutPoint, Starts]] = [
        (f"paid action {rank + 1}", ranked(rank, leaves), good)
        for rank in range(min(ranks, MOST_RANKS))
    ]
    known = {verb for _, turns in good for verb in paid_verbs(turns, leaves)}
    for row in flown.of_kind(*Kind):
        starts = [(e.task, e.turns) for e in row.episodes if e.error is None]
        verbs = dict.fromkeys(v for _, turns in starts for v in paid_verbs(turns, leaves))
        for verb in verbs:
            if verb not in known and len(found) < MOST_PAID:
                known.add(verb)
                found.append((f"{verb} as {row.name} does", like(verb, leaves), starts))
    return found


def paid_verbs(turns: Sequence[Turn], leaves: Sequence[ActionField]) -> list[str]:
    """What was done in the turns that are paid before the end."""
    return [verb_of(turns[place].action or {}, leaves) for place in paid_places(turns, leaves)]


def keeps_paying(episode: Episode, begun: int) -> bool:
    """Whether a failing episode is paid in the second half of its laps, too."""
    return episode.success is False and late_pay(episode, begun) > 0


def no_plan(turns: Sequence[Turn]) -> list[Action]:
    """Where there is nothing more to try."""
    return []
