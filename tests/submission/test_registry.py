"""The newest release, as pip sees it: of a registry of two pages in a folder, and of none."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.submission.registry import LINE, newest_release


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry that has one package in three releases."""
    page = tmp_path / "some-package" / "index.html"
    page.parent.mkdir()
    names = (f"some_package-{version}-py3-none-any.whl" for version in ("1.2", "1.10", "2.0rc1"))
    page.write_text("".join(f'<a href="{name}">{name}</a>' for name in names))
    monkeypatch.setenv("PIP_INDEX_URL", tmp_path.as_uri())
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_NO_INDEX", raising=False)
    return tmp_path


def test_the_newest_is_no_candidate_and_10_is_more_than_2(registry: Path) -> None:
    assert newest_release("some-package", 60.0) == "1.10"


def test_where_nothing_answers_in_time_nothing_is_known(registry: Path) -> None:
    assert newest_release("some-package", 0.01) is None


def test_the_line_that_names_it_is_told_from_the_others() -> None:
    said = "WARNING: something (else) is so\nopenenv (0.3.1)\nAvailable versions: 0.3.1, 0.3.0\n"
    found = LINE.search(said)
    assert found is not None and found["version"] == "0.3.1"
