"""Probes on the zoo's gridworld, and what their records say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gonogo import config
from gonogo.records.probe import (
    MeasuredModel,
    ProbeReport,
    RankedModel,
)

Json = dict[str, Any]


def run_of(target: Path, out: Path, *models: str, **given: Any) -> config.RunConfig:
    fields: Json = {
        "target": str(target),
        "out": str(out),
        "rollout.slots": 8,
        "rollout.max_turns": 12,
        "rollout.max_reply_tokens": 6,
        "probe.models": list(models),
        "probe.split": "test",
        "probe.episodes": 4,
        "probe.memory_gb": 16.0,
    }
    return config.load(None, fields | given)


def row(out: Path, name: str) -> RankedModel:
    return {row.name: row for row in ProbeReport.load(out).candidates}[name]


def measured_of(out: Path, name: str) -> MeasuredModel:
    measured = row(out, name).measured
    assert measured is not None
    return measured


def solver(body: Json) -> str:
    """Walks to the goal as the observation shows it."""
    shown = body["messages"][-1]["content"]
    if "left" in json.dumps(body["messages"][0]):
        assert "Reply with one JSON object" in body["messages"][0]["content"]
    east, north = (
        int(shown.split(f"{name}: ")[1].split("\n")[0]) for name in ("goal_east", "goal_north")
    )
    if east:
        return json.dumps({"move": "east" if east > 0 else "west"})
    return json.dumps({"move": "north" if north > 0 else "south"})
