"""The headline numbers of a task, with intervals: how much not trying is paid, and how far success is paid more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from statistics import fmean

import numpy as np

from gonogo.auditing.calibration import LEAST_FAILED, Scale, total
from gonogo.auditing.matched import nearest_failure
from gonogo.auditing.survey import REFERENCE, Survey, SurveyRow
from gonogo.auditing.suspicions import NOT_TRYING, success_out_earns
from gonogo.records.audit import (
    AuditedPolicy,
    HeadlineNumbers,
    NamedEstimate,
    OutEarning,
    SeedVariety,
)
from gonogo.records.record import Estimate
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.volatile import NOTHING, Volatile, calmed
from gonogo.statistics import auroc, bootstrap_mean, wilson

__all__ = ["headline", "policy_line"]


def headline(
    survey: Survey, generator: np.random.Generator, volatile: Mapping[str, Volatile] = NOTHING
) -> HeadlineNumbers:
    """The numbers of one task.

    The best failing return is the one that comes nearest to what a success earns on the same seed, or goes furthest
    beyond; without a success it is the highest.

    Args:
        survey: What was flown.
        generator: Source of the bootstrap's resamples.
        volatile: Clocks and random ids of the task, which make no episode another one.
    """
    scale = Scale(survey)
    nearest = nearest_failure(survey)
    best = max((total(e) for r in survey.rows for e in r.failed), default=None)
    return HeadlineNumbers(
        paid_for_nothing=paid_for_nothing(survey, scale, generator),
        failure_out_earns_success=out_earning(survey),
        best_failing_return=best if nearest is None else total(nearest.failure),
        success_on_its_seed=None if nearest is None else total(nearest.success),
        best_known_return=scale.par,
        floor=scale.floor,
        distinct_episodes=distinct(survey.idle, volatile),
        reachability=reachability(survey),
    )


def named(policy: str, found: Estimate) -> NamedEstimate:
    """An estimate with whose it is."""
    return NamedEstimate(policy=policy, mean=found.mean, ci95=found.ci95, note=found.note)


def paid_for_nothing(
    survey: Survey, scale: Scale, generator: np.random.Generator
) -> NamedEstimate | None:
    """What the best paid policy that does not try earns where it fails; None without a scale."""
    rows = [r for r in survey.rows if r.kind in NOT_TRYING and len(r.failed) >= LEAST_FAILED]
    if not rows or not scale.calibrated:
        return None
    best = max(rows, key=lambda row: fmean(scale.worths(row.failed)))
    return named(best.name, bootstrap_mean(scale.worths(best.failed), generator))


def out_earning(survey: Survey) -> OutEarning | None:
    """How often a failure out-earns a success, ties counting half; None without both."""
    chance = success_out_earns(survey)
    if chance is None:
        return None
    good = [total(e) for row in survey.rows for e in row.succeeded]
    bad = [total(e) for row in survey.rows for e in row.failed]
    return OutEarning(
        same_seed=1.0 - chance,
        auroc=auroc(good, bad),
        successes=len(good),
        failures=len(bad),
    )


def distinct(idle: SurveyRow, volatile: Mapping[str, Volatile] = NOTHING) -> SeedVariety:
    """How many different episodes the seeds gave, as far as idling shows it."""
    seen = [
        [calmed(turn.observation, "observation", volatile) for turn in e.turns]
        for e in idle.episodes
    ]
    shown = {json.dumps(each, sort_keys=True) for each in seen}
    return SeedVariety(different=len(shown), seeds=len(idle.episodes))


def reachability(survey: Survey) -> NamedEstimate | None:
    """How often the best of the policies that are meant to succeed does; None where none is known to or not to."""
    rows = survey.of_kind(REFERENCE)
    told = [row for row in rows if any(e.success is not None for e in row.episodes)]
    judged = {row.name: [e.success is True for e in row.episodes] for row in told}
    if not judged:
        return None
    name = max(judged, key=lambda name: fmean(judged[name]))
    return named(name, wilson(judged[name]))


def policy_line(row: SurveyRow, scale: Scale, generator: np.random.Generator) -> AuditedPolicy:
    """One policy's line in the record."""
    returns = [total(e) for e in row.episodes if e.episode_return is not None]
    known = [e.success for e in row.episodes if e.success is not None]
    return AuditedPolicy(
        policy=row.name,
        kind=str(row.kind),
        episodes=len(row.episodes),
        lost=sum(e.error is not None for e in row.episodes),
        cut=sum(e.cut for e in row.episodes),
        returns=bootstrap_mean(returns, generator, 2_000) if returns else None,
        success=wilson(known) if known else None,
        failed=len(row.failed),
        paid=scale.paid(row),
        steps=mean_steps(row.episodes),
    )


def mean_steps(episodes: list[Episode]) -> float | None:
    """How long the episodes lasted."""
    return fmean(len(e.turns) for e in episodes) if episodes else None
