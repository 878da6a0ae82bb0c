"""Tasks are what their plan says."""

from __future__ import annotations

from gonogo import config


def test_tasks_count_up_from_their_start() -> None:
    held_out = config.EvaluationConfig(
        split="test", level="detumble", start=5, episodes=2, policies=("idle",)
    )
    assert held_out.tasks() == [
        {"split": "test", "level": "detumble", "index": 5},
        {"split": "test", "level": "detumble", "index": 6},
    ]
    seeded = config.EvaluationConfig(options={"size": 3}, episodes=1, policies=("idle",))
    assert seeded.tasks() == [{"size": 3, "seed": 0}]
    kinds = config.EvaluationConfig(in_turn=({"task": "a"}, {"task": "b"}), start=7, episodes=3)
    assert kinds.tasks() == [
        {"task": "a", "seed": 7},
        {"task": "b", "seed": 8},
        {"task": "a", "seed": 9},
    ]
