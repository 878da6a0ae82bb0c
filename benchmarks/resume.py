"""Training that is killed goes on as if nothing had been: kill -9 at ten random moments, ten identical curves.

A very small model is trained in the zoo's gridworld by `gonogo train`: traces, SFT and GRPO through a curriculum,
with a checkpoint every other step. One run is left alone. Ten others are killed with SIGKILL at moments drawn from a
seed, anywhere from the run's first record to the proof of its models, and started again by the same command. A moment
is so many rows of the log and a part of the time that a row takes, as a busy machine is not always equally fast.
Compared are every row of training.jsonl (all but the seconds that a step took), the weights of each saved model, the
last checkpoints (weights, optimizer, generators, curriculum), the teacher's traces and what the record says of each
phase.

    python benchmarks/resume.py          exits with 1 where a run is not identical; about ten minutes
"""

from __future__ import annotations

import hashlib
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

from gonogo.records.files import read_lines
from gonogo.records.training import TrainingReport

ROOT = Path(__file__).resolve().parents[1]
KILLS, SEED = 10, 20261122
LIMIT_S = 600.0
"""Seconds that one command may take."""
SETTINGS: dict[str, Any] = {
    "target": str(ROOT / "tests" / "zoo" / "gridworld"),
    "seed": 3,
    "model": {"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "vocabulary": 300},
    "theme": {"required": False},
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
            "save_every": 3,
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
        rows: Rows of the log that it had written.
        where: Phase and step of the newest.
        torn: What it was writing: hidden folders that were to become checkpoints or models.
    """

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


def reach(process: subprocess.Popen[bytes], folder: Path, rows: int) -> None:
    """Wait until a run has its first record, and so many rows of its log.

    Raises:
        RuntimeError: It ended before.
    """
    out, deadline = folder / "run", time.monotonic() + LIMIT_S
    while not (out / "train_progress.json").exists() or len(logged(out)) < rows:
        if process.poll() is not None or time.monotonic() > deadline:
            finish(process)
            raise RuntimeError(
                f"the run ended with {len(logged(out))} rows, and {rows} were to come"
            )
        time.sleep(0.003)


def logged(out: Path) -> list[dict[str, Any]]:
    """Rows of a run's log so far."""
    log = out / "training.jsonl"
    return list(read_lines(log)) if log.exists() else []


def undisturbed(folder: Path, settings: dict[str, Any]) -> float:
    """Train without an interrupt.

    Returns:
        Seconds that a row took, from the first record to the last row.
    """
    process = start(folder, settings)
    reach(process, folder, 0)
    began = time.monotonic()
    steps = sum(
        settings["train"][part][key] for part, key in (("sft", "max_steps"), ("grpo", "steps"))
    )
    reach(process, folder, steps + 2)
    seconds = time.monotonic() - began
    finish(process)
    return seconds / (steps + 2)


def killed(folder: Path, settings: dict[str, Any], rows: int, delay_s: float) -> Kill:
    """Train and kill, a delay after so many rows."""
    process = start(folder, settings)
    reach(process, folder, rows)
    time.sleep(delay_s)
    process.kill()
    process.communicate()
    out = folder / "run"
    found = logged(out)
    where = f"{found[-1]['stage']} step {found[-1]['step']}" if found else "before SFT"
    return Kill(len(found), where, tuple(p.name for p in out.glob("*/.*") if p.is_dir()))


def result(folder: Path) -> dict[str, Any]:
    """All of a finished run that must not depend on whether it was killed."""
    out = folder / "run"
    rows = [
        {k: v for k, v in r.items() if k != "seconds"} for r in read_lines(out / "training.jsonl")
    ]
    phases = TrainingReport.load(out).phases.model_dump()
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
    folder: Path, settings: dict[str, Any], wanted: dict[str, Any], rows: int, delay_s: float
) -> tuple[Kill, list[str]]:
    """Kill a run at a moment, go on, and compare.

    Returns:
        How it was killed, and the parts in which it differs.
    """
    kill = killed(folder, settings, rows, delay_s)
    finish(start(folder, settings))
    got = result(folder)
    return kill, [name for name in wanted if got[name] != wanted[name]]


def main() -> int:
    """Measure and print; the exit code."""
    draw = random.Random(SEED)
    same = 0
    with tempfile.TemporaryDirectory() as scratch:
        whole = Path(scratch) / "whole"
        seconds = undisturbed(whole, SETTINGS)
        wanted = result(whole)
        print(f"undisturbed: {len(wanted['curve'])} rows, {seconds:.2f} s each", flush=True)
        for number in range(KILLS):
            rows, share = divmod(draw.uniform(0.0, len(wanted["curve"]) + 1), 1.0)
            folder = Path(scratch) / f"killed-{number}"
            kill, differs = trial(folder, SETTINGS, wanted, int(rows), share * seconds)
            same += not differs
            print(
                f"killed {share * seconds:.2f} s after row {rows:.0f}, at {kill.where} ({kill.rows} rows"
                f"{', writing ' + ', '.join(kill.torn) if kill.torn else ''}): "
                f"{'differs in ' + ', '.join(differs) if differs else 'identical'}",
                flush=True,
            )
    print(f"{same} of {KILLS} identical")
    return 0 if same == KILLS else 1


if __name__ == "__main__":
    sys.exit(main())
