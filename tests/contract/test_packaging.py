"""The client's separation, proven by a process, and what a manifest declares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gonogo.contract.packaging import check_client, declared_range
from gonogo.env.target import resolve

CLIENT = """
from openenv.core import EnvClient
{extra}
class GridClient(EnvClient):
    pass
"""


def environment(folder: Path, gridworld: Path, extra: str) -> Path:
    """A copy of the gridworld with a client."""
    for path in gridworld.rglob("*"):
        if path.is_file():
            copy = folder / path.relative_to(gridworld)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    (folder / "client.py").write_text(CLIENT.format(extra=extra))
    return folder


@pytest.mark.parametrize(
    ("extra", "verdict", "finding"),
    [
        ("print('hello'); import models", "pass", None),
        ("from .server.environment import GridEnvironment", "fail", "client_imports_server"),
        ("raise RuntimeError('no client today')", "fail", "client_broken"),
        ("import os; os._exit(3)", "fail", "client_broken"),
    ],
    ids=["alone", "with the server", "raises", "exits"],
)
def test_what_importing_the_client_brings_in(
    tmp_path: Path, gridworld: Path, extra: str, verdict: str, finding: str | None
) -> None:
    folder = environment(tmp_path / "gridworld", gridworld, extra)
    item = check_client(resolve(str(folder)), "server/environment.py", 60)
    assert item.checked.verdict == verdict, item.checked.said
    assert (item.finding and item.finding.id) == finding


def test_a_target_without_files_has_no_client_to_see() -> None:
    item = check_client(resolve("package.module:Class"), None, 1)
    assert item.checked.verdict == "na"
    assert "give the environment's folder" in item.checked.said


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        ({"validation": {"reward": {"range": [0, 1.5]}}}, (0.0, 1.5)),
        ({"validation": {"reward": {"range": [0]}}}, None),
        ({"validation": {"reward": {"range": ["a", 1]}}}, None),
        ({"validation": []}, None),
        ({}, None),
    ],
)
def test_the_declared_range(manifest: dict[str, Any], expected: Any) -> None:
    assert declared_range(manifest) == expected
