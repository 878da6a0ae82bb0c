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
        ("git://github.com/a/b", "clone a repository"),
        ("https://github.com/a/b.git", "not the URL of a running server"),
        ("http://", "not the URL of a running server"),
        ("http://host:port", "is no URL"),
        ("http://host?x=1", "not the URL of a running server"),
    ],
)
def test_anything_else_is_refused_with_the_rule(text: str, said: str) -> None:
    with pytest.raises(TargetError, match=said) as caught:
        resolve(text)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ("- a list", "must hold a mapping"),
        ("name: [", "cannot be read"),
        ("name: 3", "name must be a text, not 3"),
        ("app: nothing here", "app must be module:attribute"),
        ("app: server.missing:app", "missing.py is not there"),
        ("validation: {policies: walker}", "must be a mapping, not 'walker'"),
        ("validation: {policies: {script: p.py}}", "script must be a file"),
        ("validation: {policies: {script: server/app.py, names: []}}", "must be a list of names"),
        (
            "validation: {policies: {script: server/app.py, names: [a], teacher: b}}",
            "teacher must be one of",
        ),
    ],
)
def test_a_folder_that_is_no_environment(tmp_path: Path, manifest: str, said: str) -> None:
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "app.py").touch()
    (tmp_path / "openenv.yaml").write_text(manifest)
    with pytest.raises(TargetError, match=said):
        resolve(str(tmp_path))


def test_a_folder_without_a_manifest_is_known_by_its_layout(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match=r"neither openenv\.yaml nor server/app\.py"):
        resolve(str(tmp_path))
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "app.py").touch()
    target = resolve(str(tmp_path))
    assert isinstance(target, FolderTarget)
    assert (target.name, target.app, target.manifest) == (tmp_path.name, "server.app:app", {})


@pytest.mark.parametrize("text", ["not toml [", "[tool]\nsetuptools = 3"])
def test_an_unreadable_project_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "openenv.yaml").write_text("app: app:app")
    (tmp_path / "app.py").touch()
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(TargetError, match=r"pyproject\.toml cannot be read"):
        resolve(str(tmp_path))


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
