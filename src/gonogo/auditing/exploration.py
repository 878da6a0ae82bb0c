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
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from statistics import fmean

import numpy as np

from gonogo.auditing.plans import (
    CutPoint,
    PlanMaker,
    later_cycles,
    like,
    paid_places,
    ranked,
    verb_of,
)
from gonogo.auditing.probes import dearest
from gonogo.auditing.probes import worth as earned
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import (
    CANDIDATE,
    EXPLORED,
    FARM,
    REFERENCE,
    SEARCHED,
    Scale,
    Starts,
    Survey,
    SurveyRow,
    fly_habit,
    late_pay,
    lessened,
    needs_none,
)
from gonogo.exploits.crossings import crossings, emptyings, first_crossings
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
from gonogo.explore.addressed import addressed
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
MOST_CYCLED, MORE = 3, 0.01
"""Cycles of one paid action that are flown on all seeds; beyond them only one that is paid more than all before it."""
MOST_FREE = 6
"""Screened rows of one action that are flown on all seeds because they succeed."""
MOST_BEST = 8
"""Those that are flown on because they earn most, where nothing says what a success is worth."""
MOST_WORTH = 12
"""Screened rows that are flown on all seeds because they are paid, where nothing says what a success is worth."""
LEAST_STEPS = 2_000
"""Steps that the cycles may take where the budget is less."""

TOGETHER = 3
CONSTANTS = 12
MENU = 16
PROGRESS = 20
"""Flights that a search counts for in the progress, whatever its budget."""
PLAN, POLICY = "the search's plan", "the search's reactive policy"


class WiderHabits:
    """Habits beyond the panel, screened on two seeds: the first of them before it, where a choice is to be made."""

    def __init__(self) -> None:
        self._tried: set[str] = set()
        self._waiting: list[SurveyRow] = []
        self._free = 0

    def first(
        self, session: AuditSession, flown: Survey, tasks: Sequence[TaskOptions]
    ) -> Iterator[SurveyRow]:
        """Rows of the plainest values and copies beside each choice, where they promise something.

        Args:
            session: Where.
            flown: The survey.
            tasks: Reset options of a row's episodes.
        """
        if flown.broken_off:
            return
        habits = first_crossings(session.space, session.schemas.observation, session.values)
        session.part.expect(len(habits))
        yield from self._screened(session, habits, flown, tasks)

    def rows(
        self, session: AuditSession, flown: Survey, tasks: Sequence[TaskOptions]
    ) -> Iterator[SurveyRow]:
        """Rows of all the others, where they promise something; then what does so beside all that is known by then.

        Args:
            session: Where.
            flown: The survey.
            tasks: Reset options of a row's episodes.
        """
        if flown.broken_off:
            return
        wanted, known = needs_none(flown), flown
        habits = crossings(session.space, session.schemas.observation, session.values)
        pool = session.learned
        habits += [] if pool is None else addressed(session.space, pool.observed)
        habits = [habit for habit in habits if habit.name not in self._tried]
        session.part.expect(len(habits))
        for row in self._screened(session, chain(habits, endings(session, tasks)), flown, tasks):
            known = known.plus([row])
            yield row
        # What succeeds later may show that less is worth something; without a scale what is paid most is looked at.
        scale, waiting = Scale(known), self._waiting
        dear = [*dearest(waiting, MOST_WORTH), *best_paid(waiting)]
        for row in waiting if wanted else ():
            if promises(row, scale) or row in dear:
                yield completed(session, row, tasks, known)

    def _screened(
        self,
        session: AuditSession,
        habits: Iterable[Habit],
        flown: Survey,
        tasks: Sequence[TaskOptions],
    ) -> Iterator[SurveyRow]:
        """Rows of the habits that promise something; the others wait."""
        wanted, known = needs_none(flown), flown
        for habit in habits:
            self._tried.add(habit.name)
            row = fly_habit(session, habit, tasks[:SCREENED])
            known = known.plus([row])
            succeeds = always_succeeds(row) and self._free < MOST_FREE
            if promises(row, Scale(known)) or (wanted and row.succeeded) or succeeds:
                self._free += succeeds
                yield completed(session, row, tasks, known)
            else:
                self._waiting.append(row)


