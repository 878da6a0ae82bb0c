"""The client's separation, proven by a process, and what a manifest declares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gonogo.contract import packaging
from gonogo.contract.packaging import (
    ImportedClient,
    check_client,
    declared_range,
    find_client,
    import_client,
    module_name,
    read_import,
)
from gonogo.env.target import FolderTarget, resolve
from gonogo.env.worker.process import Malformed
from gonogo.rollouts.watch import Watch

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
    late = check_client(resolve(str(folder)), "server/environment.py", 60, Watch(0.0)).checked
    assert (late.verdict, late.said) == ("na", "client.py was not imported in the time")
    item = check_client(resolve(str(folder)), "server/environment.py", 60)
    assert item.checked.verdict == verdict, item.checked.said
    assert (item.finding and item.finding.id) == finding
    if finding == "client_broken":  # the package around it may be what fails
        assert item.checked.said.startswith("importing gridworld.client (client.py) fails")


def test_a_client_that_plays_the_environment_and_a_copy_of_openenv_are_no_server(
    tmp_path: Path, gridworld: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = resolve(str(environment(tmp_path / "gridworld", gridworld, "")))
    assert check_client(target, "client.py", 60).checked.verdict == "pass"
    base = "openenv.core.env_server.interfaces.Environment"
    own = "shop.server.shop.Shop"
    for brought, verdict in (((base,), "pass"), ((base, own), "fail")):
        found = packaging.ImportedClient(environments=brought)
        monkeypatch.setattr(packaging, "import_client", lambda *_, found=found: found)
        item = check_client(target, "server/environment.py", 60)
        assert item.checked.verdict == verdict and base not in item.checked.said


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
        ({"reward_range": [0, 1]}, (0.0, 1.0)),
        ({"reward": {"type": "dense", "range": [-1, 1]}}, (-1.0, 1.0)),
        ({"name": "a", "scoring": {"reward_range": {"min": 0, "max": 2}}}, (0.0, 2.0)),
        ({"environment": {"reward": {"range": [-10, 10]}}}, (-10.0, 10.0)),
        ({"reward_range": [0, 1], "validation": {"reward": {"range": [0, 5]}}}, (0.0, 5.0)),
        ({"reward_range": [False, True]}, None),
        ({"reward_range": [1, 0]}, None),
        ({"tasks": [{"id": "easy", "reward_range": [0, 1]}]}, None),
        ({"validation": []}, None),
        ({}, None),
    ],
)
def test_the_declared_range(manifest: dict[str, Any], expected: Any) -> None:
    assert declared_range(manifest) == expected


def target(
    folder: Path, packages: tuple[str, ...] = (), aliases: tuple[str, ...] = ()
) -> FolderTarget:
    return FolderTarget("grid", folder, "server.app:app", packages, aliases)


def test_a_client_is_in_the_folder_or_in_a_package_below_src(tmp_path: Path) -> None:
    assert find_client(target(tmp_path)) is None
    package = tmp_path / "src" / "grid_env"
    package.mkdir(parents=True)
    below = package / "client.py"
    below.touch()
    assert find_client(target(tmp_path)) == below
    (tmp_path / "client.py").touch()
    assert find_client(target(tmp_path)) == tmp_path / "client.py"


def test_a_client_is_imported_by_the_name_that_its_user_has_for_it(tmp_path: Path) -> None:
    client = tmp_path / "client.py"
    assert module_name(target(tmp_path, ("grid",), ("other",)), client) == "grid.client"
    assert module_name(target(tmp_path, (), ("other",)), client) == "other.client"
    assert module_name(target(tmp_path), client) == "client"
    below = tmp_path / "src" / "grid_env" / "client.py"
    assert module_name(target(tmp_path, ("grid",)), below) == "grid_env.client"


def test_what_the_process_says_is_read() -> None:
    said = {"classes": ["c.Client"], "loaded": {"c": "client.py"}, "environments": []}
    read = read_import(json.dumps(said).encode())
    assert read == ImportedClient(None, ("c.Client",), {"c": "client.py"}, ())
    assert read_import(b'{"error": "ImportError: no"}') == ImportedClient("ImportError: no")


@pytest.mark.parametrize(
    "said", [[], {}, {"error": 5}, {"classes": [], "loaded": [], "environments": []}, "text"]
)
def test_what_is_nothing_of_the_kind_is_malformed(said: Any) -> None:
    with pytest.raises(Malformed, match="the answer must say what was imported"):
        read_import(json.dumps(said).encode())


def test_an_import_that_takes_too_long_says_where_it_hangs(tmp_path: Path) -> None:
    client = tmp_path / "client.py"
    client.write_text("import time\ntime.sleep(60)\n")
    error = import_client(target(tmp_path), client, 0.4).error
    assert error is not None and error.startswith("not imported within 0.4 s\n")
