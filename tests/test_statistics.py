"""Intervals against published values and against their own definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from gonogo.statistics import (
    auroc,
    bootstrap_mean,
    chao1,
    improvement_percent,
    mcnemar,
    paired_difference,
    shapley,
    sign_flip,
    wilson,
)

OUTCOMES = st.lists(st.booleans(), min_size=1, max_size=60)
SCORES = st.lists(st.floats(0, 1), min_size=2, max_size=40)


def generator(seed: int = 7) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_wilson_reproduces_the_published_example() -> None:
    # R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 3: 81 of 263.
    estimate = wilson([True] * 81 + [False] * 182)
    assert estimate.ci95 is not None
    assert estimate.ci95 == pytest.approx((0.2553, 0.3662), abs=5e-5)


@pytest.mark.parametrize(
    ("hits", "n", "expected"), [(0, 20, (0.0, 0.1611)), (1, 29, (0.0061, 0.1718))]
)
def test_wilson_at_the_edges(hits: int, n: int, expected: tuple[float, float]) -> None:
    # The same table of Newcombe: 0 of 20 and 1 of 29.
    assert wilson([True] * hits + [False] * (n - hits)).ci95 == pytest.approx(expected, abs=5e-5)


@given(OUTCOMES)
def test_wilson_holds_the_rate_and_agrees_with_scipy(outcomes: list[bool]) -> None:
    estimate = wilson(outcomes)
    assert estimate.ci95 is not None
    low, high = estimate.ci95
    assert 0 <= low <= estimate.mean <= high <= 1
    reference = binomtest(sum(outcomes), len(outcomes)).proportion_ci(0.95, "wilson")
    assert (low, high) == pytest.approx((reference.low, reference.high), abs=1e-12)


@given(OUTCOMES)
def test_wilson_is_symmetric_in_success_and_failure(outcomes: list[bool]) -> None:
    one, other = wilson(outcomes).ci95, wilson([not value for value in outcomes]).ci95
    assert one is not None and other is not None
    assert one == pytest.approx((1 - other[1], 1 - other[0]), abs=1e-12)


def test_no_episode_has_no_rate() -> None:
    with pytest.raises(ValueError, match="at least one"):
        wilson([])


@pytest.mark.parametrize(("gained", "lost", "p"), [(0, 0, 1.0), (5, 0, 0.0625), (8, 2, 0.109375)])
def test_mcnemar_is_the_exact_sign_test(gained: int, lost: int, p: float) -> None:
    baseline = [False] * gained + [True] * lost + [True, False]
    candidate = [True] * gained + [False] * lost + [True, False]
    assert mcnemar(baseline, candidate) == pytest.approx(p)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_mcnemar_does_not_care_who_is_called_the_baseline(pairs: list[tuple[bool, bool]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    p = mcnemar(first, second)
    assert 0 < p <= 1
    assert p == pytest.approx(mcnemar(second, first))


@given(SCORES)
def test_a_bootstrap_stays_within_the_sample_and_repeats_with_its_seed(scores: list[float]) -> None:
    estimate = bootstrap_mean(scores, generator(), resamples=200)
    assert estimate == bootstrap_mean(scores, generator(), resamples=200)
    if estimate.ci95 is None:
        assert len(set(scores)) == 1
        return
    low, high = estimate.ci95
    slack = 1e-12
    assert min(scores) - slack <= low <= high <= max(scores) + slack


def test_a_bootstrap_interval_has_the_width_of_the_normal_one() -> None:
    scores = generator(1).normal(0.5, 0.1, size=400)
    estimate = bootstrap_mean(scores, generator())
    assert estimate.ci95 is not None
    half = 1.96 * scores.std() / math.sqrt(scores.size)
    assert estimate.ci95 == pytest.approx(
        (scores.mean() - half, scores.mean() + half), abs=0.05 * half
    )


def test_a_large_sample_is_resampled_in_chunks_without_changing_the_answer() -> None:
    scores = generator(2).random(1000)
    whole = bootstrap_mean(scores, generator(), resamples=2500)
    picks = generator().integers(0, 1000, size=(2500, 1000))
    expected = np.quantile(scores[picks].mean(axis=1), (0.025, 0.975))
    assert whole.ci95 == pytest.approx(tuple(expected))


@pytest.mark.parametrize("sample", [[0.05] * 200, [0.3]])
def test_a_constant_sample_is_said_to_be_constant(sample: list[float]) -> None:
    estimate = bootstrap_mean(sample, generator())
    assert estimate.ci95 is None
    assert estimate.mean == sample[0]
    assert estimate.note is not None and "constant" in estimate.note
    assert not estimate.above(-1)
    assert estimate.model_dump() == {"mean": sample[0], "ci95": None, "note": estimate.note}


@given(SCORES, st.floats(-0.5, 0.5))
def test_pairing_removes_what_the_tasks_have_in_common(scores: list[float], shift: float) -> None:
    # Exact in floats: the shift is added to zeros, the tasks' own values cancel by construction.
    zeros = [0.0] * len(scores)
    estimate = paired_difference(zeros, [shift] * len(scores), generator(), resamples=50)
    assert (estimate.mean, estimate.ci95) == (shift, None)
    assert paired_difference(scores, scores, generator(), resamples=50).mean == 0.0


def test_paired_samples_have_one_length() -> None:
    with pytest.raises(ValueError, match="one length, not 2 and 3"):
        paired_difference([0, 1], [0, 1, 2], generator())
    with pytest.raises(ValueError, match="one length"):
        mcnemar([True], [True, False])


@pytest.mark.parametrize("bad", [[], [[1.0, 2.0]], [float("nan"), 1.0], [float("inf")]])
def test_a_sample_that_cannot_be_judged_is_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="a sample"):
        bootstrap_mean(bad, generator())


@pytest.mark.parametrize(("better", "p"), [(0, 1), (1, 1), (4, 0.125), (5, 0.0625), (6, 0.03125)])
def test_few_tasks_that_are_better_are_not_above_chance_as_the_bootstrap_has_it(
    better: int, p: float
) -> None:
    base, other = np.zeros(100), np.zeros(100)
    other[:better] = 1
    assert sign_flip(base, other, generator()) == pytest.approx(p)
    if better == 4:
        assert paired_difference(base, other, generator()).above(0)


def test_flipped_signs_know_which_side_is_which_and_how_large_a_difference_is() -> None:
    scores = np.linspace(-1, 1, 40)
    assert sign_flip(scores, scores + 0.1, generator()) < 0.01
    assert sign_flip(scores, scores - 0.1, generator()) < 0.01
    assert sign_flip(scores, -scores, generator()) > 0.9


@pytest.mark.parametrize(
    ("base", "new", "expected"),
    [(0.0, 0.5, None), (0.2, 0.5, 150.0), (-0.2, 0.1, None), (0.5, 0.25, -50.0)],
)
def test_improvement_in_percent(base: float, new: float, expected: float | None) -> None:
    assert improvement_percent(base, new) == (None if expected is None else pytest.approx(expected))


@given(SCORES, SCORES)
def test_auroc_is_the_share_of_pairs_that_are_in_order(good: list[float], bad: list[float]) -> None:
    wins = [1.0 if g > b else 0.5 if g == b else 0.0 for g in good for b in bad]
    assert auroc(good, bad) == pytest.approx(sum(wins) / len(wins))


def test_chao1_counts_the_unseen_from_what_was_seen_once_and_twice() -> None:
    assert chao1([5, 3, 8]) == 3
    assert chao1([1, 1, 1, 2, 2, 7]) == 6 + 3 * 2 / (2 * 3)
    assert chao1([1, 1, 1]) == math.inf
    assert chao1([1]) == 1
    with pytest.raises(ValueError, match="at least once"):
        chao1([0, 2])


def test_chao1_is_near_the_truth_where_kinds_are_alike() -> None:
    drawn = generator().integers(0, 100, size=200)
    counts = [int(n) for n in np.bincount(drawn, minlength=100) if n]
    assert len(counts) < 95
    assert 92 <= chao1(counts) <= 112


def test_shapley_shares_a_glove_market() -> None:
    # Two left gloves and one right: the textbook game whose values are 1/6, 1/6 and 2/3.
    pairs = {frozenset("ac"), frozenset("bc"), frozenset("abc")}
    shares = shapley("abc", lambda some: float(some in pairs))
    assert shares == pytest.approx({"a": 1 / 6, "b": 1 / 6, "c": 2 / 3})


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6))
def test_shapley_of_a_sum_is_each_ones_own(values: list[float]) -> None:
    names = [str(n) for n in range(len(values))]
    shares = shapley(names, lambda some: math.fsum(values[int(n)] for n in some))
    assert [shares[name] for name in names] == pytest.approx(values)


def test_shapley_refuses_what_it_cannot_enumerate() -> None:
    with pytest.raises(ValueError, match="not of 13"):
        shapley([str(n) for n in range(13)], len)
