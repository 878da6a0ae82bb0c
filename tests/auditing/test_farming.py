"""Return against length, over failures made by hand and over real ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gonogo.auditing.farming import against_length, farming
from gonogo.auditing.survey import FARM, Survey, SurveyRow
from gonogo.rollouts.episodes import Episode, Turn


def episode(steps: int, paid: float) -> Episode:
    turns = [Turn("", {}, action={}, reward=paid / steps) for _ in range(steps)]
    return Episode(0, {}, "t", "p", turns=turns, episode_return=paid, success=False)


def test_a_reward_a_step_is_seen_with_its_interval() -> None:
    found = against_length([episode(n, 0.1 * n + 0.01 * (n % 2)) for n in range(1, 21)])
    assert found.spearman is not None and found.spearman > 0.95
    slope = found.slope_per_step
    low, high = slope.ci95
    assert low < slope.mean < high
    assert low < 0.1 < high


def test_equal_lengths_tell_nothing() -> None:
    found = against_length([episode(5, 0.1 * n) for n in range(9)])
    assert (found.spearman, found.slope_per_step) == (None, None)
    assert "lengths" in (found.note or "")


def test_real_failures_of_different_lengths_are_counted(opened: Callable[..., Any]) -> None:
    _, survey = opened("memorisable_tasks:Sound", "random")
    found = farming(survey)
    failed = [e for row in survey.rows for e in row.failed]
    assert found.length.episodes == len(failed) > 0
    assert found.cycles == ()


def test_cycles_are_listed_with_what_they_earn(opened: Callable[..., Any]) -> None:
    _, survey = opened("memorisable_tasks:Sound", "random")
    rows = [*survey.rows, SurveyRow("round", FARM, [episode(4, 2.0), episode(2, 2.0)])]
    (cycle,) = farming(Survey({}, rows)).cycles
    assert (cycle.cycle, cycle.total) == ("round", 2.0)
    assert cycle.return_per_step == pytest.approx(0.75)
