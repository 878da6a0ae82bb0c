"""A config that flies a few policies, and files of episodes with something changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gonogo import config

POLICIES = ["idle", "random", "walker"]


def run_of(
    target: Path | str, out: Path, policies: list[str], **evaluation: Any
) -> config.RunConfig:
    fields = {f"evaluation.{key}": value for key, value in evaluation.items()}
    given = {"target": str(target), "out": str(out), "evaluation.policies": policies, **fields}
    return config.load(None, {"rollout.slots": 8, **given})


def edited(flown: Path, to: Path, edits: dict[int, dict[str, Any]]) -> Path:
    """A copy of the file with fields of some episodes, or of their last turns, replaced."""
    records = [json.loads(line) for line in flown.read_text().splitlines()]
    for number, fields in edits.items():
        for name, value in fields.items():
            record = records[number] if name in records[number] else records[number]["turns"][-1]
            record[name] = value
    to.write_text("".join(json.dumps(record) + "\n" for record in records))
    return to
