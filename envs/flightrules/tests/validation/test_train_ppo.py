"""The PPO baseline: its arguments, its record, and that a number of steps and a seed are a result."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")
train_ppo = pytest.importorskip("flightrules.validation.train_ppo")

SCRIPT = Path(__file__).parents[2] / "validation" / "train_ppo.py"


def run(*arguments: str) -> dict[str, Any]:
    """What the script prints."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=True
    )
    (line,) = done.stdout.splitlines()
    return json.loads(line)


def test_a_budget_is_minutes_or_steps() -> None:
    assert train_ppo.Budget(None, 100).left(0.25) == 0.25
    assert 0.99 < train_ppo.Budget(1.0, None).left(0.25) <= 1.0
    assert train_ppo.Budget(1e-9, None).left(0.25) == 0.0


@pytest.mark.parametrize(
    "wrong", [("--steps", "0"), ("--minutes", "-1"), ("--minutes", "nan"), ("--episodes", "0")]
)
def test_a_budget_of_nothing_is_misuse(
    wrong: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["train_ppo.py", *wrong])
    with pytest.raises(SystemExit) as refused:
        train_ppo.parse()
    assert refused.value.code == 2
    assert f"{wrong[0]} must be more than 0" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("stable_baselines3") is None,
    reason="stable-baselines3 is not installed; make test-all does",
)
def test_steps_and_a_seed_are_a_result(tmp_path: Path) -> None:
    """Twice the same, another seed another; the saved policy flies as the trained one did."""
    saved = tmp_path / "policy.zip"
    common = ("--steps", "8000", "--split", "validation", "--episodes", "20")
    record = tmp_path / "records" / "ppo.jsonl"
    first = run(*common, "--seed", "3", "--out", str(saved), "--record", str(record))
    second = run(*common, "--seed", "3", "--record", str(record))
    other = run(*common, "--seed", "4")
    assert [json.loads(line) for line in record.read_text().splitlines()] == [first, second]
    timing = {"train_s", "wall_s"}
    assert {key: first[key] for key in first.keys() - timing} == {
        key: second[key] for key in second.keys() - timing
    }
    assert first["score"] != other["score"]
    assert first["decisions"] >= 8000
    assert first["episodes"] == 20

    from stable_baselines3 import PPO

    from flightrules.missions.store import MissionStore

    again = train_ppo.judge(PPO.load(saved), "validation", "detumble", 20, MissionStore())
    assert np.mean([episode["score"] for episode in again]) == first["score"]["mean"]
