"""Numbers that carry their uncertainty: intervals, paired differences, exact tests.

All policies fly the same tasks, so every comparison here is paired. Successes get Wilson intervals
and McNemar's exact test; scores get percentile bootstraps with a generator that the caller passes.

A sample whose values are all the same says nothing about its spread: resampling it gives an
interval of width 0, which reads as certainty. Such a sample is reported as constant instead:
``ci95`` is None and ``note`` says why. The same holds for a single value.

Nothing here reads episodes, knows policies or decides what is good enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gonogo.records.record import Estimate

Z95 = 1.959963984540054
"""The 0.975 quantile of the standard normal distribution."""

RESAMPLES = 10_000
"""Bootstrap resamples: the ends of a 95 % interval then move by about 1 % of its width."""

_CHUNK_ELEMENTS = 2_000_000


def wilson(successes: Sequence[bool] | NDArray[np.bool_]) -> Estimate:
    """Success rate with Wilson's score interval.

    Unlike a bootstrap, it keeps its width when all or none succeed, so it needs no exception for a
    constant sample.

    Args:
        successes: One value an episode, shape (n,).

    Returns:
        The rate and its interval, both in [0, 1].

    Raises:
        ValueError: There are no values.

    Source:
        E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
        J. Am. Stat. Assoc. 22 (1927) 209-212.
    """
    outcomes = np.asarray(successes, dtype=bool)
    n = outcomes.size
    if n == 0:
        raise ValueError("a success rate needs at least one episode")
    rate = float(outcomes.mean())
    shrink = 1.0 + Z95**2 / n
    center = (rate + Z95**2 / (2 * n)) / shrink
    half = Z95 / shrink * math.sqrt(rate * (1 - rate) / n + Z95**2 / (4 * n**2))
    # At 0 and n successes an end is exactly 0 or 1; rounding must not move it past the rate.
    low = 0.0 if rate == 0.0 else max(0.0, center - half)
    high = 1.0 if rate == 1.0 else min(1.0, center + half)
    return Estimate(mean=rate, ci95=(low, high))


def bootstrap_mean(
    values: ArrayLike, generator: np.random.Generator, resamples: int = RESAMPLES
) -> Estimate:
    """Mean with a percentile bootstrap interval; a constant sample is reported, not resampled.

    Args:
        values: One value an episode, shape (n,), finite.
        generator: Source of the resamples; the same state gives the same interval.
        resamples: How many samples of size n are drawn with replacement.

    Returns:
        The mean and its interval.

    Raises:
        ValueError: There are no values, they are not one-dimensional, or one is not finite.

    Source:
        B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13.
    """
    sample = _sample(values)
    n = sample.size
    if np.all(sample == sample[0]):
        note = "one value only" if n == 1 else f"all {n} values are equal"
        said = f"constant sample: {note}, so no interval"
        return Estimate(mean=float(sample[0]), ci95=None, note=said)
    means = np.empty(resamples)
    chunk = max(1, _CHUNK_ELEMENTS // n)
    for start in range(0, resamples, chunk):
        stop = min(start + chunk, resamples)
        picks = generator.integers(0, n, size=(stop - start, n))
        means[start:stop] = sample[picks].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return Estimate(mean=float(sample.mean()), ci95=(float(low), float(high)))


def paired_difference(
    baseline: ArrayLike,
    candidate: ArrayLike,
    generator: np.random.Generator,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Mean of candidate minus baseline, task by task, with a paired bootstrap interval.

    Args:
        baseline: One value a task, shape (n,).
        candidate: One value a task, in the same order, shape (n,).
        generator: Source of the resamples.
        resamples: How many samples of size n are drawn with replacement.

    Returns:
        The mean difference and its interval.

    Raises:
        ValueError: The two differ in length, are empty, or hold a value that is not finite.
    """
    first, second = _paired(baseline, candidate)
    return bootstrap_mean(second - first, generator, resamples)


def mcnemar(baseline: Sequence[bool], candidate: Sequence[bool]) -> float:
    """Two-sided exact p-value of McNemar's test on paired successes.

    Only the tasks on which the two disagree count; under the null hypothesis each of them is as
    likely to go one way as the other. With no such task the p-value is 1.

    Args:
        baseline: One success a task, shape (n,).
        candidate: One success a task, in the same order, shape (n,).

    Returns:
        The p-value in (0, 1].

    Raises:
        ValueError: The two differ in length or are empty.

    Source:
        Q. McNemar, "Note on the sampling error of the difference between correlated proportions
        or percentages", Psychometrika 12 (1947) 153-157; the exact form is a sign test.
    """
    # Read when it is used: scipy.stats takes most of a second, and most commands need none of it.
    from scipy.stats import binomtest

    first, second = _paired(np.asarray(baseline, dtype=bool), np.asarray(candidate, dtype=bool))
    gained = int(np.sum(second > first))
    lost = int(np.sum(second < first))
    if gained + lost == 0:
        return 1.0
    return float(binomtest(gained, gained + lost, 0.5).pvalue)


