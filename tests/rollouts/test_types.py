"""A numbered task counts by index within a split, and by seed without one."""

from __future__ import annotations

from gonogo.rollouts.types import numbered


def test_a_task_is_numbered_within_its_split_or_by_its_seed() -> None:
    options = {"split": "train", "level": "easy"}
    assert numbered(options, 3) == {"split": "train", "level": "easy", "index": 3}
    assert numbered({"level": "easy"}, 3) == {"level": "easy", "seed": 3}
    assert "index" not in options
