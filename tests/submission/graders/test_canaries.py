"""Canaries are read in the order of their names, and one that is no plan says why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gonogo.submission.graders.canaries import Canary, read_canaries

PLAN: dict[str, Any] = {
    "plan_schema_version": "1",
    "reset": {"episode_id": "canary", "seed": 3, "options": {"level": "a"}},
    "actions": [{"move": "stay"}, {"move": "north"}],
}


def written(file: Path, plan: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(plan if isinstance(plan, str) else json.dumps(plan))
    return file


def test_a_plan_is_a_task_and_its_actions(tmp_path: Path) -> None:
    written(tmp_path / "one.json", PLAN)
    task, actions = {"level": "a", "seed": 3}, ({"move": "stay"}, {"move": "north"})
    assert read_canaries(tmp_path, "one.json") == [Canary("one.json", task, actions)]


def test_a_folder_holds_several_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        written(tmp_path / "canaries" / f"{name}.json", PLAN)
    written(tmp_path / "canaries" / "notes.txt", "none")
    names = [canary.name for canary in read_canaries(tmp_path, "canaries")]
    assert names == ["canaries/a.json", "canaries/b.json", "canaries/c.json"]


def test_none_is_declared(tmp_path: Path) -> None:
    assert read_canaries(tmp_path, None) == []


def test_what_is_no_plan_says_why_and_has_no_actions(tmp_path: Path) -> None:
    written(tmp_path / "a.json", "{")
    written(tmp_path / "b.json", {**PLAN, "actions": "stay"})
    (tmp_path / "c.json").mkdir()
    for name in ("a.json", "b.json", "missing.json"):
        (canary,) = read_canaries(tmp_path, name)
        assert canary.problem and not canary.actions, name


def test_what_lies_outside_of_the_package_is_not_read(tmp_path: Path) -> None:
    outside, root = written(tmp_path / "outside.json", PLAN), tmp_path / "package"
    root.mkdir()
    (root / "link.json").symlink_to(outside)
    (canary,) = read_canaries(root, "link.json")
    assert canary.problem and not canary.actions
