"""The field: its names are what the rule draws, and the page is what record and readings give."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.benchmarking import benchmark

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
field, field_page = benchmark("field"), benchmark("field_page")


def test_the_names_are_what_the_rule_draws_from_the_frame() -> None:
    before: list[str] = []
    for drawing in field_page.read_draws():
        names = field.drawn(drawing["frame"], drawing["salt"], before)
        listed = [e["name"] for e in [*drawing["development"], *drawing["field"]]]
        assert listed == names
        assert sum(e["commit"] is not None for e in drawing["field"]) >= 60
        before += drawing["frame"]


def test_what_is_on_record_stays_where_its_clone_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3, 4, 5):
        shutil.copytree(DOCS / "field" / f"draw-{number}", tmp_path / "field" / f"draw-{number}")
    record = tmp_path / "field" / "draw-5" / "record.json"
    before = json.loads(record.read_text())["environments"]
    (tmp_path / "clones" / before[0]["name"].replace("/", "+")).mkdir(parents=True)
    for name in ("XDG_CACHE_HOME", "PATH"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.setattr(field, "examine", lambda entry, chosen: before[0])
    words = (
        f"field.py --clones {tmp_path / 'clones'} --out {tmp_path} --scratch {tmp_path / 'runs'}"
    )
    monkeypatch.setattr("sys.argv", [*words.split(), "--again"])
    field.main()
    assert json.loads(record.read_text())["environments"] == before


def test_an_owner_is_drawn_once() -> None:
    names = field.drawn(["a/x", "A/y", "b/z", "C/w"], "salt:", ["c/v"])
    assert sorted(name.lower()[0] for name in names) == ["a", "b"]


def test_what_was_missed_is_sorted_by_kind_as_it_was_read() -> None:
    draws = field_page.read_audited(DOCS)
    kinds = yaml.safe_load((DOCS / "field" / "kinds.yaml").read_text())
    name = next(iter(kinds["missed"][1]))
    kinds["missed"][1][name] = {99: "constant"}
    with pytest.raises(ValueError, match=f"not proven, or the other way round: .*{name}"):
        field_page.kinds_page(draws, kinds)


def test_the_pages_are_what_the_records_and_the_readings_give() -> None:
    draws = field_page.read_audited(DOCS)
    assert (DOCS / "field.md").read_text() == field_page.overview(draws)
    kinds = yaml.safe_load((DOCS / "field" / "kinds.yaml").read_text())
    assert (DOCS / "field" / "kinds.md").read_text() == field_page.kinds_page(draws, kinds)
    for draw in draws:
        page = DOCS / "field" / f"draw-{draw.number}.md"
        assert page.read_text() == field_page.details(draw)


def test_the_readme_says_of_the_last_draw_what_its_page_says() -> None:
    draw = field_page.read_audited(DOCS)[-1].parts[-1]
    told = (
        (ROOT / "README.md")
        .read_text()
        .partition("[The field](docs/field.md)")[2]
        .partition("\n")[0]
    )
    shares = field_page.figures(draw.rows, draw.readings)
    figures = {what: here.partition(":")[0] for what, here, _ in shares}
    for what in (
        "open and get a verdict, or get one right line why not",
        "of those that run: NO-GO whose witness the reader confirms, or GO under a success that the reader agrees with",
        "the same, about the reward",
        "findings refuted or with wrong evidence, of those read",
        "prevalence of proven pay for nothing, of those that run",
    ):
        assert figures[what] in told


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


READ = {
    "paid": """findings:
- {finding: farmable_cycle, reading: confirmed, why: x}
- {finding: hangs, reading: wrong evidence, why: x}""",
    "contract": "findings: [{finding: hangs, reading: confirmed, why: x}]",
    "wrong": "findings: [{finding: farmable_cycle, reading: refuted, why: x}]",
    "good": "success: {right: true, why: x}",
    "missed": """success: {right: true, why: x}
