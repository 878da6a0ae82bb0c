"""The records of ``gonogo check`` and ``gonogo grade`` are read as they were written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.records_made import check_report, checked_box, grade_report, theme_facts, theme_report

from gonogo.errors import StaleRecord
from gonogo.records.record import Verdict
from gonogo.records.submission import (
    AuditFact,
    BaseClasses,
    BoxEvidence,
    CheckReport,
    ComponentIndependence,
    CorrelatedPair,
    DeadLinks,
    DelayFact,
    GradeReport,
    ImageSize,
    LargeFiles,
    MissingParts,
    NewestRelease,
    NotebookFailure,
    ThemeReport,
)

EVIDENCE = (
    BoxEvidence(),
    NewestRelease(newest="0.10.0"),
    BaseClasses(bases=("Environment",)),
    LargeFiles(files={"a.mp4": 12.5}),
    MissingParts(missing=("Links",)),
    DeadLinks(dead=("writeup.md",)),
    ImageSize(megabytes=80.5, notes=(), how="docker"),
    NotebookFailure(cell=2, source="1 / 0", error="ZeroDivisionError", late=False),
    ComponentIndependence(
        episodes=20,
        policies=("idle",),
        components=("a", "b"),
        rank=1,
        highest_correlation=CorrelatedPair(pair=("a", "b"), r=0.99),
        own_shares={"a": 0.5, "b": 0.0},
    ),
)


@pytest.mark.parametrize("evidence", EVIDENCE, ids=lambda each: type(each).__name__)
def test_a_check_is_read_as_it_was_written_with_every_kind_of_evidence(
    tmp_path: Path, evidence: BoxEvidence
) -> None:
    report = check_report(boxes=(checked_box(evidence=evidence),))
    report.save(tmp_path)
    loaded = CheckReport.load(tmp_path)
    assert loaded == report and loaded.digest() == report.digest()
    assert type(loaded.boxes[0].evidence) is type(evidence)
    written = json.loads((tmp_path / "check.json").read_text())["boxes"][0]["evidence"]
    assert written.keys() == dict(evidence).keys()


def test_a_grade_is_read_as_it_was_written(tmp_path: Path) -> None:
    report = grade_report()
    report.save(tmp_path)
    loaded = GradeReport.load(tmp_path)
    assert loaded == report and loaded.digest() == report.digest()
    body = json.loads((tmp_path / "grade.json").read_text())
    assert body["tasks"][0]["oracle"]["episodes"][0]["return"] == 1.0
    assert body["canaries"][0]["return"] == 0.0


def test_an_edited_return_is_named(tmp_path: Path) -> None:
    grade_report().save(tmp_path)
    file = GradeReport.path(tmp_path)
    file.write_text(file.read_text().replace('"return": 1.0', '"return": "much"', 1))
    with pytest.raises(
        StaleRecord, match=r"tasks\.0\.oracle\.episodes\.0\.return: .*run grade again"
    ):
        GradeReport.load(tmp_path)


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
