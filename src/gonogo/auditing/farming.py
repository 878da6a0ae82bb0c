"""Does it pay to go on? Return against length over the episodes that fail, and what cycles earn. Reported only."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from gonogo.auditing.calibration import Scale, total
from gonogo.auditing.survey import FARM, Survey, SurveyRow
from gonogo.records.audit import FarmedCycle, FarmingFigures, LengthTrend
from gonogo.records.record import Estimate
from gonogo.rollouts.episodes import Episode

__all__ = ["farming"]

LEAST = 4


def farming(flown: Survey) -> FarmingFigures:
    """What the record says of farming."""
    scale = Scale(flown)
    failed = [e for row in flown.rows for e in row.failed]
    cycles = [farmed(row, scale) for row in flown.of_kind(FARM) if row.failed]
    return FarmingFigures(
        length=against_length(failed),
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
    slope, half = (
        float(line.slope),
        float(t.ppf(0.975, len(failed) - 2)) * float(line.stderr),
    )
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