missed: [{what: idling is paid, pay_for_nothing: true, why: x}]""",
    "held": "success: {right: false, why: x}",
    "closed": "opening: {right: true, why: x}",
    "other": "opening: {right: false, why: x}",
}


def test_every_figure_is_counted_from_the_readings(tmp_path: Path) -> None:
    rows = [
        row("o/paid", "NO_GO", ("farmable_cycle", "proven exploit"), ("hangs", "contract")),
        row("o/contract", "NO_GO", ("hangs", "contract")),
        row("o/wrong", "NO_GO", ("farmable_cycle", "proven exploit")),
        row("o/good", "GO", ("paid_for_length", "suspicious")),
        row("o/missed", "GO"),
        row("o/held", "HOLD", success={"said_by": "assumed", "expression": "won"}),
        row("o/closed", None, traceback=True),
        row("o/other", None, endless=True),
    ]
    for name, said in READ.items():
        text = f"environment: o/{name}\ngonogo: g\n{said}\n"
        (tmp_path / f"o+{name}.yaml").write_text(text)
    read = field_page.read_readings(tmp_path, {each["name"]: "g" for each in rows})
    shares = {what: figure for what, figure, _ in field_page.figures(rows, read)}
    counts = [figure.partition(":")[0] for figure in shares.values()]
    assert counts == [
        "7 of 8",
        "4 of 6",
        "3 of 6",
        "1 of 2",
        "2 of 4",
        "1 of 2",
        "1 of 2",
        "none",
        "0 of 1",
        "1; 1",
        "3 (of 6)",
        "9 (of 6)",
        "2 of 6",
    ]
    assert field_page.unread(rows, read) == (["o/good: paid_for_length"], [])
    draw = field_page.AuditedDraw(1, len(rows), rows, read)
    text = field_page.details(draw)
    assert "1 readings are still to be made" in text
    assert "idling is paid (pay for nothing)" in text
    assert f"| {shares['tracebacks; endless runs']} |" in field_page.overview([draw])


def test_what_another_commit_audited_later_has_figures_of_its_own() -> None:
    rows = [row(f"o/{name}", "NO_GO") for name in "abc"]
    read = field_page.Readings()
    whole = field_page.AuditedDraw(1, 3, rows, read)
    assert whole.parts == [whole]
    draw = field_page.AuditedDraw(1, 3, rows, read, "o/c")
    assert [[each["name"] for each in part.rows] for part in draw.parts] == [
        ["o/a", "o/b"],
        ["o/c"],
    ]
    page = field_page.overview([draw])
    assert (
        "draw-1.md), the last 1, gonogo g | [draw 1](field/draw-1.md), the first 2, gonogo g"
        in page
    )


@pytest.mark.parametrize(
    "said",
    [
        "findings: [{finding: b, reading: perhaps, why: x}]",
        "findings: [{finding: b, reading: confirmed}]",
        "missed: [{what: b, pay_for_nothing: perhaps, why: x}]",
        "findings: [{finding: b, reading: confirmed, why: x}, {finding: b, reading: refuted, why: x}]",
        "guesses: []",
        "environment: o/other",
    ],
)
def test_readings_that_are_not_in_order_are_refused(tmp_path: Path, said: str) -> None:
    head = "gonogo: g\n" + ("" if "environment" in said else "environment: o/one\n")
    (tmp_path / "o+one.yaml").write_text(f"{head}{said}\n")
    with pytest.raises(ValueError):
        field_page.read_readings(tmp_path, {})


def test_the_reading_of_another_audit_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "o+one.yaml").write_text(
        "environment: o/one\ngonogo: aa11\nfindings: [{finding: hangs, reading: refuted, why: x}]\n"
    )
    assert field_page.read_readings(tmp_path, {"o/one": "aa1122"}).findings
    read = field_page.read_readings(tmp_path, {"o/one": "bb1122"})
    assert not read.findings
    assert "o/one: another audit was read" in field_page.unread([], read)[0]


def test_a_command_is_watched_line_by_line_and_ended_at_its_limit() -> None:
    program = "import time; print('paid_for_idling found', flush=True); time.sleep(60)"
    seen = field.watch([sys.executable, "-c", program], 5.0, env=dict(os.environ))
    assert seen.code is None
    assert seen.first(field.FINDING) is not None
    assert seen.seconds < 30


def test_what_a_command_leaves_running_is_ended_with_it() -> None:
    leaves = (
        "import subprocess, sys, time; "
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True); "
        "time.sleep(3); print(child.pid)"
    )
    seen = field.watch([sys.executable, "-c", leaves], 30.0, env=dict(os.environ))
    assert (seen.code, seen.left) == (0, 1)
    assert int(seen.said) not in field.processes()


def test_findings_of_the_same_id_have_keys_of_their_own() -> None:
    found = [
        {"id": "hangs", "component": part, "task": {}, "explanation": "x", "witness": {}}
        for part in (None, "speed", None)
    ]
    rows = field.findings({"findings": found})
    assert [(each["key"], len(each["tasks"])) for each in rows] == [("hangs", 2), ("hangs 2", 1)]


def test_a_reader_is_shown_claims_and_witnesses_and_nothing_of_how_they_were_found() -> None:
    found = {"id": "hangs", "task": {}, "explanation": "x", "witness": {"actions": list(range(50))}}
    rows = field.findings({"findings": [found]})
    shown = yaml.safe_load(
        field.packet({**row("o/one", "NO_GO"), "said": "secret", "findings": rows})
    )
    assert shown["findings"][0]["witness"] == {"actions": list(range(50))}
    assert "secret" not in str(shown)
