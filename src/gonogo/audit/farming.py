"""Does it pay to go on? Return against length over the episodes that fail, and what cycles earn. Reported only."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from gonogo.audit.calibration import Scale, total
from gonogo.audit.survey import FARM, Survey, SurveyRow
from gonogo.rollout.episodes import Episode
from gonogo.rollout.types import Json

__all__ = ["farming"]

LEAST = 4


def farming(flown: Survey) -> Json:
    """What the record says of farming.

    Returns:
        ``length`` (Spearman's rank correlation of return and steps over failed episodes, the least-squares slope
        per step with its 95 % interval; or why there is none) and ``cycles``, the best paid first.
    """
    scale = Scale(flown)
    failed = [e for row in flown.rows for e in row.failed]
    cycles = [cycle_json(row, scale) for row in flown.of_kind(FARM) if row.failed]
    return {
        "length": against_length(failed),
        "cycles": sorted(cycles, key=lambda cycle: -cycle["return"]),
    }


def against_length(failed: Sequence[Episode]) -> Json:
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
        return {"episodes": len(failed), "spearman": None, "slope_per_step": None, "note": why}
    line = linregress(steps, returns)
    half = float(t.ppf(0.975, len(failed) - 2)) * float(line.stderr)
    return {
        "episodes": len(failed),
        "spearman": float(spearmanr(steps, returns).statistic),
        "slope_per_step": {
            "mean": float(line.slope),
            "ci95": [float(line.slope) - half, float(line.slope) + half],
        },
        "note": None,
    }


def cycle_json(row: SurveyRow, scale: Scale) -> Json:
    """One cycle: what it earns in all, in each step, and on the scale."""
    return {
        "cycle": row.name,
        "episodes": len(row.failed),
        "return": fmean(map(total, row.failed)),
        "return_per_step": fmean(total(e) / len(e.turns) for e in row.failed),
        "paid": scale.paid(row),
    }
