"""A target's source is hashed without being imported, and changes with what the environment is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.env.source import module_hash, source_of
from gonogo.env.target import resolve


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
