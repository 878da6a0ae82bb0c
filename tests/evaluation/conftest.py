"""What evaluations are made of: training logs, and a file of episodes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.recorded import POLICIES, run_of

from gonogo import api
from gonogo.evaluation import evaluate as station
from gonogo.records.record import Verdict


def training_rows() -> list[dict[str, Any]]:
    """Rows as the train station logs them: sparse in the supervised part, dense after it."""
    rows: list[dict[str, Any]] = [{"stage": "sft", "step": step, "loss": 1.0} for step in range(9)]
    for row in rows[::4]:
        row["validation/score"] = 0.05 * row["step"]
    for step in range(1, 6):
        level = 0.4 + 0.05 * step
        rows.append(
            {
                "stage": "grpo",
                "step": step,
                "reward/overall": level,
                "reward/primary": level + 0.1,
                "reward/process": None,
                "episode/success_rate": level,
            }
        )
    return rows


@pytest.fixture
def training() -> Callable[[Path], None]:
    """Write a training log."""

    def write(path: Path) -> None:
        path.write_text("".join(json.dumps(row) + "\n" for row in training_rows()))

    return write


@pytest.fixture(scope="module")
def flown(gridworld: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six episodes each of three policies."""
    out = tmp_path_factory.mktemp("flown")
    run = run_of(gridworld, out, ["idle", "random", "walker"], split="test", episodes=6)
    assert not api.rollout(run, file=out / "deeper" / "episodes.jsonl").lost
    return out / "deeper" / "episodes.jsonl"


@pytest.fixture(scope="session")
def evaluated(gridworld: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody changes: twelve test tasks flown by three policies."""
    out = tmp_path_factory.mktemp("evaluated")
    run = run_of(gridworld, out, POLICIES, split="test", episodes=12)
    assert station.run(run) is Verdict.HOLD  # no trained model
    return out
