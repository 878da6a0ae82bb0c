"""Where in a folder an environment may be: declared, in the usual places, or by what its code looks like."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gonogo.env import entrances
from gonogo.env.entrances import find_places, hints_of
from gonogo.env.target import resolve
from gonogo.errors import TargetError

APP = "from fastapi import FastAPI\napp = FastAPI()\napp.post('/reset')\napp.post('/step')\n"
CLASS = "class Shop{}:\n    def reset(self): ...\n    def step(self, action): ...\n"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("files", "manifest", "first"),
    [
        ({"server/app.py": APP}, {}, ("app", "server/app.py", "")),
        (
            {"pack/server/app.py": APP},
            {"app": "pack.server.app:app"},
            ("app", "pack/server/app.py", "app"),
        ),
        ({"odd/name.py": APP}, {}, ("app", "odd/name.py", "")),
        (
            {"core/shop.py": CLASS.format("Env")},
            {"entrypoint": "core.shop.ShopEnv"},
            ("class", "core/shop.py", "ShopEnv"),
        ),
        ({"core/shop.py": CLASS.format("")}, {}, ("class", "core/shop.py", "Shop")),
        (
            {"core/shop.py": CLASS.format("Env"), "api.py": APP},
            {"entrypoint": "core.shop.ShopEnv"},
            ("app", "api.py", ""),
        ),
        (
            {
                "main.py": "from fastapi import FastAPI\nfrom routes import router\napp = FastAPI()\n",
                "routes.py": APP.replace("FastAPI", "APIRouter"),
            },
            {},
            ("app", "main.py", ""),
        ),
    ],
)
def test_the_likeliest_place_comes_first(
    tmp_path: Path, files: dict[str, str], manifest: dict[str, object], first: tuple[str, str, str]
) -> None:
    write(tmp_path, files)
    places, _ = find_places(tmp_path, manifest)
    assert (places[0].kind, places[0].file, places[0].name) == first


def test_tests_and_clients_are_no_environment(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "tests/env.py": CLASS.format("Env"),
            "a.py": CLASS.format("Client"),
            "b.py": "def (",
        },
    )
    assert find_places(tmp_path, {}) == ((), None)


def test_a_clients_file_is_looked_at_only_where_nothing_else_is(tmp_path: Path) -> None:
    client = {"shop/client.py": CLASS.format("SyncShopEnv")}
    for name, beside, files in (
        ("alone", {}, ["shop/client.py"]),
        ("app", {"app.py": APP}, ["app.py"]),
        ("class", {"shop/env.py": CLASS.format("Env")}, ["shop/env.py"]),
    ):
        write(tmp_path / name, {**client, **beside})
        assert [place.file for place in find_places(tmp_path / name, {})[0]] == files


def test_another_app_than_the_declared_one_is_another_program(tmp_path: Path) -> None:
    files = {"api/main.py": APP, "server/app.py": APP, "shop.py": CLASS.format("Env")}
    write(tmp_path, files)
    declared, _ = find_places(tmp_path, {"app": "api.main:app"})
    assert [place.file for place in declared] == ["api/main.py", "shop.py"]
    write(tmp_path, {"web.py": "from fastapi import FastAPI\napp = FastAPI()\n"})
    page, _ = find_places(tmp_path, {"app": "web:app"})
    assert {place.file for place in page} == {*files, "web.py"}
    undeclared, _ = find_places(tmp_path, {"app": "api.gone:app"})
    assert {place.file for place in undeclared} == {*files, "web.py"}


def test_a_folder_with_a_manifest_of_its_own_is_another_project(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "mine/server/app.py": APP,
            "mine/openenv.yaml": "name: mine\n",
            "envs/other/server/app.py": APP,
            "envs/other/openenv.yaml": "name: other\n",
            "tools/app.py": APP,
        },
    )
    places, _ = find_places(tmp_path, {})
    assert [each.file for each in places] == ["mine/server/app.py", "tools/app.py"]
    (tmp_path / "mine" / "openenv.yaml").unlink()
    assert "envs/other/server/app.py" in [each.file for each in find_places(tmp_path, {})[0]]
    inner = [each.file for each in find_places(tmp_path, {"name": "whole"})[0]]
    assert "envs/other/server/app.py" not in inner and "mine/server/app.py" in inner


def test_a_manifests_action_is_a_hint() -> None:
    told = hints_of(
        {"action_space": {"fields": {"move": ["up", "down"], "by": "int"}}, "tasks": [{"id": "a"}]}
    )
    fields = {"move": {"enum": ["up", "down"]}, "by": {"type": "integer"}}
    assert told == {"tasks": [{"id": "a"}], "action": {"type": "object", "properties": fields}}


def test_an_app_that_is_no_python_says_where(tmp_path: Path) -> None:
    write(tmp_path, {"main.py": "x = 1\ndef (\n"})
    with pytest.raises(TargetError, match=r"cannot be opened: main\.py:2: ") as caught:
        resolve(str(tmp_path))
    assert "\n" not in str(caught.value)


def test_a_content_is_parsed_once_and_another_of_its_size_and_time_anew(tmp_path: Path) -> None:
    """An audit resolves its target many times, and a file may be written again within a tick of its disk's clock."""
    before_it = entrances.SEEN.parsed
    file = tmp_path / "shop.py"
    shop = f"{CLASS.format('Env')}# {tmp_path}\n"  # nothing that another test has shown
    write(tmp_path, {"shop.py": shop, "broken.py": f"def ( # {tmp_path}"})
    first, again = (find_places(tmp_path, {})[0] for _ in range(2))
    assert [each.name for each in first] == [each.name for each in again] == ["ShopEnv"]
    assert entrances.SEEN.parsed - before_it == 2
    before = file.stat()
    file.write_text(shop.replace("Shop", "Ship"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size
    assert [each.name for each in find_places(tmp_path, {})[0]] == ["ShipEnv"]
