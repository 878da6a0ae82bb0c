"""The whole demo, small, on an environment that is not ours: from nothing to a verdict, once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("trl", reason="the train extra is not installed")

METRICS = {"reward/overall", "episode/timeout_rate", "episode/success_rate"}
PARTS = {"reward/reach", "reward/speed"}
"""What the gridworld's reward is made of."""


def settings(target: Path, out: Path) -> dict[str, Any]:
    return {
        "target": str(target),
        "out": str(out),
        "seed": 7,
        "model": {
            "hidden": 64,
            "intermediate": 128,
            "layers": 2,
            "heads": 2,
            "vocabulary": 320,
            "context": 1024,
        },
        "theme": {"required": False},
        "audit": {"seeds": 6, "search": 600},
        "rollout": {"slots": 32, "max_turns": 12, "max_reply_tokens": 24},
        "train": {
            "validation": {
                "tasks": {"options": {"split": "train"}, "start": 10_000},
                "episodes": 16,
            },
            "curriculum": {"stages": [{"name": "all", "options": {"split": "train"}}]},
            "sft": {
                "episodes": 100,
                "max_steps": 60,
                "learning_rate": 5e-3,
                "warmup_steps": 5,
                "validate_every": 20,
            },
            "grpo": {"steps": 2, "tasks_per_step": 2, "group_size": 4, "validate_every": 1},
        },
        "evaluation": {
            "split": "test",
            "episodes": 20,
            "policies": [
                *("idle", "random", "walker", "untrained", "sft", "trained", "trained_sampled")
            ],
            "compare": [["untrained", "trained"], ["sft", "trained"]],
            "memorisation": True,  # there are but 48 goals
        },
    }


def demo(config: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gonogo", "demo", "--config", str(config)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


@pytest.mark.long
def test_the_demo_trains_and_judges_a_foreign_environment(walked: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump(settings(walked, out)))

    first = demo(config)
    assert first.returncode == 1, first.stdout + first.stderr
    evaluation = json.loads((out / "evaluation.json").read_text())
    assert evaluation["schema"] == "gonogo/evaluation/2"
    assert evaluation["policies"]["untrained"]["decoding"] == "greedy"
    assert evaluation["policies"]["trained_sampled"]["decoding"] == "sampled"
    better = evaluation["comparisons"][0]
    assert (better["baseline"], better["candidate"]) == ("untrained", "trained")
    assert better["score_difference"]["ci95"][0] > 0
    rows = [json.loads(line) for line in (out / "training.jsonl").read_text().splitlines()]
    flown = [row for row in rows if row["stage"] == "grpo" and row["step"] > 0]
    assert len(flown) == 2
    assert all(row.keys() >= METRICS | PARTS for row in flown)
    assert {path.name for path in out.glob("*.png")} == {"before_after.png", "reward_curve.png"}
    for record in ("map", "audit", "train", "report"):
        assert json.loads((out / f"{record}.json").read_text())["verdict"] == "GO", record
    # Two steps of reinforcement make nothing that is better than imitation, and there are but 48 goals.
    assert evaluation["verdict"] == "NO_GO"
    criteria = {row["id"]: row["verdict"] for row in evaluation["criteria"]}
    assert criteria["success"] == criteria["above_untrained"] == criteria["above_idle"] == "GO"
    assert criteria["above_sft"] == "NO_GO"
    assert criteria["held_out"] == "HOLD"

    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.name != "demo.json"}
    again = demo(config)
    assert again.returncode == 1, again.stderr
    assert "done before" in again.stderr
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_demo_with_its_station(
    walked: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """The training saves itself, nothing after it begins, and the same command goes on from its checkpoint."""
    out, file = tmp_path / "run", tmp_path / "config.yaml"
    asked = settings(walked, out)
    asked["audit"] = {"seeds": 4, "search": 0}
    asked["train"]["sft"] |= {"episodes": 20, "max_steps": 100_000, "validate_every": 100_000}
    file.write_text(yaml.safe_dump(asked))
    log = out / "training.jsonl"
    with subprocess.Popen(
        [sys.executable, "-m", "gonogo", "demo", "--config", str(file)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    ) as process:
        deadline = time.monotonic() + 300
        while process.poll() is None and time.monotonic() < deadline:
            if log.is_file() and log.read_text().count("\n") > 3:
                break
            time.sleep(0.1)
        process.send_signal(number)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 128 + number, said
    assert f"interrupted; to go on: gonogo demo --config {file}" in said
    assert "4/5 evaluate" not in said and "Traceback" not in said
    saved = sorted((out / "sft").glob("checkpoint-*"))
    assert (
        saved and "verdict" not in json.loads((out / "demo.json").read_text())["stations"]["train"]
    )
