"""Whose episodes SFT learns from: a disturbed teacher's, or the best of the model's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

from gonogo.errors import Misuse
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Reply, View
from gonogo.training.teachers import NoisyTeacher, best_of


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


class Fixed:
    """Always the same action."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.heard: list[Any] = []

    def begin(self, slots: Iterable[int]) -> None:
        self.heard.append(("begin", list(slots)))

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        action = {"by": self.name, "where": self.name}
        return {slot: Reply(action=action) for slot in views}

    def end(self, slots: Iterable[int]) -> None:
        self.heard.append(("end", list(slots)))

    def close(self) -> None:
        self.heard.append("close")


@pytest.mark.parametrize(("together", "shared"), [(False, 0.03), (True, 0.1)])
def test_noise_replaces_each_field_as_often_as_it_says_where_it_says(
    together: bool, shared: float
) -> None:
    teacher, explorer = Fixed("teacher"), Fixed("explorer")
    noise = {"by": 0.3, "where": 0.1, "unsaid": 0.9}
    noisy = NoisyTeacher(
        teacher,
        explorer,
        lambda options: noise if options["level"] == "easy" else {},
        np.random.default_rng(0),
        together=together,
    )
    noisy.begin(iter([0, 1]))
    views = {
        slot: View("", {}, {"level": "easy" if slot < 4000 else "hard"}, 0) for slot in range(4100)
    }
    replies = noisy.act(views)
    assert all(
        replies[slot].action == {"by": "teacher", "where": "teacher"} for slot in range(4000, 4100)
    )
    assert not any(replies[slot].noisy for slot in range(4000, 4100))
    actions = [replies[slot].action or {} for slot in range(4000)]
    for slot, action in enumerate(actions):
        assert replies[slot].noisy == ("explorer" in action.values())
    noisy.end(iter([0]))
    noisy.close()
    assert all(set(action) == {"by", "where"} for action in actions)
    for name in ("by", "where"):
        share = sum(action[name] == "explorer" for action in actions) / 4000
        assert share == pytest.approx(noise[name], abs=0.025)
    both = sum(action == {"by": "explorer", "where": "explorer"} for action in actions) / 4000
    assert both == pytest.approx(shared, abs=0.01)
    for policy in (teacher, explorer):
        assert policy.heard == [("begin", [0, 1]), ("end", [0]), "close"]
