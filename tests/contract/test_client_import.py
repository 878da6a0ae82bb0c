"""A client is found and named as its user names it; what its import brought in is read without trust."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gonogo.contract.client_import import (
    ImportedClient,
    find_client,
    import_client,
    module_name,
    read_import,
)
from gonogo.env.target import FolderTarget
from gonogo.env.worker.child import Malformed


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
