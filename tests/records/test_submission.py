"""The records of ``gonogo check`` and ``gonogo grade`` are read as they were written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.records_made import check_report, checked_box, grade_report

from gonogo.errors import StaleRecord
from gonogo.records.submission import (
    BaseClasses,
    BoxEvidence,
    CheckReport,
    ComponentIndependence,
    CorrelatedPair,
    DeadLinks,
    GradeReport,
    ImageSize,
    LargeFiles,
    MissingParts,
    NewestRelease,
    NotebookFailure,
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
