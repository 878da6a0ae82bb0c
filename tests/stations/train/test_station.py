"""The train station on a foreign environment: an interrupt is a HOLD, the same command goes on to GO."""

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

from gonogo.config import RunConfig
from gonogo.errors import Misuse
from gonogo.records import read_lines
from gonogo.stations.train import station

STEPS = 300
SETTINGS: dict[str, Any] = {
    "seed": 3,
    "model": {"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "vocabulary": 300},
    "rollout": {"slots": 8, "max_turns": 4, "max_reply_tokens": 16},
    "train": {
        "validation": {"tasks": {"options": {"split": "train"}, "start": 900}, "episodes": 4},
        "curriculum": {"stages": [{"name": "all", "options": {"split": "train"}}]},
        "sft": {"episodes": 12, "max_steps": STEPS, "batch": 4, "validate_every": STEPS},
        "grpo": {"steps": 2, "tasks_per_step": 1, "group_size": 2},
    },
}


def command(config: Path) -> list[str]:
    return [sys.executable, "-m", "gonogo", "train", "--config", str(config)]


def environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1"}


def write(settings: dict[str, Any], path: Path) -> Path:
    path.write_text(yaml.safe_dump(settings))
    return path


@pytest.mark.timeout(600)
def test_an_interrupt_is_a_hold_and_the_same_command_goes_on(
    gridworld: Path, tmp_path: Path
) -> None:
    pytest.importorskip("trl", reason="the train extra is not installed")
    out = tmp_path / "run"
    settings = {**SETTINGS, "target": str(gridworld), "out": str(out)}
    config = write(settings, tmp_path / "config.yaml")
    log = out / "training.jsonl"

    with subprocess.Popen(command(config), env=environment(), stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 200
        while process.poll() is None and time.monotonic() < deadline:
            if log.is_file() and len(list(read_lines(log))) > 3:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=150)
    assert process.returncode == 3, said.decode()
    assert b"goes on from" in said
    stopped_at = list(read_lines(log))[-1]["step"]
    assert 3 <= stopped_at < STEPS
    assert not (out / "train.json").exists()

    other = write({**settings, "seed": 4}, tmp_path / "other.yaml")
    refused = subprocess.run(
        command(other), env=environment(), capture_output=True, timeout=150, check=False
    )
    assert refused.returncode == 2 and b"another config" in refused.stderr

    progress = out / "train_progress.json"
    held = progress.read_text()
    now = json.loads(held)["source_hash"]
    progress.write_text(held.replace(now, "0" * len(now)))
    stale = subprocess.run(
        command(config), env=environment(), capture_output=True, timeout=150, check=False
    )
    assert stale.returncode == 3 and b"another version of" in stale.stderr
    progress.write_text(held)

    done = subprocess.run(
        command(config), env=environment(), capture_output=True, timeout=250, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    rows = list(read_lines(log))
    sft = [row["step"] for row in rows if row["stage"] == "sft"]
    assert sft == list(range(STEPS + 1))
    assert [row["step"] for row in rows if row["stage"] == "grpo"] == [0, 1, 2]
    record = json.loads((out / "train.json").read_text())
    assert record["schema"] == "gonogo/train/1"
    assert record["verdict"] == "GO"
    assert record["logit_difference"] == 0.0
    assert set(record["phases"]) == {"untrained", "sft", "grpo"}
    for name in ("untrained", "sft", "trained"):
        assert (out / "models" / name / "model.safetensors").is_file()


def test_a_config_that_does_not_train_is_misuse(gridworld: Path, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="train"):
        station.run(RunConfig(target=str(gridworld), out=tmp_path))
