"""What is a target, what is refused with which words, and how its source is hashed without being imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.env.target import (
    FolderTarget,
    ImportTarget,
    References,
    UrlTarget,
    module_hash,
    resolve,
    source_of,
)
from gonogo.errors import TargetError


def test_a_folder_says_its_name_app_packages_and_policies(gridworld: Path, rogue: Path) -> None:
    target = resolve(str(gridworld))
    assert isinstance(target, FolderTarget)
    assert (target.name, target.app, target.packages) == ("gridworld", "server.app:app", ())
    assert target.aliases == ("gridworld",)
    assert target.references == References(
        "validation/policies.py", ("walker", "sleeper", "liar", "mute", "dead"), "walker"
    )
    assert target.manifest["validation"]["reward"]["range"] == [0.0, 1.0]
    assert str(target) == str(gridworld)
    misnamed = resolve(str(rogue))
    assert isinstance(misnamed, FolderTarget)
    assert (misnamed.packages, misnamed.aliases) == (("rogue",), ("rogue",))


@pytest.mark.parametrize(
    ("policies", "oracle", "told"),
    [
        ("", "{form: script, location: solution/solve.sh}", "solution/solve.sh"),
        ("", "{form: injected_state, location: solved.json}", "solved.json"),
        (
            "  policies: {script: solve.py, names: [right]}\n",
            "{form: script, location: solve.py}",
            None,
        ),
        ("  policies: {script: solve.py, names: [right]}\n", "{location: other.sh}", "other.sh"),
        ("", "solution/solve.sh", None),
        ("", "{form: script}", None),
    ],
)
def test_an_oracle_of_openenv_that_is_no_policy_is_told(
    tmp_path: Path, policies: str, oracle: str, told: str | None
) -> None:
    manifest = (
        f"name: told\napp: app:app\nvalidation:\n{policies}  capabilities:\n    oracle: {oracle}\n"
    )
    (tmp_path / "openenv.yaml").write_text(manifest, encoding="utf-8")
    (tmp_path / "solve.py").write_text("", encoding="utf-8")
    (tmp_path / "app.py").write_text(
        "class Told:\n    def reset(self): ...\n    def step(self, action): ...\n", encoding="utf-8"
    )
    target = resolve(str(tmp_path))
    assert isinstance(target, FolderTarget)
    if told is None:
        assert target.undriven is None
    else:
        assert target.undriven is not None and told in target.undriven
        assert "--reference" in target.undriven


@pytest.mark.parametrize(
    ("text", "http", "socket"),
    [
        ("http://localhost:8000", "http://localhost:8000", "ws://localhost:8000/ws"),
        ("http://localhost:8000/", "http://localhost:8000", "ws://localhost:8000/ws"),
        ("ws://localhost:8000/ws", "http://localhost:8000", "ws://localhost:8000/ws"),
        ("https://a.b/env", "https://a.b/env", "wss://a.b/env/ws"),
        ("wss://a.b/env/ws", "https://a.b/env", "wss://a.b/env/ws"),
    ],
)
def test_a_url_gives_both_doors(text: str, http: str, socket: str) -> None:
    target = resolve(text)
    assert isinstance(target, UrlTarget)
    assert (target.http, target.socket) == (http, socket)


def test_an_import_path() -> None:
    assert resolve("a.b_c:D") == ImportTarget("D", "a.b_c:D")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no target"),
        ("nowhere/at/all", "none is there"),
        ("a.b.c", "is no target"),
        ("a.b:c.d", "is no target"),
        ("ftp://host", "not 'ftp'"),
        ("gopher://host/a/b", "not 'gopher'"),
        ("http://", "not the URL of a running server"),
        ("http://host:port", "is no URL"),
        ("http://host?x=1", "not the URL of a running server"),
    ],
)
def test_anything_else_is_refused_with_the_rule(text: str, said: str) -> None:
    with pytest.raises(TargetError, match=said) as caught:
        resolve(text)
    assert caught.value.exit_code == 2


APP = """
from fastapi import FastAPI
app = FastAPI()
@app.post("/reset")
def reset(): return {}
@app.post("/step")
def step(): return {}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an app in the usual place."""
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "app.py").write_text(APP)
    return tmp_path


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ("validation: {policies: walker}", "must be a mapping, not 'walker'"),
        ("validation: {policies: {script: p.py}}", "script must be a file"),
        ("validation: {policies: {script: server/app.py, names: []}}", "must be a list of names"),
        (
            "validation: {policies: {script: server/app.py, names: [a], teacher: b}}",
            "teacher must be one of",
        ),
    ],
)
def test_references_that_are_none(folder: Path, manifest: str, said: str) -> None:
    (folder / "openenv.yaml").write_text(manifest)
    with pytest.raises(TargetError, match=said):
        resolve(str(folder))


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ("- a list", "must hold a mapping"),
        ("name: [", "cannot be read, and is left out"),
        ("name: 3", "name must be a text, not 3"),
        ("# all of it is commented out", "must hold a mapping, not nothing"),
        ("from os import path\nwhile True: print(1)", "cannot be read, and is left out"),
    ],
)
def test_a_broken_manifest_costs_a_warning(folder: Path, manifest: str, said: str) -> None:
    (folder / "openenv.yaml").write_text(manifest)
    target = resolve(str(folder))
    assert isinstance(target, FolderTarget)
    assert said in (target.warning or "")
    assert "\n" not in (target.warning or "")
    assert (target.name, target.app) == (folder.name, "server.app:app")


def test_a_folder_that_is_no_environment_says_so_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="no Python file in it builds an app") as caught:
        resolve(str(tmp_path))
    assert "\n" not in str(caught.value)
    (tmp_path / "openenv.yaml").write_text("app: server.missing:app")
    with pytest.raises(TargetError, match=r"names 'server\.missing:app', which is not there"):
        resolve(str(tmp_path))


def test_an_app_of_another_kind_is_named(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("from flask import Flask\napp = Flask('x')\n")
    with pytest.raises(TargetError, match="its app is Flask's"):
        resolve(str(tmp_path))


@pytest.mark.parametrize("text", ["not toml [", "[tool]\nsetuptools = 3"])
def test_an_unreadable_project_file_says_nothing(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(text)
    target = resolve(str(folder))
    assert isinstance(target, FolderTarget)
    assert target.packages == ()


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("hf:Some_One/My.Env", "https://some-one-my-env.hf.space"),
        ("https://huggingface.co/spaces/someone/env-1", "https://someone-env-1.hf.space"),
        ("https://huggingface.co/spaces/someone/env-1/tree/main", "https://someone-env-1.hf.space"),
    ],
)
def test_a_space_is_its_server(text: str, server: str) -> None:
    target = resolve(text)
    assert isinstance(target, UrlTarget)
    assert target.http == server


def test_gymnasiums_ids_have_a_prefix() -> None:
    target = resolve("gym:CartPole-v1")
    assert isinstance(target, ImportTarget)
    assert (target.name, target.is_id, source_of(target)) == ("CartPole-v1", True, None)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package in a namespace, which raises when it is imported."""
    folder = tmp_path / "space" / "package"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError\n")
    (folder / "model.py").write_text("x = 1\n")
    (folder / "other.py").write_text("y = 1\n")
    (tmp_path / "alone.py").write_text("z = 1\n")
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_module_is_hashed_with_its_package(package: Path) -> None:
    before = module_hash("space.package.model:Environment")
    assert before == source_of(resolve("space.package.other:Environment"))
    (package / "other.py").write_text("y = 2\n")
    assert module_hash("space.package.model:Environment") not in {None, before}


