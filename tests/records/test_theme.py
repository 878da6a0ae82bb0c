"""The record of ``gonogo theme`` is read as it was written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.records_made import theme_facts, theme_report

from gonogo.errors import StaleRecord
from gonogo.records.base import Verdict
from gonogo.records.theme import AuditFact, DelayFact, ThemeReport

FACTS = (
    {},
    {"delay": DelayFact(holds=None, said="no reward was seen")},
    {"audit": AuditFact(holds=None, said="GO", verdict=Verdict.GO, findings=())},
)


@pytest.mark.parametrize("facts", FACTS)
def test_a_theme_is_read_as_it_was_written(tmp_path: Path, facts: dict[str, DelayFact]) -> None:
    report = theme_report(facts=theme_facts(**facts))
    report.save(tmp_path)
    loaded = ThemeReport.load(tmp_path)
    assert loaded == report and loaded.digest() == report.digest()


def test_a_fact_has_no_fields_of_what_was_not_seen(tmp_path: Path) -> None:
    none = DelayFact(holds=None, said="no reward was seen")
    theme_report(facts=theme_facts(delay=none)).save(tmp_path)
    written = json.loads((tmp_path / "theme.json").read_text())["facts"]["delay"]
    assert written == {"holds": None, "said": "no reward was seen"}


def test_an_edited_fact_is_named(tmp_path: Path) -> None:
    theme_report().save(tmp_path)
    file = ThemeReport.path(tmp_path)
    body = json.loads(file.read_text())
    body["facts"]["decisions"]["episodes"] = "many"
    file.write_text(json.dumps(body))
    with pytest.raises(StaleRecord, match=r"theme\.json: facts\.decisions\.episodes: "):
        ThemeReport.load(tmp_path)
