"""Candidates beyond the panel: habits and cycles that are screened, and a search for who fails and is paid for it.

Screened are values beside other choices than idle's, ways of leaving nothing behind, and cycles of every paid
action, whoever took it and whenever. There are many of them, so each is flown on few seeds first, and becomes a row
of the survey only where it promised something.

Half of the search's steps go to open-loop plans, half to small policies that react to what they see. One plan or
policy has to do for several seeds at once, so that what is found does not rest on one seed's luck. It is then flown
on all seeds as one more row, and judged like the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from statistics import fmean

import numpy as np

from gonogo.auditing.plans import (
    CutPoint,
    later_cycles,
    like,
    paid_places,
    planned,
    ranked,
    verb_of,
)
from gonogo.auditing.probes import dearest, look_longer
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import (
    FARM,
    REFERENCE,
    SEARCHED,
    Scale,
    Survey,
    SurveyRow,
    fly_habit,
    late_pay,
    lessened,
)
from gonogo.exploits.crossings import crossings, emptyings
from gonogo.exploits.panel import Habit, Kind
from gonogo.exploits.search import (
    Features,
    Plan,
    PolicyBatch,
    Reactive,
    SearchResult,
    evolve,
    search,
)
from gonogo.exploits.witness import actions_of, encode
from gonogo.records.audit import PlanSearch, SearchCurve, SearchFigures, SearchPoint
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import ActionField
from gonogo.wire import Action, Observation, TaskOptions

SCREENED = 2
PROMISING = 0.1
"""Share of a success's return from which a failure is flown on all seeds."""
MOST_ENDS = 6
MOST_FARMED = 10
MOST_RANKS, MOST_PAID = 24, 36
MOST_WORTH = 12
"""Screened rows that are flown on all seeds because they are paid, where nothing says what a success is worth."""
LEAST_STEPS = 2_000
"""Steps that the cycles may take where the budget is less."""

Starts = Sequence[tuple[TaskOptions, list[Turn]]]
TOGETHER = 3
CONSTANTS = 12
MENU = 16
PROGRESS = 20
"""Flights that a search counts for in the progress, whatever its budget."""
PLAN, POLICY = "the search's plan", "the search's reactive policy"


