"""The search of an audit: who fails and is paid for it, on several seeds at once.

Half of the steps go to open-loop plans, half to small policies that react to what they see. One plan or policy has
to do for all the seeds, so that what is found does not rest on one seed's luck. It is then flown on all seeds
as one more row, and judged like the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from gonogo.auditing.plans import actions_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import REFERENCE, SEARCHED, Survey, SurveyRow
from gonogo.exploits.reactive import Features, PolicyBatch, Reactive, evolve
from gonogo.exploits.search import Plan, SearchResult, search
from gonogo.exploits.witness import encode
from gonogo.records.audit import PlanSearch, SearchCurve, SearchFigures, SearchPoint
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import Space
from gonogo.wire import Action, Observation

__all__ = ["PaidFailures", "fly_sought", "seek"]

TOGETHER = 3
CONSTANTS = 12
MENU = 16
PROGRESS = 20
"""Flights that a search counts for in the progress, whatever its budget."""
PLAN, POLICY = "the search's plan", "the search's reactive policy"


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


def seek(
    session: AuditSession, flown: Survey, budget: int, rng: np.random.Generator
) -> PaidFailures:
    """Search for a plan and for a policy.

    Args:
        session: Where.
        flown: The survey; the search begins with its constants and with what succeeds.
        budget: Environment steps to spend.
        rng: Source of what is drawn.
    """
    if flown.broken_off or all(e.success is None for row in flown.rows for e in row.episodes):
        return PaidFailures()  # without a word for success nothing is known to fail
    space = Space(session.action_schema, session.tools)
    tasks = [episode.task for episode in flown.idle.episodes[:TOGETHER]]

    def worths(episodes: Sequence[Episode], before: int) -> tuple[list[float], int]:
        spent = session.steps - before
        session.part.advance(PROGRESS * spent / budget)
        each = [episodes[n : n + len(tasks)] for n in range(0, len(episodes), len(tasks))]
        return [worth(some) for some in each], spent

    def fly_plans(plans: Sequence[Sequence[Action]]) -> tuple[list[float], int]:
        before = session.steps
        return worths(
            session.plans("search", [(task, plan) for plan in plans for task in tasks]), before
        )

    def fly_policies(members: Sequence[Reactive]) -> tuple[list[float], int]:
        before = session.steps
        team = PolicyBatch([member for member in members for _ in tasks], POLICY)
        return worths(session.fly(team, tasks * len(members), whole=False), before)

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
    turns = (turn for row in flown.rows for episode in row.episodes for turn in episode.turns)
    return [turn.observation for turn in turns if turn.observation]


def distinct(actions: Sequence[Action]) -> list[Action]:
    """Each action once, in the order of its first place."""
    return [action for n, action in enumerate(actions) if action not in actions[:n]]


def fly_sought(session: AuditSession, flown: Survey, sought: PaidFailures) -> Survey:
    """The survey with the rows of what the search found."""
    tasks = [episode.task for episode in flown.idle.episodes]
    rows = []
    if sought.plan is not None:
        plans = [(task, sought.plan.best) for task in tasks]
        rows.append(SurveyRow(PLAN, SEARCHED, session.plans(PLAN, plans)))
    if sought.policy is not None:
        team = PolicyBatch([sought.policy.best] * len(tasks), POLICY)
        rows.append(SurveyRow(POLICY, SEARCHED, session.fly(team, tasks, whole=False)))
    return replace(flown, rows=[*flown.rows, *rows])


def worth(episodes: Sequence[Episode]) -> float:
    """The mean return of episodes that all fail; the least there is where one does not."""
    if any(e.success is not False or e.episode_return is None for e in episodes):
        return -math.inf
    return fmean(e.episode_return or 0.0 for e in episodes)
