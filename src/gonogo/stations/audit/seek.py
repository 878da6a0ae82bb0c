"""The search of an audit: an open-loop plan whose episodes fail and are paid, on several seeds at once.

One plan has to do for all the seeds, so that what is found does not rest on one seed's luck. It is then
flown on all seeds as one more row, and judged like the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

import numpy as np

from gonogo.exploits.search import Found, search
from gonogo.rollout.episodes import Episode
from gonogo.rollout.protocols import Json
from gonogo.rollout.space import Space
from gonogo.stations.audit.airfield import Airfield
from gonogo.stations.audit.survey import REFERENCE, Survey, actions_of

__all__ = ["seek"]

TOGETHER = 3
CONSTANTS = 12
PROGRESS = 20
"""Flights that a search counts for in the progress, whatever its budget."""


def seek(field: Airfield, flown: Survey, budget: int, rng: np.random.Generator) -> Found | None:
    """Search for a plan.

    Args:
        field: Where.
        flown: The survey; the search begins with its constants and with what succeeds.
        budget: Environment steps to spend.
        rng: Source of what is drawn.
    """
    if all(e.success is None for row in flown.rows for e in row.episodes):
        return None  # without a word for success no plan is known to fail
    space = Space(field.action_schema, field.tools)
    tasks = [episode.task for episode in flown.idle.episodes[:TOGETHER]]

    def evaluate(plans: Sequence[Sequence[Json]]) -> tuple[list[float], int]:
        before = field.steps
        episodes = field.plans("search", [(task, plan) for plan in plans for task in tasks])
        spent = field.steps - before
        field.part.advance(PROGRESS * spent / budget)
        each = [episodes[n : n + len(tasks)] for n in range(0, len(episodes), len(tasks))]
        return [worth(some) for some in each], spent

    field.part.expect(PROGRESS)
    starts = [[action] for action in space.constants(CONSTANTS)]
    known = [row.succeeded for row in flown.of_kind(REFERENCE)]
    starts += [actions_of(episodes[0].turns) for episodes in known if episodes]
    return search(evaluate, space.sample, starts, budget, rng)


def worth(episodes: Sequence[Episode]) -> float:
    """The mean return of a plan that fails everywhere; the least there is for one that does not."""
    if any(e.success is not False or e.episode_return is None for e in episodes):
        return -math.inf
    return fmean(e.episode_return or 0.0 for e in episodes)