def test_a_module_alone_is_hashed_alone(package: Path, tmp_path: Path) -> None:
    before = module_hash("alone:Environment")
    (tmp_path / "beside.py").write_text("")
    assert module_hash("alone:Environment") == before
    (tmp_path / "alone.py").write_text("z = 2\n")
    assert module_hash("alone:Environment") not in {None, before}


def test_what_is_not_here_has_no_hash() -> None:
    assert module_hash("no_such_package.model:Environment") is None
    assert source_of(resolve("http://127.0.0.1:9")) is None


def test_a_folder_is_called_as_its_own_files_call_it(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "app.py").write_text("from fastapi import FastAPI\napp = FastAPI()\n@app.post('/reset')\n"
        "def reset(): ...\n@app.post('/step')\ndef step(): ...\n")  # fmt: skip
    (tmp_path / "README.md").write_text("uvicorn shop_env.server.app:app, or server.app:app\n")
    target = resolve(str(tmp_path))
    assert isinstance(target, FolderTarget)
    assert "shop_env" in target.aliases and "server" not in target.aliases


def test_code_in_another_language_is_to_be_started_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "routes.js").write_text("router.post('/reset')\n")
    (tmp_path / "openenv.yaml").write_text("name: js\n")
    with pytest.raises(TargetError, match="its code is JavaScript, no file of it is Python: start"):
        resolve(str(tmp_path))
    (tmp_path / "tool.py").write_text("")
    with pytest.raises(TargetError, match="is no environment"):
        resolve(str(tmp_path))