def sign_flip(baseline: ArrayLike, candidate: ArrayLike, generator: np.random.Generator) -> float:
    """Two-sided p-value of a paired difference of means by flipping the signs of the tasks' differences.

    A percentile bootstrap of few differences that are not 0 ends above 0 too easily: of 100 tasks of which four are
    better and none is worse, it says [0.01, 0.08], and this test 0.125. Exact up to 13 such differences, else by
    :data:`RESAMPLES` random flips.

    Args:
        baseline: One value a task, shape (n,).
        candidate: One value a task, in the same order, shape (n,).
        generator: Source of the random flips.

    Returns:
        The p-value in (0, 1]; 1 where at most one task differs.

    Raises:
        ValueError: The two differ in length, are empty, or hold a value that is not finite.

    Source:
        R. A. Fisher, "The Design of Experiments" (1935), chapter 3.
    """
    from scipy.stats import permutation_test

    first, second = _paired(baseline, candidate)
    differences = (second - first)[second != first]  # a difference of 0 has no sign to flip
    if differences.size < 2:
        return 1.0
    result = permutation_test(
        (differences,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=max(1, _CHUNK_ELEMENTS // differences.size),
        rng=generator,
    )
    return float(result.pvalue)


def improvement_percent(baseline: float, candidate: float) -> float | None:
    """Change in percent of the baseline; None where that is not above 0 and a percentage would mean nothing."""
    if baseline <= 0:
        return None
    return 100.0 * (candidate - baseline) / baseline


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """Probability that a positive's value exceeds a negative's, ties counting half.

    Args:
        positives: Not empty.
        negatives: Not empty.
    """
    from scipy.stats import mannwhitneyu

    pairs = len(positives) * len(negatives)
    return float(mannwhitneyu(positives, negatives).statistic) / pairs


def chao1(counts: Sequence[int]) -> float:
    """How many kinds there are in all, from how often each kind was drawn; a lower bound.

    Args:
        counts: Draws of each kind that was seen, all at least 1.

    Returns:
        Kinds seen and unseen; infinite where every draw was a kind of its own, which bounds nothing.

    Raises:
        ValueError: A count is below 1.

    Source:
        A. Chao, "Nonparametric estimation of the number of classes in a population", Scandinavian
        Journal of Statistics 11 (1984) 265-270; the bias-corrected form.
    """
    if any(count < 1 for count in counts):
        raise ValueError("a kind that was seen was drawn at least once")
    once, twice = counts.count(1), counts.count(2)
    if once == len(counts) > 1:
        return math.inf
    return len(counts) + once * (once - 1) / (2 * (twice + 1))


def shapley(players: Sequence[str], value: Callable[[frozenset[str]], float]) -> dict[str, float]:
    """Each player's share of what all earn together: its mean marginal value over all orders of joining.

    All subsets are enumerated, 2 to the power of the number of players.

    Args:
        players: At most 12.
        value: What a subset earns; of the empty one, what is earned without anybody.

    Raises:
        ValueError: There are more than 12 players.

    Source:
        L. S. Shapley, "A value for n-person games", Contributions to the Theory of Games II (1953) 307-317.
    """
    n = len(players)
    if n > 12:
        raise ValueError(f"the subsets of at most 12 players are enumerated, not of {n}")
    worth = {
        frozenset(some): value(frozenset(some))
        for size in range(n + 1)
        for some in combinations(players, size)
    }
    return {
        player: math.fsum(
            (worth[some | {player}] - worth[some]) / (n * math.comb(n - 1, len(some)))
            for some in worth
            if player not in some
        )
        for player in players
    }


def _sample(values: ArrayLike) -> NDArray[np.float64]:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or sample.size == 0:
        raise ValueError(f"a sample is one-dimensional and not empty, not of shape {sample.shape}")
    if not np.all(np.isfinite(sample)):
        raise ValueError("a sample holds finite numbers only")
    return sample


def _paired(
    baseline: ArrayLike, candidate: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first, second = _sample(baseline), _sample(candidate)
    if first.size != second.size:
        raise ValueError(f"paired samples have one length, not {first.size} and {second.size}")
    return first, second