def widen_survey(session: AuditSession, flown: Survey, budget: int) -> Survey:
    """The survey with the rows of what promised something.

    Args:
        session: Where.
        flown: The survey.
        budget: Environment steps of the search, half of which the cycles may take.
    """
    if flown.broken_off:
        return flown
    tasks = flown.tasks
    screened = screen(session, crossings(session.space, session.schemas.observation), tasks)
    screened += screen(session, list(endings(session, tasks)), tasks)
    scale, wanted = Scale(flown.plus(row for _, row in screened)), not Scale(flown).calibrated
    dear = dearest([row for _, row in screened], MOST_WORTH) if wanted else []
    wider = flown.plus(
        completed(session, habit, row, tasks)
        for habit, row in screened
        if promises(row, scale) or (wanted and (row.succeeded or row in dear))
    )
    wider = wider.plus(farms(session, wider, max(LEAST_STEPS, budget // 2)))
    return wider if Scale(wider).calibrated else look_longer(session, wider)


def screen(
    session: AuditSession, habits: Sequence[Habit], tasks: Sequence[TaskOptions]
) -> list[tuple[Habit, SurveyRow]]:
    """Fly habits on few seeds."""
    session.part.expect(len(habits))
    return [(habit, fly_habit(session, habit, tasks[:SCREENED])) for habit in habits]


def completed(
    session: AuditSession, habit: Habit, row: SurveyRow, tasks: Sequence[TaskOptions]
) -> SurveyRow:
    """A screened row on all seeds."""
    if not tasks[SCREENED:]:
        return row
    rest = fly_habit(session, habit, tasks[SCREENED:])
    return replace(row, episodes=[*row.episodes, *rest.episodes])


def promises(row: SurveyRow, scale: Scale) -> bool:
    """Whether a failure of a row earns a part of what a success does."""
    return max(scale.worths(row.failed), default=0.0) >= PROMISING


def endings(session: AuditSession, tasks: Sequence[TaskOptions]) -> Iterator[Habit]:
    """The ways of leaving nothing behind; those that made what is seen less also with each constant after them."""
    ends = session.space.constants(MOST_ENDS)
    ways = emptyings(session.space)
    session.part.expect(len(ways))
    for way in ways:
        habit = way.habit()
        yield habit
        if any(map(lessened, session.fly(habit, tasks[:1]))):
            yield from (way.habit(then) for then in ends if then != way.place.base)


def farms(session: AuditSession, flown: Survey, budget: int) -> Iterator[SurveyRow]:
    """Cycles of the actions that were paid later, or to others than the guide, until the steps are spent.

    Each action in its turn is tried in its next way, so that none waits for all the ways of those before it.
    """
    constants, leaves = session.space.constants(MOST_FARMED), session.space.leaves()
    paid = sources(flown, leaves)
    ways = [later_cycles(name, place, constants, leaves) for name, place, _ in paid]
    began = session.steps
    session.part.expect(len(ways))
    for turn in zip_longest(*ways):
        for (_, place, starts), way in zip(paid, turn, strict=True):
            if session.steps - began >= budget:
                return
            if way is None:
                continue
            name, plan = way
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
    return episode.success is not True and late_pay(episode, begun) > 0


@dataclass(frozen=True, slots=True)
class PaidFailures:
    """What the search came to.

    Attributes:
        plan: The best open-loop plan; None where none fails and is paid.
        policy: The best reactive policy; None where there is nothing to choose or to see, or none fails and is paid.
    """

    plan: SearchResult[Plan] | None = None
    policy: SearchResult[Reactive] | None = None

    def record(self) -> SearchFigures:
        """The search as a record holds it: best so far against the steps spent."""
        plan, policy = self.plan, self.policy
        return SearchFigures(
            plan=None
            if plan is None
            else PlanSearch(
                best_failing_return=plan.worth, curve=curve(plan), plan=encode(plan.best)
            ),
            policy=None
            if policy is None
            else SearchCurve(best_failing_return=policy.worth, curve=curve(policy)),
        )


def curve(found: SearchResult[Plan] | SearchResult[Reactive]) -> tuple[SearchPoint, ...]:
    """How the best of one half of a search rose."""
    return tuple(SearchPoint(steps=steps, best=best) for steps, best in found.curve)


def search_failures(
    session: AuditSession, flown: Survey, budget: int, rng: np.random.Generator
) -> PaidFailures:
    """Search for a plan and for a policy.

    Args:
        session: Where.
        flown: The survey; the search begins with its constants and with what succeeds.
        budget: Environment steps to spend.
        rng: Source of what is drawn.
    """
    if flown.broken_off:
        return PaidFailures()
    told = flown.tells_success
    space = session.space
    tasks = flown.tasks[:TOGETHER]

    def worths(episodes: Sequence[Episode]) -> tuple[list[float], int]:
        spent = sum(len(episode.turns) for episode in episodes)
        session.part.advance(PROGRESS * spent / budget)
        each = (episodes[n : n + len(tasks)] for n in range(0, len(episodes), len(tasks)))
        return [worth(some, told=told) for some in each], spent

    def fly_plans(plans: Sequence[Sequence[Action]]) -> tuple[list[float], int]:
        pairs = [(task, plan) for plan in plans for task in tasks]
        return worths(session.plans("search", pairs))

    def fly_policies(members: Sequence[Reactive]) -> tuple[list[float], int]:
        team = PolicyBatch([member for member in members for _ in tasks], POLICY)
        return worths(session.fly(team, tasks * len(members), whole=False))

    session.part.expect(PROGRESS)
    constants = space.constants(CONSTANTS)
    known = [row.succeeded for row in flown.of_kind(REFERENCE)]
    taught = [actions_of(episodes[0].turns) for episodes in known if episodes]
    starts = [[action] for action in constants] + taught
    plan = search(fly_plans, space.sample, starts, budget // 2, rng)
    menu = distinct([*constants, *(action for actions in taught for action in actions)])[:MENU]
    policy = evolve(fly_policies, menu, Features.of(seen_in(flown)), budget // 2, rng)
    return PaidFailures(plan, policy)


def seen_in(flown: Survey) -> list[Observation]:
    """What was seen in the episodes that kept it."""
    turns = (turn for episode in flown.episodes for turn in episode.turns)
    return [turn.observation for turn in turns if turn.observation]


def distinct(actions: Sequence[Action]) -> list[Action]:
    """Each action once, in the order of its first place."""
    return [action for n, action in enumerate(actions) if action not in actions[:n]]


def fly_searched(session: AuditSession, flown: Survey, searched: PaidFailures) -> Survey:
    """The survey with the rows of what the search found."""
    rows = []
    if searched.plan is not None:
        plans = [(task, searched.plan.best) for task in flown.tasks]
        rows.append(SurveyRow(PLAN, SEARCHED, session.plans(PLAN, plans)))
    if searched.policy is not None:
        team = PolicyBatch([searched.policy.best] * len(flown.tasks), POLICY)
        rows.append(SurveyRow(POLICY, SEARCHED, session.fly(team, flown.tasks, whole=False)))
    return flown.plus(rows)


def worth(episodes: Sequence[Episode], *, told: bool) -> float:
    """The mean return of episodes that all fail, or of which nothing says it; the least there is where one does not.

    Args:
        episodes: Flights of one plan or policy.
        told: Whether the environment says success at all.
    """
    failing = False if told else None
    if any(e.success is not failing or e.episode_return is None for e in episodes):
        return -math.inf
    return fmean(e.episode_return or 0.0 for e in episodes)
