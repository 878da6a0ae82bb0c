"""What a run was begun with is read as it was written."""

from __future__ import annotations

import json
from pathlib import Path

from gonogo.records.flags import Flags


def test_flags_are_read_as_they_were_written(tmp_path: Path) -> None:
    flags = Flags(target="envs/x", config=tmp_path / "a.yaml", options={"map.reset": {"a": 1}})
    flags.save(tmp_path)
    assert Flags.load(tmp_path) == flags and flags.digest() == Flags.load(tmp_path).digest()
    assert json.loads(Flags.path(tmp_path).read_text()) == {
        "schema": "gonogo/flags/1",
        "target": "envs/x",
        "config": str(tmp_path / "a.yaml"),
        "options": {"map.reset": {"a": 1}},
    }


def test_a_run_without_a_config_says_so(tmp_path: Path) -> None:
    Flags(target="envs/x", config=None).save(tmp_path)
    assert json.loads((tmp_path / "flags.json").read_text())["config"] is None