def completed(
    session: AuditSession, row: SurveyRow, tasks: Sequence[TaskOptions], flown: Survey
) -> SurveyRow:
    """A row on those of some tasks, too, that it was not flown on; as it is where it cannot be flown again."""
    rest = tasks[len(row.episodes) :]
    return row.on(row.again(session, rest, flown)) if rest and row.again is not None else row


def promises(row: SurveyRow, scale: Scale) -> bool:
    """Whether a failure of a row earns a part of what a success does."""
    return max(scale.worths(row.failed), default=0.0) >= PROMISING


def always_succeeds(row: SurveyRow) -> bool:
    """Whether what does not try succeeds wherever it was tried.

    That is one action, leaving nothing behind, a number beyond all sense, or a copy in the first step.
    """
    plain = row.action is not None or row.kind in {Kind.EMPTYING, Kind.EXTREME} or row.at_once
    return plain and row.succeeds


def best_paid(rows: Sequence[SurveyRow]) -> list[SurveyRow]:
    """The rows that earn most, also by a single step, as an answer that ends the episode does."""
    paid = [row for row in rows if earned(row) > 0]
    return sorted(paid, key=lambda row: -earned(row))[:MOST_BEST]


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


def farms(
    session: AuditSession,
    flown: Survey,
    tasks: Sequence[TaskOptions],
    budget: int,
    tried: set[tuple[str, str]],
) -> Iterator[SurveyRow]:
    """Cycles of the actions that were paid later, or to others than the guide, until the steps are spent.

    Each action in its turn is tried in its next way, so that none waits for all the ways of those before it.

    Args:
        session: Where.
        flown: The survey.
        tasks: Where.
        budget: Environment steps to spend.
        tried: The policies and the ways that were tried before; takes those that are tried now.
    """
    constants, leaves = session.space.constants(MOST_FARMED), session.space.leaves()
    paid, kept = sources(flown, leaves), Counter[str]()
    dearest_of: dict[str, float] = {}
    ways = [later_cycles(paid_by.name, paid_by.place, constants, leaves) for paid_by in paid]
    began = session.steps
    session.part.expect(len(ways))
    for turn in zip_longest(*ways):
        for source, way in zip(paid, turn, strict=True):
            if session.steps - began >= budget:
                return
            if way is None:
                continue
            name, plan = way
            if (source.row, name) in tried:
                continue
            tried.add((source.row, name))
            pay = max(
                (
                    late_pay(episode, begun)
                    for options, actions, begun in source.plans(plan, flown, tasks)[:1]
                    for episode in session.plans(name, [(options, actions)])
                    if keeps_paying(episode, begun)
                ),
                default=0.0,
            )
            best = dearest_of.get(source.name, 0.0)
            if pay > (0.0 if kept[source.name] < MOST_CYCLED else (1 + MORE) * best):
                kept[source.name] += 1
                dearest_of[source.name] = max(best, pay)
                yield source.cycle(session, name, plan, flown, tasks)


