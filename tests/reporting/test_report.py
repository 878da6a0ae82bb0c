"""The report: a page from records alone; what is missing is said, what disagrees is refused by its field."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from tests.reporting.reading import Reader, page_of

from gonogo.cli import main
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.files import digest
from gonogo.records.record import Verdict
from gonogo.records.stations import PageReport
from gonogo.reporting import report as station


def test_a_whole_run_is_go_and_its_page_says_what_the_records_say(run: Path) -> None:
    assert station.run(run) is Verdict.GO
    read = Reader(page_of(run))
    evaluation = EvaluationReport.load(run)
    for reason in (
        ContractReport.load(run).reason,
        AuditReport.load(run).reason,
        evaluation.reason,
    ):
        assert reason in read.text
    for name, entry in evaluation.policies.items():
        assert name in read.text
        assert f"{entry.score.mean:.3f}" in read.text
    for finding in AuditReport.load(run).findings:
        assert finding.id in read.text
        assert finding.explanation in read.text
    for part in ("form", "task"):  # the components of the training
        assert part in read.text


def test_the_record_names_the_page_its_records_and_its_episodes(run: Path) -> None:
    station.run(run)
    record = PageReport.load(run)
    content = (run / "report.html").read_bytes()
    assert record.page.sha256 == hashlib.sha256(content).hexdigest()
    assert set(record.records) == {"map.json", "audit.json", "train.json", "evaluation.json"}
    assert {row.policy for row in record.embedded} == {"idle", "random"}
    assert record.missing == ()
    body = json.loads(record.path(run).read_text())
    assert body["records"]["evaluation.json"]["schema"] == "gonogo/evaluation/2"
    assert {"readme", "writeup", "video"}.isdisjoint(body) and digest(body) == record.digest()


def test_the_command_ends_with_the_verdict(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["gonogo", "report", str(run)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "report.html" in capsys.readouterr().out
    (run / "map.json").write_text('{"schema": "gonogo/map/9"}')
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 3
    assert "schema must be gonogo/map/1" in capsys.readouterr().err
