"""The best of a model's own episodes: of each stage as many, none that is not better than another."""

from __future__ import annotations

import pytest

from gonogo.errors import Misuse
from gonogo.rollouts.episodes import Episode
from gonogo.training.rejection_sampling import best_of


def episode(level: str, index: int, score: float | None, error: str | None = None) -> Episode:
    task = {"level": level, "index": index}
    return Episode(index, task, "", "self", episode_return=score, error=error)


def test_each_stage_keeps_its_best_in_order() -> None:
    flown = [
        *(episode("easy", n, score) for n, score in enumerate([0.9, 0.7, 0.8, 0.6])),
        *(episode("hard", n, score) for n, score in enumerate([0.0, 0.1, 0.2, 0.0])),
    ]
    kept = [(e.task["level"], e.index) for e in best_of(flown, 0.5)]
    assert kept == [("easy", 0), ("easy", 2), ("hard", 1), ("hard", 2)]


def test_lost_and_unscored_episodes_and_the_worst_are_never_kept() -> None:
    flown = [
        episode("a", 0, None), episode("a", 1, 0.4, "crash"), episode("a", 2, 0.1), episode("a", 3, 0.2),
        episode("b", 4, 0.5), episode("b", 5, 0.5),
    ]  # fmt: skip
    assert [e.index for e in best_of(flown, 1.0)] == [3]


def test_episodes_that_all_score_the_same_teach_nothing() -> None:
    with pytest.raises(Misuse, match=r"none of the model's 2 scored episodes of 3 is better"):
        best_of([episode("a", 0, 0.5), episode("a", 1, 0.5), episode("a", 2, None)], 0.5)
