"""Training that is killed goes on as if nothing had been: kill -9 at ten random moments, ten identical curves.

A very small model is trained in the zoo's gridworld by `gonogo train`: traces, SFT and GRPO through a curriculum,
with a checkpoint every other step. One run is left alone. Ten others are killed with SIGKILL at moments drawn from a
seed, uniformly between the first record of the run and its last, and started again by the same command. Compared
are every row of training.jsonl (all but the seconds that a step took), the weights of each saved model, the last
checkpoints (weights, optimizer, generators, curriculum), the teacher's traces and what the record says of each phase.

    python benchmarks/resume.py          exits with 1 where a run is not identical; about ten minutes
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gonogo.records import read_lines

ROOT = Path(__file__).resolve().parents[1]
KILLS, SEED = 10, 20261122
LIMIT_S = 600.0
"""Seconds that one command may take."""
SETTINGS: dict[str, Any] = {
    "target": str(ROOT / "tests" / "zoo" / "gridworld"),
    "seed": 3,
    "model": {"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "vocabulary": 300},
    "rollout": {"slots": 8, "max_turns": 4, "max_reply_tokens": 16},
    "train": {
        "validation": {"tasks": {"options": {"split": "train"}, "start": 900}, "episodes": 8},
        "curriculum": {
            "promote_at": 0.1,
            "demote_below": 0.05,
            "window_steps": 2,
            "stages": [
                {"name": "near", "options": {"split": "train"}},
                {"name": "far", "options": {"split": "test"}, "weight": 2},
            ],
        },
        "sft": {
            "episodes": 24,
            "noise": {"move": 0.1},
            "max_steps": 32,
            "batch": 8,
            "learning_rate": 1e-2,
            "validate_every": 4,
            "patience": 9,
        },
        "grpo": {
            "steps": 14,
            "tasks_per_step": 4,
            "group_size": 4,
            "learning_rate": 3e-3,
            "learning_rate_end": 1e-3,
            "save_every": 2,
            "validate_every": 3,
        },
    },
}
STATES = ("*.safetensors", "optimizer.json", "random-*.json", "gonogo_course.json")
"""Files that hold weights, optimizers, generators and the curriculum: in the saved models and the last checkpoints."""


@dataclass(frozen=True, slots=True)
class Kill:
    """How a run was killed.

    Attributes:
        after_s: Seconds after its first record.
        rows: Rows of the log that it had written.
        where: Phase and step of the newest.
        torn: What it was writing: hidden folders that were to become checkpoints or models.
    """

    after_s: float
    rows: int
    where: str
    torn: tuple[str, ...]


def start(folder: Path, settings: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Start `gonogo train` in a folder, or go on there."""
    folder.mkdir(exist_ok=True)
    config = folder / "config.yaml"
    config.write_text(yaml.safe_dump({**settings, "out": str(folder / "run")}))
    return subprocess.Popen(
        [sys.executable, "-m", "gonogo", "train", "--config", str(config)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finish(process: subprocess.Popen[bytes]) -> None:
    """Wait until it is GO."""
    _, said = process.communicate(timeout=LIMIT_S)
    if process.returncode != 0:
        raise RuntimeError(f"gonogo train ended with {process.returncode}:\n{said.decode()}")


def claimed(process: subprocess.Popen[bytes], folder: Path) -> float:
    """The time of the run's first record."""
    deadline = time.monotonic() + LIMIT_S
    while not (folder / "run" / "train_progress.json").exists():
        if process.poll() is not None or time.monotonic() > deadline:
            finish(process)
            raise RuntimeError("the run ended without a record")
        time.sleep(0.01)
    return time.monotonic()


def undisturbed(folder: Path, settings: dict[str, Any]) -> float:
    """Train without an interrupt.

    Returns:
        Seconds from the first record to the end.
    """
    process = start(folder, settings)
    began = claimed(process, folder)
    finish(process)
    return time.monotonic() - began


def killed(folder: Path, settings: dict[str, Any], after_s: float) -> Kill | None:
    """Train and kill; None where the run was over before."""
    process = start(folder, settings)
    began = claimed(process, folder)
    try:
        process.wait(timeout=max(began + after_s - time.monotonic(), 0.0))
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    else:
        finish(process)
        return None
    out = folder / "run"
    log = out / "training.jsonl"
    rows = list(read_lines(log)) if log.exists() else []
    where = f"{rows[-1]['stage']} step {rows[-1]['step']}" if rows else "before SFT"
    torn = tuple(p.name for p in out.glob("*/.*") if p.is_dir())
    return Kill(after_s, len(rows), where, torn)


def result(folder: Path) -> dict[str, Any]:
    """All of a finished run that must not depend on whether it was killed."""
    out = folder / "run"
    rows = [
        {k: v for k, v in r.items() if k != "seconds"} for r in read_lines(out / "training.jsonl")
    ]
    phases = json.loads((out / "train.json").read_text())["phases"]
    return {
        "curve": rows,
        "states": {
            path.relative_to(out).as_posix(): digest(path)
            for pattern in STATES
            for path in sorted(out.rglob(pattern))
        },
        "traces": digest(out / "traces.jsonl"),
        "phases": {
            name: {k: v for k, v in phase.items() if k != "seconds"}
            for name, phase in phases.items()
        },
    }


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def trial(
    folder: Path, settings: dict[str, Any], wanted: dict[str, Any], after_s: float
) -> tuple[Kill, list[str]]:
    """Kill a run at a moment, go on, and compare.

    Returns:
        How it was killed, and the parts in which it differs.
    """
    attempt, kill = 0, None
    while kill is None:  # a run that was faster than the one that was measured is killed earlier
        kill = killed(folder / str(attempt), settings, after_s * 0.8**attempt)
        attempt += 1
    again = folder / str(attempt - 1)
    finish(start(again, settings))
    got = result(again)
    return kill, [name for name in wanted if got[name] != wanted[name]]


def main() -> int:
    """Measure and print; the exit code."""
    draw = random.Random(SEED)
    same = 0
    with tempfile.TemporaryDirectory() as scratch:
        whole = Path(scratch) / "whole"
        seconds = undisturbed(whole, SETTINGS)
        wanted = result(whole)
        print(f"undisturbed: {len(wanted['curve'])} rows in {seconds:.1f} s", flush=True)
        for number in range(KILLS):
            folder = Path(scratch) / f"killed-{number}"
            folder.mkdir()
            kill, differs = trial(folder, SETTINGS, wanted, draw.uniform(0.0, seconds))
            same += not differs
            print(
                f"killed after {kill.after_s:5.1f} s, at {kill.where} ({kill.rows} rows"
                f"{', writing ' + ', '.join(kill.torn) if kill.torn else ''}): "
                f"{'differs in ' + ', '.join(differs) if differs else 'identical'}",
                flush=True,
            )
    print(f"{same} of {KILLS} identical")
    return 0 if same == KILLS else 1


if __name__ == "__main__":
    sys.exit(main())
