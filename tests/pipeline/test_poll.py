"""The poll on the zoo's gridworld and OpenEnv's template: what is run and what is only read, and what is missing."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml
from tests.records_made import (
    audit_report,
    audited_task,
    contract_item,
    contract_report,
    finding,
    judged_success,
)

from gonogo import config
from gonogo.config import RunConfig, blank
from gonogo.errors import MissingRecord, RecordError, TargetError
from gonogo.pipeline import gates as gates_command
from gonogo.pipeline.poll import ask, lacks, poll, running
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.provenance import source_hash
from gonogo.records.record import Verdict
from gonogo.records.stations import STATIONS, BoardRow, PollReport
from gonogo.records.submission import GradeReport
from gonogo.records.success import SaidBy

ROOT = Path(__file__).parents[2]
LITTLE = {"map.steps": 4, "map.seeds": 2, "map.tasks": 2, "audit.seeds": 4, "audit.search": 0}


def plan(target: str | Path, out: Path, **fields: object) -> RunConfig:
    return config.load(None, {"target": str(target), "out": str(out), **LITTLE, **fields})


def by_name(rows: Iterable[BoardRow]) -> dict[str, BoardRow]:
    return {row.station: row for row in rows}


def confirm(run: RunConfig) -> None:
    """Write what an author has to."""
    data = blank().model_dump(mode="json")
    data["theme"] = "5"
    data["themes"]["5"]["maps"] = {"answer": True, "reason": "Walking is original."}
    data["statement"] = dict.fromkeys(data["statement"], "A sentence.")
    run.words.parent.mkdir(parents=True, exist_ok=True)
    run.words.write_text(yaml.safe_dump({**data, "confirmed": True}))


def test_an_empty_run_is_read_as_not_asked_and_nothing_is_run(
    gridworld: Path, tmp_path: Path
) -> None:
    run = plan(gridworld, tmp_path)
    report = poll(run, only_read=True)
    rows = report.board
    assert report.verdict is Verdict.HOLD and PollReport.load(tmp_path).board == rows
    assert [row.station for row in rows] == list(STATIONS)
    assert {row.verdict for row in rows} == {None}
    assert [path.name for path in tmp_path.iterdir()] == ["poll.json"]
    train = by_name(rows)["train"]
    assert "no train.json in this run" in train.said and "no map.json" in train.said
    assert "no problem statement there" in train.said
    assert train.next is not None and train.next.startswith(f"gonogo plan {gridworld}")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_poll_goes_as_far_as_it_can_and_does_not_map_or_audit_twice(
    echo: Path, tmp_path: Path
) -> None:
    run = plan(echo, tmp_path)
    confirm(run)
    report = poll(run)
    rows = report.board
    found = by_name(rows)
    assert found["map"].verdict is Verdict.NO_GO  # the template takes a seed and drops it
    assert "takes a seed and drops it" in found["map"].said
    assert found["theme"].verdict is Verdict.GO
    assert found["train"].verdict is None and "before it" not in found["train"].said
    assert found["report"].verdict is Verdict.HOLD and "train.json" in found["report"].said
    assert found["check"].verdict is Verdict.NO_GO and report.verdict is Verdict.NO_GO
    assert json.loads((tmp_path / "poll.json").read_text())["board"][0]["station"] == "map"
    made = [shared.path(tmp_path).stat().st_mtime_ns for shared in (ContractReport, AuditReport)]
    again = poll(run).board
    assert [
        shared.path(tmp_path).stat().st_mtime_ns for shared in (ContractReport, AuditReport)
    ] == made
    assert [(row.station, row.verdict) for row in again] == [
        (row.station, row.verdict) for row in rows
    ]


def test_a_station_that_ends_before_its_record_shows_its_verdict(
    gridworld: Path, tmp_path: Path
) -> None:
    """OpenEnv's report does without the record where the manifest is not valid; asking again changes nothing."""
    run = plan(gridworld, tmp_path)
    row = ask(run, STATIONS["grade"], running(run)["grade"])
    assert not GradeReport.path(tmp_path).exists()
    assert row.verdict is Verdict.NO_GO and "gonogo grade shows" in row.said
    assert row.next is not None and row.next.startswith("mend what it says, then gonogo grade")


def test_a_no_go_that_is_accepted_shows_with_its_reason(gridworld: Path, tmp_path: Path) -> None:
    found = finding("paid_for_idling"), finding("seed_ignored")
    game = Path(shutil.copytree(gridworld, tmp_path / "game"))
    source = source_hash(game)
    audit_report(*found, source_hash=source, verdict="NO_GO").save(tmp_path)
    failing = contract_item("seed_control", "fail", finding="seed_ignored", task={})
    contract_report(
        contract=(failing,),
        items=(failing,),
        source_hash=source,
        findings=(found[1],),
        verdict="NO_GO",
    ).save(tmp_path)
    file = game / "gonogo.yaml"
    file.write_text("accept:\n- {finding: paid_for_idling, reason: a game of patience}\n")
    board = by_name(poll(plan(game, tmp_path), only_read=True).board)
    assert board["audit"].verdict is Verdict.NO_GO
    assert board["audit"].said.endswith("accepted: paid_for_idling (a game of patience)")
    assert board["map"].verdict is Verdict.NO_GO
    with file.open("a") as more:
        more.write("- {finding: seed_ignored, reason: it is one level}\n")
    board = by_name(poll(plan(game, tmp_path), only_read=True).board)
    assert board["audit"].verdict is Verdict.GO
    assert board["map"].verdict is not Verdict.NO_GO
    assert "accepted: seed_ignored (it is one level)" in board["map"].said
    file.write_text("accept:\n- {finding: seed_ignored}\n")
    board = by_name(poll(plan(game, tmp_path), only_read=True).board)
    assert board["audit"].verdict is None and "accept.0.reason" in board["audit"].said


