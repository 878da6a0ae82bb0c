"""Addresses of what is elsewhere: a repository that is cloned, a Space's server."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gonogo.env import variables
from gonogo.env.addresses import cloned, is_repository, space_url, token_of
from gonogo.env.target import resolve
from gonogo.errors import TargetError


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("https://github.com/a/b", True),
        ("https://github.com/a/b/tree/main/envs/c", True),
        ("git@host:a/b.git", True),
        ("http://localhost:8000", False),
        ("https://host/a/b", False),
    ],
)
def test_a_repository_is_known_by_its_address(text: str, is_one: bool) -> None:
    assert is_repository(text) == is_one


def test_a_token_is_for_spaces_alone_and_only_where_it_is_passed_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    monkeypatch.setattr(variables, "passed_on", set())
    assert token_of("a-b.hf.space") is None
    variables.pass_on(["HF_TOKEN"])
    assert token_of("a-b.hf.space") == "secret"
    assert token_of("a-b.hf.space.example.org") is None


@pytest.mark.parametrize("text", ["envs/misspelt", "./a", "a", "owner/space", "hf:a", "hf:a/b/c"])
def test_a_path_is_no_space(text: str) -> None:
    assert space_url(text) is None


def test_a_repository_is_cloned_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = tmp_path / "made"
    made.mkdir()
    (made / "app.py").write_text("x = 1\n")
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "app.py"], [*who, "commit", "-q", "-m", "x"]):
        subprocess.run(["git", *words], cwd=made, check=True)
    folder = cloned(f"file://{made}")
    assert (folder / "app.py").read_text() == "x = 1\n"
    (folder / "kept").touch()
    assert (cloned(f"file://{made}") / "kept").exists()


def test_what_cannot_be_cloned_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(TargetError, match="cannot be cloned") as caught:
        cloned(f"file://{tmp_path}/nothing.git")
    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "cache").rglob("clone"))


def test_half_a_space_is_no_module() -> None:
    with pytest.raises(TargetError, match="is no Space: one is hf:owner/name"):
        resolve("hf:owner")
