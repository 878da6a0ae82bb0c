"""The author's words: nothing that nobody stands by is published."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.records_made import theme_report
from tests.reporting.conftest import author

from gonogo.config import Words, read_words
from gonogo.errors import Misuse, StaleRecord
from gonogo.reporting.author import agent, author_of, confirmed, drafted
from gonogo.reporting.gather import StationRecords

NONE = StationRecords()


def test_a_file_that_was_named_has_to_be_finished_and_confirmed(tmp_path: Path) -> None:
    file = author(tmp_path)
    assert confirmed(file) == author_of(file, tmp_path, NONE) == read_words(file)
    author(tmp_path, confirmed=False)
    for refuse in (lambda: confirmed(file), lambda: author_of(file, tmp_path, NONE)):
        with pytest.raises(Misuse, match="must be whole: confirmed is not true"):
            refuse()


def test_the_run_s_own_words_are_missing_until_they_are_finished(tmp_path: Path) -> None:
    said = author_of(None, tmp_path, NONE)
    assert isinstance(said, str) and "theme.yaml (gonogo theme" in said
    author(tmp_path, confirmed=False).rename(tmp_path / "theme.yaml")
    assert author_of(None, tmp_path, NONE) == f"{tmp_path}/theme.yaml: confirmed is not true"
    author(tmp_path).rename(tmp_path / "theme.yaml")
    assert isinstance(author_of(None, tmp_path, NONE), Words)


def test_a_theme_is_of_the_same_words(tmp_path: Path) -> None:
    file = author(tmp_path)
    same = StationRecords(theme=theme_report(statement=read_words(file).statement))
    assert author_of(file, tmp_path, same) == read_words(file)
    with pytest.raises(StaleRecord, match=r"theme\.json: statement is not that of .*words\.yaml"):
        author_of(file, tmp_path, StationRecords(theme=theme_report()))


def test_what_an_agent_does_is_said_in_four_sentences(tmp_path: Path) -> None:
    said = list(agent(read_words(author(tmp_path))))
    assert [each.partition(" What")[0] for each in said] == [
        "**It observes.**",
        "**It decides.**",
        "**It does.**",
        "**Success.**",
    ]


def test_a_draft_is_said_to_be_one(tmp_path: Path) -> None:
    assert drafted(read_words(author(tmp_path))) is None
    said = drafted(read_words(author(tmp_path, drafted_by="scribe")))
    assert said == "the words were drafted by scribe and confirmed by the author"
