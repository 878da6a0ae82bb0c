"""An environment that takes its time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

COUNT = "self._state.step_count += 1"


@pytest.fixture(scope="module")
def slow_grid(gridworld: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gridworld with steps of twenty milliseconds."""
    folder = tmp_path_factory.mktemp("slow") / "gridworld"
    shutil.copytree(gridworld, folder, ignore=shutil.ignore_patterns("__pycache__"))
    source = folder / "server" / "environment.py"
    text = source.read_text().replace(COUNT, f"time.sleep(0.02)\n        {COUNT}")
    source.write_text(text.replace("from typing", "import time\nfrom typing", 1))
    return folder
