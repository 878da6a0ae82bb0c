"""The intervals: published numbers, a known sample, and what a sample without spread is called."""

from __future__ import annotations

import numpy as np
import pytest

from flightrules.validation.intervals import bootstrap, summary, wilson


def test_wilson_agrees_with_published_numbers() -> None:
    """R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872, table I: 81/263, 15/148, 0/20, 1/29."""
    published = {(81, 263): (0.2553, 0.3662), (15, 148): (0.0624, 0.1605), (0, 20): (0.0, 0.1611)}
    published[1, 29] = (0.0061, 0.1718)
    for (won, flown), interval in published.items():
        assert wilson(won, flown) == pytest.approx(interval, abs=5e-5)


def test_the_bootstrap_is_that_of_its_generator_and_silent_on_constants() -> None:
    values = np.random.default_rng(1).normal(3.0, 1.0, 400)
    first, second = (bootstrap(values, np.random.default_rng(2)) for _ in range(2))
    assert first == second
    assert first is not None
    # A normal sample of 400: two standard errors are 0.1.
    assert np.subtract(first, values.mean()) == pytest.approx([-0.1, 0.1], abs=0.015)
    assert bootstrap([0.5, 0.5], np.random.default_rng(0)) is None


def test_a_summary_counts_what_was_flown() -> None:
    """Two episodes, one won, three of ten decisions illegal."""
    flown = [
        {"success": True, "score": 1.0, "decisions": 4, "illegal": 0},
        {"success": False, "score": 0.5, "decisions": 6, "illegal": 3},
    ]
    found = summary(flown, np.random.default_rng(0))
    assert found["success"] == {"mean": 0.5, "interval": wilson(1, 2)}
    assert found["score"]["mean"] == 0.75
    assert found["illegal_share"] == 0.3
    assert (found["decisions_per_episode"], found["episodes"]) == (5.0, 2)