@dataclass(frozen=True, slots=True)
class PaidAction:
    """Where an action is paid.

    Attributes:
        name: What it is called.
        place: Its place in an episode.
        row: Name of the policy that is paid for it.
        succeeding: Whether only that policy's successes count.
    """

    name: str
    place: CutPoint
    row: str
    succeeding: bool

    def starts(self, flown: Survey, tasks: Sequence[TaskOptions]) -> Starts:
        """The episodes in which it may be paid, of a survey's on some tasks."""
        row = flown.named(self.row)
        if row is None:
            return []
        episodes = row.succeeded if self.succeeding else row.episodes
        return [(e.task, e.turns) for e in episodes if e.error is None and e.task in tasks]

    def plans(
        self, plan: PlanMaker, flown: Survey, tasks: Sequence[TaskOptions]
    ) -> list[tuple[TaskOptions, list[Action], int]]:
        """What is sent on each task, and how many turns come before the laps."""
        return [
            (task, actions, (self.place(turns) or 0) + 1)
            for task, turns in self.starts(flown, tasks)
            if (actions := plan(turns))
        ]

    def cycle(
        self,
        session: AuditSession,
        name: str,
        plan: PlanMaker,
        flown: Survey,
        tasks: Sequence[TaskOptions],
    ) -> SurveyRow:
        """The row of a cycle of it."""

        def again(session: AuditSession, tasks: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
            return self.cycle(session, name, plan, flown, tasks)

        made = self.plans(plan, flown, tasks)
        plans, begun = [(task, actions) for task, actions, _ in made], tuple(n for *_, n in made)
        episodes = session.plans(name, plans)
        return SurveyRow(name, FARM, episodes, begun=begun, again=again, needs=(self.row,))


def sources(flown: Survey, leaves: Sequence[ActionField]) -> list[PaidAction]:
    """The actions that were paid; the guide's first."""
    guide = max(flown.guides, key=lambda row: len(row.succeeded), default=None)
    good = [] if guide is None else [(e.task, e.turns) for e in guide.succeeded]
    ranks = len(paid_places(good[0][1], leaves)) if good else 0
    found = [
        PaidAction(f"paid action {rank + 1}", ranked(rank, leaves), guide.name, succeeding=True)
        for rank in range(min(ranks, MOST_RANKS))
        if guide is not None
    ]
    known = {verb for _, turns in good for verb in paid_verbs(turns, leaves)}
    for row in flown.of_kind(EXPLORED, *Kind):
        starts = [e.turns for e in row.episodes if e.error is None]
        verbs = dict.fromkeys(v for turns in starts for v in paid_verbs(turns, leaves))
        for verb in verbs:
            if verb not in known and len(found) < MOST_PAID:
                known.add(verb)
                name = f"{verb} as {row.name} does"
                found.append(PaidAction(name, like(verb, leaves), row.name, succeeding=False))
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
    known = [row.succeeded for row in flown.guides]
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


def searched_rows(
    session: AuditSession, searched: PaidFailures, tasks: Sequence[TaskOptions]
) -> Iterator[SurveyRow]:
    """Rows of what the search found."""
    if searched.plan is not None:
        yield fly_best_plan(session, searched.plan.best, tasks)
    if searched.policy is not None:
        yield fly_best_policy(session, searched.policy.best, tasks)


def fly_best_plan(session: AuditSession, plan: Plan, tasks: Sequence[TaskOptions]) -> SurveyRow:
    """The row of the search's plan."""

    def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
        return fly_best_plan(session, plan, tasks)

    episodes = session.plans(PLAN, [(task, plan) for task in tasks])
    return SurveyRow(PLAN, SEARCHED, episodes, again=again)


def fly_best_policy(
    session: AuditSession, policy: Reactive, tasks: Sequence[TaskOptions]
) -> SurveyRow:
    """The row of the search's reactive policy."""

    def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
        return fly_best_policy(session, policy, tasks)

    team = PolicyBatch([policy] * len(tasks), POLICY)
    return SurveyRow(POLICY, SEARCHED, session.fly(team, tasks, whole=False), again=again)


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


def matters(row: SurveyRow, scale: Scale) -> bool:
    """Whether more seeds of a row may change what is said: it is a baseline, succeeds, or its failures are paid."""
    if row.kind in (Kind.IDLE, Kind.RANDOM, REFERENCE, CANDIDATE) or row.succeeded:
        return True
    return max(scale.worths(row.failed), default=0.0) >= PROMISING
