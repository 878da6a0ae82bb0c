"""The field: its names are what the rule draws, and the page is what record and readings give."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.benchmarking import benchmark

from gonogo.errors import MissingRecord
from gonogo.records.files import read_record

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
field, field_page = benchmark("field"), benchmark("field_page")


def test_the_names_are_what_the_rule_draws_from_the_frame() -> None:
    drawing = yaml.safe_load((ROOT / "benchmarks" / "field.yaml").read_text())
    names = field.drawn(drawing["frame"])
    assert [e["name"] for e in drawing["development"]] == names[: field.DEVELOPMENT]
    assert [e["name"] for e in drawing["field"]] == names[field.DEVELOPMENT :]
    assert sum(e["commit"] is not None for e in drawing["field"]) >= 60


def test_an_owner_is_drawn_once() -> None:
    names = field.drawn(["a/x", "A/y", "b/z"])
    assert sorted(name.lower()[0] for name in names) == ["a", "b"]


def test_the_page_is_what_the_record_and_the_readings_give() -> None:
    try:
        record = read_record(DOCS / "field" / "record.json", "field", 1)
    except MissingRecord:
        record = None
    readings = field_page.read_readings(DOCS / "field" / "readings.yaml")
    assert (DOCS / "field.md").read_text() == field_page.page(record, readings)


def row(
    name: str, verdict: str | None, *findings: tuple[str, str], **fields: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "commit": "c",
        "gonogo": "g",
        "verdict": verdict,
        "reason": None,
        "why_not": None if verdict else "no module x",
        "traceback": False,
        "endless": False,
        "seconds": {"install": 1.0, "first_finding": 3.0, "verdict": 9.0},
        "success": None,
        "findings": [
            {"key": key, "id": key, "severity": severity, "explanation": "", "witness": {}}
            for key, severity in findings
        ],
        **fields,
    }


def test_every_figure_is_counted_from_the_readings(tmp_path: Path) -> None:
    rows = [
        row("o/paid", "NO_GO", ("farmable_cycle", "proven exploit"), ("hangs", "contract")),
        row("o/contract", "NO_GO", ("hangs", "contract")),
        row("o/wrong", "NO_GO", ("farmable_cycle", "proven exploit")),
        row("o/good", "GO", ("paid_for_length", "suspicious")),
        row("o/missed", "GO"),
        row("o/held", "HOLD"),
        row("o/closed", None, traceback=True),
        row("o/other", None, endless=True),
    ]
    readings = tmp_path / "readings.yaml"
    readings.write_text("""
openings: [{environment: o/closed, right: true, why: x}, {environment: o/other, right: false, why: x}]
findings:
- {environment: o/paid, finding: farmable_cycle, reading: confirmed, why: x}
- {environment: o/paid, finding: hangs, reading: wrong evidence, why: x}
- {environment: o/contract, finding: hangs, reading: confirmed, why: x}
- {environment: o/wrong, finding: farmable_cycle, reading: refuted, why: x}
success: [{environment: o/good, right: true, why: x}, {environment: o/missed, right: true, why: x}]
missed: [{environment: o/missed, what: idling is paid, pay_for_nothing: true, why: x}]
read: [o/paid, o/contract, o/wrong, o/good, o/missed, o/held, o/closed, o/other]
""")
    read = field_page.read_readings(readings)
    shares = {what: figure for what, figure, _ in field_page.figures(rows, read)}
    counts = [figure.partition(":")[0] for figure in shares.values()]
    assert counts == [
        "7 of 8",
        "4 of 6",
        "3 of 6",
        "1 of 2",
        "2 of 4",
        "1; 1",
        "3 (of 6)",
        "9 (of 6)",
        "2 of 6",
    ]
    assert field_page.unread(rows, read) == (["o/good: paid_for_length"], [])
    text = field_page.page({"environments": rows}, read)
    assert "1 readings are still to be made" in text
    assert "idling is paid (pay for nothing)" in text


@pytest.mark.parametrize(
    "said",
    [
        "findings: [{environment: a, finding: b, reading: perhaps, why: x}]",
        "findings: [{environment: a, finding: b, reading: confirmed}]",
        "openings: [{environment: a, right: true, why: x}, {environment: a, right: true, why: x}]",
        "guesses: []",
    ],
)
def test_readings_that_are_not_in_order_are_refused(tmp_path: Path, said: str) -> None:
    (tmp_path / "readings.yaml").write_text(said)
    with pytest.raises(ValueError):
        field_page.read_readings(tmp_path / "readings.yaml")


def test_a_command_is_watched_line_by_line_and_ended_at_its_limit() -> None:
    program = "import time; print('paid_for_idling found', flush=True); time.sleep(60)"
    seen = field.watch([sys.executable, "-c", program], 5.0, env=dict(os.environ))
    assert seen.code is None
    assert seen.first(field.FINDING) is not None
    assert seen.seconds < 30


def test_what_a_repository_asks_for_is_read_from_either_file(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(
        "# packages\nfastapi # server\n-r other.txt\n\nuvicorn\n"
    )
    assert field.asked(tmp_path) == ["fastapi", "uvicorn"]
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["numpy"]\n')
    assert field.asked(tmp_path) == ["numpy"]


def test_findings_of_the_same_id_have_keys_of_their_own() -> None:
    found = [
        {"id": "hangs", "component": part, "task": {}, "explanation": "x", "witness": {}}
        for part in (None, "speed", None)
    ]
    rows = field.findings({"findings": found})
    assert [(each["key"], len(each["tasks"])) for each in rows] == [("hangs", 2), ("hangs 2", 1)]
