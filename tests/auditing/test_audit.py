"""The audit end to end: defects of the zoo found by name with witnesses that replay, look-alikes left alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.auditing.audits import CASES, audit, fly_audit
from tests.contract.walking import run as walk
from tests.records_made import audited_policy, audited_task, contract_item, contract_report

from gonogo import config
from gonogo.api import replay_file
from gonogo.auditing import audit as auditing
from gonogo.auditing.audit import flyable_tasks
from gonogo.cli import main
from gonogo.contract import check_env as station
from gonogo.errors import MissingRecord, StaleRecord
from gonogo.records.audit import AuditLimit, AuditReport
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


@pytest.mark.parametrize(
    ("pair", "found"),
    [
        ("self_reported_reward", "self_reported_reward"),
        pytest.param("early_end_success", "early_end_success", marks=pytest.mark.long),
        pytest.param("paid_for_idling", "paid_for_idling", marks=pytest.mark.slow),
        pytest.param("milestone_then_idle", "milestone_then_idle", marks=pytest.mark.slow),
        pytest.param("nan_reward", "nan_reward", marks=pytest.mark.slow),
    ],
)
def test_a_defect_is_found_by_name_and_its_look_alike_is_not(
    pair: str, found: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verdict, record = audit(f"{pair}:Defect", tmp_path / "defect")
    assert verdict is Verdict.NO_GO
    assert found in {finding.id for finding in record.findings}
    assert found in capsys.readouterr().out
    finding = next(f for f in record.findings if f.id == found)
    assert len(finding.witness.plan) <= len(finding.witness.actions)
    assert replay_file(tmp_path / "defect" / "witnesses.jsonl", None).verdict is Verdict.GO

    verdict, record = audit(f"{pair}:Sound", tmp_path / "sound")
    assert (verdict, record.findings) == (Verdict.GO, ())
    assert (tmp_path / "sound" / "witnesses.jsonl").read_text() == ""


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "verdict"),
    [("Defect", Verdict.NO_GO), pytest.param("Sound", Verdict.GO, marks=pytest.mark.slow)],
)
def test_a_server_is_audited_as_a_worker_is(
    tmp_path: Path, serve_class: Callable[[str], str], name: str, verdict: Verdict
) -> None:
    module = f"{CASES}.paid_for_idling"
    audited, record = audit(
        f"paid_for_idling:{name}", tmp_path, target=serve_class(f"{module}:{name}")
    )
    assert audited is verdict
    found = {finding.id for finding in record.findings}
    assert ("paid_for_idling" in found) == (name == "Defect")
    if name == "Defect":
        assert replay_file(tmp_path / "witnesses.jsonl", None).verdict is Verdict.GO


@pytest.mark.long
def test_the_same_seed_gives_the_same_record(tmp_path: Path) -> None:
    records = [audit("self_reported_reward:Defect", tmp_path / str(n), seed=4)[1] for n in range(2)]
    one, other = (record.model_dump(exclude={"created", "notes"}) for record in records)
    assert one == other


def test_reference_policies_of_a_folder_are_flown(walked: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    given = {"target": str(walked), "audit.seeds": 6, "audit.budget": 600}
    verdict, record = fly_audit(out, given)
    assert verdict is Verdict.GO
    walker = next(r for r in record.tasks[0].policies if r.policy == "walker")
    assert (walker.kind, walker.success.mean) == ("reference", 1.0)
    assert record.source_hash


@pytest.mark.slow
def test_the_tasks_of_a_map_are_audited(tmp_path: Path) -> None:
    case = f"{CASES}.rotten_third_task"
    given = {"target": f"{case}:Defect", "audit.reference": f"{case}:solve", "audit.seeds": 8}
    tasks = [{"level": level} for level in ("porch", "vault")]
    _, record = fly_audit(tmp_path, {**given, "audit.budget": 600}, *tasks)
    assert [sheet.task for sheet in record.tasks] == [{"level": "porch"}, {"level": "vault"}]
    assert {json.dumps(f.task) for f in record.findings} == {'{"level": "vault"}'}


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--reference", "solve"], "audit.reference"),
        (["--seeds", "1"], "audit.seeds"),
        (["--budget", "-1"], "audit.budget"),
        (["--reset", "level"], "NAME=VALUE"),
    ],
)
def test_bad_flags_are_misuse(
    flags: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    words = ["gonogo", "audit", f"{CASES}.nan_reward:Sound", "--out", str(tmp_path), *flags]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_a_trainers_reward_function_is_audited_in_the_environments_place(tmp_path: Path) -> None:
    function = "tests.zoo.paid_outside:length"
    verdict, record = audit(
        "paid_for_idling:Sound", tmp_path, **{"audit.rewards": [function], "audit.budget": 0}
    )
    assert verdict is Verdict.NO_GO
    assert {finding.component for finding in record.findings} == {function}
    witnesses = tmp_path / "witnesses.jsonl"
    assert replay_file(witnesses, None, rewards=[function]).verdict is Verdict.GO
    assert replay_file(witnesses, None).verdict is Verdict.NO_GO


def test_an_audit_of_what_never_ends_says_whose_numbers_are_cut(tmp_path: Path) -> None:
    mapped = walk("Treadmill", tmp_path, map__end_steps=100)
    station.run(mapped)
    auditing.run(mapped)
    record = AuditReport.load(tmp_path)
    rows = record.tasks[0].policies
    assert rows
    assert all(row.cut == row.episodes for row in rows)
    assert "were cut after 64 turns" in record.notes[0]
    assert "were cut after 64 turns" in (tmp_path / "audit.md").read_text()


def test_an_audits_note_names_whom_it_cut() -> None:
    rows = (
        audited_policy("idle", "idle", cut=3, episodes=4),
        audited_policy("walk", "reference", cut=0, episodes=4),
    )
    limit = AuditLimit(turns=64, why="no episode was seen to end by itself")
    said = list(auditing.cut_notes(audited_task(policies=rows), limit))
    assert len(said) == 1
    assert "3 of 8 episodes" in said[0]
    assert "idle" in said[0]
    assert "walk" not in said[0]
    assert not list(auditing.cut_notes(audited_task(policies=rows[1:]), limit))


def test_tasks_are_without_their_seeds_and_each_once() -> None:
    tasks = ({"level": 1, "seed": 4}, {"level": 1, "seed": 5}, {"seed": 6}, {})
    assert flyable_tasks(contract_report(*tasks)) == ({"level": 1}, {})


def test_a_task_that_the_map_could_not_fly_is_left_out() -> None:
    items = (
        contract_item("episode", "fail", task={"level": 2}),
        contract_item("reward_range", "fail", task={"level": 1}),
    )
    assert flyable_tasks(contract_report({"level": 1}, {"level": 2}, items=items)) == (
        {"level": 1},
    )


def test_without_a_map_or_with_another_versions_there_is_nothing_to_audit(tmp_path: Path) -> None:
    chosen = config.load(None, {"target": f"{CASES}.paid_for_idling:Defect", "out": str(tmp_path)})
    with pytest.raises(MissingRecord):
        auditing.run(chosen)
    contract_report(source_hash="1" * 64).save(tmp_path)
    with pytest.raises(StaleRecord):
        auditing.run(chosen)
