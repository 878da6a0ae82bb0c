"""What the record says of a task in figures and words: the headline numbers, farming, and the answers of a review.

The headline numbers, with intervals, say how much not trying is paid, and how far success is paid more. Farming is
whether it pays to go on: return against length over the episodes that fail, and what cycles earn; it is reported
only. The questions of a reward review are answered for each component from what was flown and read. What does it
measure, and where does it come from? On which scale? Can it stand alone, or compose with others? What is its
cheapest exploit? An environment without components has one answer, about its return.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np

from gonogo.auditing.matching import nearest_failure
from gonogo.auditing.survey import FARM, LEAST_FAILED, REFERENCE, Scale, Survey, SurveyRow, total
from gonogo.auditing.suspicions import NOT_TRYING, success_out_earns
from gonogo.records.audit import (
    AuditedComponent,
    AuditedPolicy,
    FarmedCycle,
    FarmingFigures,
    HeadlineNumbers,
    LengthTrend,
    NamedEstimate,
    OutEarning,
    ReviewAnswers,
    RewardComponents,
    SeedVariety,
)
from gonogo.records.contract import ContractReport
from gonogo.records.record import Estimate
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.volatile import NOTHING, Volatile, calmed
from gonogo.statistics import auroc, bootstrap_mean, wilson

LEAST = 4
WHOLE = "the return"
APART = 0.95
"""Correlation from which two components say the same."""


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
    best = max(map(total, survey.failed), default=None)
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
    good, bad = survey.succeeded, survey.failed
    return OutEarning(
        same_seed=1.0 - chance,
        auroc=auroc([total(e) for e in good], [total(e) for e in bad]),
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
    open_ = [2 * e.invalid_count > len(e.turns) for e in row.episodes if e.cut]
    return AuditedPolicy(
        policy=row.name,
        kind=str(row.kind),
        episodes=len(row.episodes),
        lost=sum(e.error is not None for e in row.episodes),
        cut=len(open_) - sum(open_),
        refused=sum(open_),
        returns=bootstrap_mean(returns, generator, 2_000) if returns else None,
        success=wilson(known) if known else None,
        failed=len(row.failed),
        paid=scale.paid(row),
        steps=fmean(len(e.turns) for e in row.episodes) if row.episodes else None,
    )


def farming(flown: Survey) -> FarmingFigures:
    """What the record says of farming."""
    scale = Scale(flown)
    cycles = [farmed(row, scale) for row in flown.of_kind(FARM) if row.failed]
    return FarmingFigures(
        length=against_length(flown.failed),
        cycles=tuple(sorted(cycles, key=lambda cycle: -cycle.total)),
    )


def against_length(failed: Sequence[Episode]) -> LengthTrend:
    """Return against the number of steps."""
    from scipy.stats import (  # read when it is used, for it takes most of a second
        linregress,
        spearmanr,
        t,
    )

    steps = [len(e.turns) for e in failed]
    returns = [total(e) for e in failed]
    if len(failed) < LEAST or len(set(steps)) < 2 or len(set(returns)) < 2:
        why = "too few failures, or their lengths or returns are all the same"
        return LengthTrend(episodes=len(failed), spearman=None, slope_per_step=None, note=why)
    line = linregress(steps, returns)
    slope, half = float(line.slope), float(t.ppf(0.975, len(failed) - 2)) * float(line.stderr)
    return LengthTrend(
        episodes=len(failed),
        spearman=float(spearmanr(steps, returns).statistic),
        slope_per_step=Estimate(mean=slope, ci95=(slope - half, slope + half)),
        note=None,
    )


def farmed(row: SurveyRow, scale: Scale) -> FarmedCycle:
    """One cycle: what it earns in all, in each step, and on the scale."""
    return FarmedCycle(
        cycle=row.name,
        episodes=len(row.failed),
        total=fmean(map(total, row.failed)),
        return_per_step=fmean(total(e) / len(e.turns) for e in row.failed),
        paid=scale.paid(row),
    )


def review(
    components: RewardComponents, numbers: HeadlineNumbers, card: ContractReport
) -> tuple[ReviewAnswers, ...]:
    """The answers, a component each.

    Args:
        components: A task's components.
        numbers: Its headline numbers.
        card: The map.
    """
    parts = components.components
    if not parts:
        return (review_return(numbers, card),)
    return tuple(
        ReviewAnswers(
            component=part.name,
            measures=measures(part),
            source=source(part.name, card),
            scale=scale(part),
            composition=composition(part, components),
            exploit=exploit(part),
        )
        for part in parts
    )


def review_return(numbers: HeadlineNumbers, card: ContractReport) -> ReviewAnswers:
    """The answers for a return that shows no components."""
    order, paid = numbers.failure_out_earns_success, numbers.paid_for_nothing
    known = numbers.best_known_return
    places = card.reward.places or ()
    return ReviewAnswers(
        component=WHOLE,
        measures="success cannot be told"
        if order is None
        else f"tells success from failure with AUROC {order.auroc:.2f}",
        source="; ".join(f"{p.file}:{p.line}" for p in places[:3]) or "not known",
        scale="no success is known"
        if known is None
        else f"{numbers.floor:g} to {known:g}, nothing to success",
        composition="alone: the environment shows no components",
        exploit="not known"
        if paid is None
        else f"{paid.policy}: {paid.mean:.2f} of a success's return where it fails",
    )


def measures(part: AuditedComponent) -> str:
    """What a component goes with."""
    if part.constant:
        return f"nothing that was flown: always {part.max:g}"
    said = []
    if part.auroc_success is not None:
        said.append(f"tells success from failure with AUROC {part.auroc_success:.2f}")
    if part.correlation_return is not None:
        said.append(f"correlates with the return by {part.correlation_return:.2f}")
    return ", ".join(said) or "success cannot be told"


def source(name: str, card: ContractReport) -> str:
    """Where a component is written, as the map saw it."""
    written = {each.name: each.place for each in card.reward.breakdown}
    rubric = next((node for node in card.reward.rubrics() if node.name == name), None)
    place = written.get(name) or rubric
    return "its code was not found" if place is None else f"{place.file}:{place.line}"


def scale(part: AuditedComponent) -> str:
    """The range, and what it is normalised to."""
    kept = {"weight": f"within its weight {part.weight}", "unit": "within [0, 1]"}
    said = kept.get(part.normalised or "", "not normalised")
    return f"{part.min:g} to {part.max:g}, mean {part.mean:g}: {said}"


def composition(part: AuditedComponent, components: RewardComponents) -> str:
    """How a component enters the return, and which others say the same."""
    name, rule = part.name, components.rule
    if rule is None:
        said = "how it enters the return is not known"
    elif rule.endswith("sum"):
        said = f"adds to the return, times {part.factor:g}"
    else:
        said = f"enters by the {rule} of all components"
    same = [
        next(other for other in found.pair if other != name)
        for found in components.correlations or ()
        if name in found.pair and found.r is not None and abs(found.r) >= APART
    ]
    return f"{said}; says the same as {', '.join(same)}" if same else said


def exploit(part: AuditedComponent) -> str:
    """The cheapest way to a component without success."""
    cheapest = part.cheapest
    if cheapest is None:
        return "no policy that does not try failed"
    share = cheapest.mean / part.max if part.max > 0 else None
    of = "" if share is None else f", {share:.0%} of the most seen"
    return f"{cheapest.policy}: gets {cheapest.mean:g}{of}, where it fails"
