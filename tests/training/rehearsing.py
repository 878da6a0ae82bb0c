"""Configs to rehearse on the zoo's gridworld, and what a rehearsal says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gonogo.config import RunConfig
from gonogo.records.record import Verdict
from gonogo.training.dry_run import rehearse


def settings(gridworld: Path, out: Path, **changes: Any) -> dict[str, Any]:
    return {
        "target": str(gridworld),
        "out": str(out),
        "model": {"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "vocabulary": 300},
        "rollout": {"slots": 4, "max_turns": 4, "max_reply_tokens": 12},
        "train": {
            "validation": {"tasks": {"options": {"split": "train"}, "start": 900}, "episodes": 4},
            "curriculum": {"stages": [{"name": "all", "options": {"split": "train"}}]},
            "sft": {"teacher": "random"},
            "grpo": {},
        },
        **changes,
    }


def config(gridworld: Path, out: Path, **changes: Any) -> RunConfig:
    return RunConfig.model_validate_json(json.dumps(settings(gridworld, out, **changes)))


def dry(
    capsys: pytest.CaptureFixture[str], run: RunConfig, memory: float | None = None
) -> tuple[Verdict, str]:
    verdict = rehearse(run, memory)
    return verdict, " ".join(capsys.readouterr().out.replace("│", " ").split())
