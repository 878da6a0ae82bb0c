"""A run with a map of the gridworld, and a finished file of the author's words."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gonogo import config
from gonogo.config import blank
from gonogo.contract import check_env as mapping

Json = dict[str, Any]
ROOT = Path(__file__).parents[3]
LITTLE = {"map.steps": 4, "map.seeds": 2, "map.tasks": 2, "audit.seeds": 4, "audit.search": 0}


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import paths are looked up from the working directory."""
    monkeypatch.chdir(ROOT)


def plan(target: str | Path, out: Path, **fields: Any) -> config.RunConfig:
    return config.load(None, {"target": str(target), "out": str(out), **LITTLE, **fields})


@pytest.fixture(scope="session")
def mapped(gridworld: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with a map of the gridworld."""
    out = tmp_path_factory.mktemp("mapped")
    mapping.run(plan(gridworld, out))
    return out


@pytest.fixture
def run(gridworld: Path, mapped: Path, tmp_path: Path) -> Callable[..., config.RunConfig]:
    """A run of its own with that map."""
    shutil.copytree(mapped, tmp_path / "run")
    return lambda **fields: plan(gridworld, tmp_path / "run", **fields)


def filled(**changes: Any) -> Json:
    """A finished file as data."""
    data = blank().model_dump(mode="json")
    data["theme"] = "5"
    data["themes"]["5"]["maps"] = {"answer": True, "reason": "Walking is original."}
    data["statement"] = dict.fromkeys(data["statement"], "A sentence.")
    return {**data, "confirmed": True, **changes}
