"""Means with their 95 % intervals: Wilson's for shares, a percentile bootstrap for scores.

They cover missions, not training seeds. Needs scipy, which the extras ``handbook`` and ``ppo`` bring.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

RESAMPLES = 10_000
"""Resamples of the bootstrap."""


def wilson(successes: int, episodes: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a share."""
    low, high = stats.binomtest(successes, episodes).proportion_ci(method="wilson")
    return float(low), float(high)


def bootstrap(values: Sequence[float], rng: Generator) -> tuple[float, float] | None:
    """Percentile 95 % interval of a mean; None where all values are equal."""
    if np.ptp(values) == 0.0:
        return None
    resampled = stats.bootstrap(
        (values,), np.mean, n_resamples=RESAMPLES, method="percentile", rng=rng
    )
    low, high = resampled.confidence_interval
    return float(low), float(high)


def summary(flown: Sequence[dict[str, Any]], rng: Generator) -> dict[str, Any]:
    """Episodes in numbers: means with intervals, and what was flown.

    Args:
        flown: Of each episode ``success``, ``score``, ``decisions`` taken and ``illegal`` ones among them.
        rng: Source of the bootstrap's resamples.
    """
    won = [bool(episode["success"]) for episode in flown]
    scores = [float(episode["score"]) for episode in flown]
    decisions = sum(episode["decisions"] for episode in flown)
    return {
        "success": {"mean": sum(won) / len(won), "interval": wilson(sum(won), len(won))},
        "score": {"mean": float(np.mean(scores)), "interval": bootstrap(scores, rng)},
        "illegal_share": sum(episode["illegal"] for episode in flown) / decisions,
        "decisions_per_episode": decisions / len(flown),
        "episodes": len(flown),
    }
