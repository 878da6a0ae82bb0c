"""An estimate and its interval."""

from __future__ import annotations

from gonogo.statistics import (
    Estimate,
)


def test_an_estimate_is_above_a_bar_only_with_its_whole_interval() -> None:
    assert Estimate(mean=0.8, ci95=(0.71, 0.9)).above(0.7)
    assert not Estimate(mean=0.8, ci95=(0.69, 0.9)).above(0.7)


def test_the_ends_of_a_constant_sample_are_its_mean() -> None:
    assert Estimate(mean=0.5, ci95=None, note="constant").ends == (0.5, 0.5)
    assert Estimate(mean=0.5, ci95=(0.4, 0.6)).ends == (0.4, 0.6)
    assert Estimate(mean=None, ci95=None).ends is None
    assert not Estimate(mean=0.5, ci95=None).above(0.0)
