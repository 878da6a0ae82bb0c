"""The audits in the wild: the page is what the record and the readings give, and nothing is left unread."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from gonogo.records import read_record

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def benchmark(name: str) -> Any:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


wild, wild_page = benchmark("wild"), benchmark("wild_page")


def test_the_page_is_what_the_record_and_the_readings_give() -> None:
    record = read_record(DOCS / "wild" / "record.json", "wild", 1)
    readings, mended = wild_page.read_readings(DOCS / "wild" / "readings.yaml")
    assert wild_page.unread(record, readings) == ([], [])
    assert (DOCS / "wild.md").read_text() == wild_page.page(record, readings, mended)


def test_the_record_holds_eight_environments_that_were_audited() -> None:
    rows = read_record(DOCS / "wild" / "record.json", "wild", 1)["environments"]
    audited = [row["name"] for row in rows if row["stations"].get("audit", {}).get("verdict")]
    assert len(audited) >= 8
    assert {row["name"] for row in rows} <= {w.name for w in wild.ENVIRONMENTS}


def test_every_policy_that_is_to_succeed_is_there() -> None:
    policies = benchmark("wild_policies")
    named = [w.reference for w in wild.ENVIRONMENTS if w.reference is not None]
    assert named
    assert all(callable(getattr(policies, name)) for name in named)


def row(*findings: str) -> dict[str, Any]:
    found = [
        {
            "id": name,
            "stations": ["map"],
            "tasks": [{}],
            "explanation": f"{name} happened",
            "witness": {"reset": {"seed": 3}, "actions": [{"go": 1}]},
        }
        for name in findings
    ]
    answer = {"verdict": "NO_GO", "reason": "x", "problem": None, "seconds": 1.4}
    return {
        "name": "maze",
        "version": "1.2",
        "commit": "abc",
        "reference": None,
        "setup": {"problem": None, "packages": {"openenv": "0.10.0"}},
        "stations": {"map": answer, "audit": {**answer, "verdict": "HOLD", "reason": "no word."}},
        "findings": found,
    }


def reading(finding: str, answer: str) -> dict[str, Any]:
    said = {
        "environment": "maze",
        "finding": finding,
        "reading": answer,
        "why": f"line 3: {answer}",
    }
    return {("maze", finding): said}


def test_the_page_counts_both_answers_and_tells_each_finding() -> None:
    readings = {**reading("hangs", "confirmed"), **reading("dies", "refuted")}
    entry = {"environment": "chess", "finding": "dies", "why": "it lived", "change": "it waits"}
    mended = wild_page.Mended(7, [entry])
    text = wild_page.page({"environments": [row("hangs", "dies")]}, readings, mended)
    assert "| maze | 1.2 | none | NO-GO | HOLD | 2 | 1 | 1 | 3 |" in text
    assert "2 findings, 1 confirmed, 1 refuted" in text
    assert "- maze, audit: no word" in text
    assert "### maze: dies, refuted" in text
    assert 'reset `{"seed": 3}`, actions `[{"go": 1}]`' in text
    assert "line 3: confirmed" in text
    assert "An earlier pass had 7 findings, 1 of them refuted" in text
    assert "- chess, dies: it lived. Change: it waits." in text


def test_a_finding_without_a_reading_and_a_reading_without_a_finding_are_named() -> None:
    record = {"environments": [row("hangs")]}
    assert wild_page.unread(record, {}) == ([("maze", "hangs")], [])
    both = {**reading("hangs", "confirmed"), **reading("dies", "refuted")}
    assert wild_page.unread(record, both) == ([], [("maze", "dies")])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("readings: [{environment: a, finding: b, reading: confirmed}]", "a reading has"),
        ("readings: [{environment: a, finding: b, reading: maybe, why: c}]", "not 'maybe'"),
        (
            "readings: [&a {environment: a, finding: b, reading: refuted, why: c}, *a]",
            "read twice",
        ),
        ("readings: []\nmended: [{environment: a, finding: b, why: c}]", "what was mended has"),
    ],
)
def test_a_reading_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "readings.yaml").write_text(text)
    with pytest.raises(ValueError, match=said):
        wild_page.read_readings(tmp_path / "readings.yaml")


def test_what_both_packages_install_is_left_to_gonogo(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\ndependencies = ["openenv-core[core]>=0.2", "openenv>=1", "openenvoy", "numpy"]'
    )
    wanted, left_out = wild.requirements(tmp_path)
    assert wanted == ["openenvoy", "numpy"]
    assert left_out == ["openenv-core[core]>=0.2", "openenv>=1"]


def test_a_command_that_hangs_is_ended() -> None:
    code, said = wild.command([sys.executable, "-c", "import time; time.sleep(60)"], 0.5)
    assert code is None
    assert said == "no verdict within 0.5 s"


def test_a_long_witness_is_shortened_and_says_so() -> None:
    short = wild.shortened({"actions": list(range(9)), "text": "x" * 300})
    assert short["actions"] == [0, 1, 2, 3, 4, 5, "and 3 more"]
    assert short["text"].endswith("… (300 characters)")