@pytest.mark.parametrize(
    ("said_by", "verdict", "starts"),
    [
        ("assumed", "GO", "gonogo audit "),
        ("assumed", "NO_GO", "mend what it says, then gonogo audit "),
        ("nobody", "HOLD", "gonogo audit "),
    ],
)
def test_what_is_next_says_the_success_that_an_audit_assumed_or_proposed(
    said_by: SaidBy, verdict: str, starts: str, gridworld: Path, tmp_path: Path
) -> None:
    task = audited_task(judged=judged_success(said_by, 'state["won"]'))
    found = [finding("paid_for_idling")] if verdict == "NO_GO" else []
    source = source_hash(gridworld)
    audit_report(*found, source_hash=source, verdict=verdict, tasks=(task,)).save(tmp_path)
    row = by_name(poll(plan(gridworld, tmp_path), only_read=True).board)["audit"]
    assert row.next is not None and row.next.startswith(starts)
    assert shlex.split(row.next)[-2:] == ["--success", 'state["won"]']
    given = plan(gridworld, tmp_path, **{"rollout.success": "won"})
    said = by_name(poll(given, only_read=True).board)["audit"].next
    assert said is None if verdict == "GO" else "state" not in str(said)


def test_an_audit_that_lacked_time_is_next_with_as_many_minutes_as_it_takes(
    gridworld: Path, tmp_path: Path
) -> None:
    clock = {"minutes": 1.0, "first_finding_s": None, "verdict_s": 61.0, "minutes_needed": 3}
    source = source_hash(gridworld)
    audit_report(source_hash=source, verdict="HOLD", clock=clock).save(tmp_path)
    given = plan(gridworld, tmp_path, **{"audit.minutes": 1.0})
    row = by_name(poll(given, only_read=True).board)["audit"]
    assert "--minutes 3 " in row.said
    words = shlex.split(str(row.next))
    assert float(words[words.index("--minutes") + 1]) == 3


def test_what_stations_print_goes_into_the_log(
    gridworld: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = plan(gridworld, tmp_path)
    row = ask(run, STATIONS["map"], running(run)["map"])
    assert capsys.readouterr().out == ""
    assert " ".join(row.said.split()[:3]) in (tmp_path / "poll.log").read_text()


def test_a_stale_record_is_made_again_before_another_station_reads_it(
    gridworld: Path, tmp_path: Path
) -> None:
    order = list(running(plan(gridworld, tmp_path)))
    assert order.index("map") < order.index("audit") < order.index("theme")
    assert order.index("check") < order.index("report")


def test_a_record_of_another_source_is_said_and_not_believed(
    gridworld: Path, tmp_path: Path
) -> None:
    run = plan(gridworld, tmp_path)
    contract_report(source_hash="0" * 64, reason="fine").save(tmp_path)
    row = by_name(poll(run, only_read=True).board)["map"]
    assert row.verdict is None and "source_hash is '000" in row.said


def test_what_a_station_lacks(gridworld: Path, tmp_path: Path) -> None:
    run = plan(gridworld, tmp_path)
    assert lacks(run, "map") == []
    assert lacks(run, "audit") == ["no map.json in this run"]
    assert len(lacks(run, "train")) == 3
    confirm(run)
    assert len(lacks(run, "train")) == 2
    assert len(lacks(plan(gridworld, tmp_path / "x", **{"theme.required": False}), "probe")) == 1


def test_the_gate_asks_for_a_confirmed_statement(gridworld: Path, tmp_path: Path) -> None:
    run = plan(gridworld, tmp_path)
    with pytest.raises(MissingRecord, match="no problem statement there; see gonogo theme"):
        gates_command.check_statement(run)
    run.words.write_text(yaml.safe_dump(blank().model_dump(mode="json")))
    with pytest.raises(RecordError, match="confirmed is not true") as caught:
        gates_command.check_statement(run)
    assert caught.value.exit_code == 3
    gates_command.check_statement(plan(gridworld, tmp_path, **{"theme.required": False}))
    confirm(run)
    gates_command.check_statement(run)


def test_a_poll_of_nothing_is_misuse(tmp_path: Path) -> None:
    with pytest.raises(TargetError):
        poll(plan("nowhere", tmp_path))
    assert not any(tmp_path.iterdir())


def test_the_command_prints_json_and_nothing_else_and_answers_by_the_worst(
    gridworld: Path, tmp_path: Path
) -> None:
    words = ["poll", str(gridworld), "--out", str(tmp_path), "--json", "--read"]
    done = subprocess.run(
        [sys.executable, "-m", "gonogo", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 3, done.stderr
    board = json.loads(done.stdout)
    assert [row["station"] for row in board] == list(STATIONS)
