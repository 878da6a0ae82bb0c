"""The audit end to end: defects of the zoo found by name with witnesses that replay, look-alikes left alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.auditing.audits import CASES, audit, fly_audit
from tests.contract.walking import run as walk
from tests.records_made import audited_policy, audited_task, contract_item, contract_report
from tests.records_made import finding as found

from gonogo import config
from gonogo.api import replay_file
from gonogo.auditing import audit as auditing
from gonogo.auditing.audit import flyable_tasks, merged
from gonogo.auditing.flight_log import FOLDER
from gonogo.auditing.parallel import flown_within
from gonogo.cli import main
from gonogo.contract import check_env as station
from gonogo.contract.check_env import PER_TASK
from gonogo.env.target import resolve, source_of
from gonogo.errors import MissingRecord, StaleRecord
from gonogo.records.audit import AuditLimit, AuditReport
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict
from gonogo.rollouts.watch import Watch

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
    assert found in {name for finding in record.findings for name in finding.names}
    assert found in capsys.readouterr().out
    finding = next(f for f in record.findings if found in f.names)
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
    one, other = (record.model_dump(exclude={"created", "notes", "clock"}) for record in records)
    assert one == other


def test_reference_policies_of_a_folder_are_flown(walked: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    given = {"target": str(walked), "audit.seeds": 6, "audit.search": 600}
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
    _, record = fly_audit(tmp_path, {**given, "audit.search": 600}, *tasks)
    assert [sheet.task for sheet in record.tasks] == [{"level": "porch"}, {"level": "vault"}]
    assert {json.dumps(f.task) for f in record.findings} == {'{"level": "vault"}'}


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--reference", "solve"], "audit.reference"),
        (["--seeds", "1"], "audit.seeds"),
        (["--budget", "-1"], "--budget takes a whole number above 0, not -1"),
        (["--minutes", "0"], "--minutes takes a number above 0, not 0.0"),
        (
            ["--minutes", "1", "--budget", "9"],
            "--minutes 1.0 and --budget 9 each say where an audit ends: give one of them",
        ),
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
        "paid_for_idling:Sound", tmp_path, **{"audit.rewards": [function], "audit.budget": 4_000}
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
    assert all(row.cut + row.refused == row.episodes for row in rows)
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


def test_what_is_suspicious_hides_nothing_that_blocks() -> None:
    doubtful = found("paid_without_trying", severity=Severity.SUSPICIOUS)
    proven = found("paid_without_trying", severity=Severity.EXPLOIT)
    assert merged([doubtful, proven]) == merged([proven, doubtful]) == (proven,)


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


def test_a_task_whose_every_reset_raised_is_left_out() -> None:
    """A reset that waits for a service may take as long at each of the audit's flights."""
    items = (
        contract_item("episode", "na", task={}, evidence={"unbegun": True}),
        contract_item("episode", "na", task={"level": 1}),
    )
    assert flyable_tasks(contract_report({}, {"level": 1}, items=items)) == ({"level": 1},)


def test_without_a_map_or_with_another_versions_there_is_nothing_to_audit(tmp_path: Path) -> None:
    chosen = config.load(None, {"target": f"{CASES}.paid_for_idling:Defect", "out": str(tmp_path)})
    with pytest.raises(MissingRecord):
        auditing.run(chosen)
    contract_report(source_hash="1" * 64).save(tmp_path)
    with pytest.raises(StaleRecord):
        auditing.run(chosen)


def same(record: AuditReport) -> dict[str, object]:
    """What of a record does not depend on when and by which end it was made."""
    told = record.model_dump(mode="json", exclude={"clock", "created"})
    for name in ("budget", "jobs", "minutes"):
        told["config"]["audit"].pop(name, None)
    return told


@pytest.mark.parametrize("tasks", [(), ({"level": "porch"}, {"level": "vault"})])
def test_a_budget_repeats_an_audit_that_the_clock_cut(
    tasks: tuple[dict[str, str], ...], tmp_path: Path
) -> None:
    case = f"{CASES}.{'rotten_third_task' if tasks else 'paid_for_idling'}"
    given = {"target": f"{case}:Defect", "audit.reference": f"{case}:solve", "audit.jobs": 2}
    # On a busy machine little is flown in a few seconds: the clock is given more until a policy is. One that ends
    # between two stages, as before the first policy, counts the stage before as reached; a budget ends within it.
    for seconds in (4.0, 12.0, 24.0, 48.0):
        _, cut = fly_audit(tmp_path / "cut", given, *tasks, watch=Watch(seconds))
        if cut.budget.spent > 0 and "before anything" not in cut.reason:
            break
        shutil.rmtree(tmp_path / "cut")
    assert cut.budget.ended == "cut" and cut.budget.spent > 0 and cut.budget.unreached
    ends_s = flown_within(Watch(seconds)).seconds or 0.0
    assert cut.clock.verdict_s > ends_s and f"--budget {cut.budget.spent} " in cut.budget.text
    asked = {**given, "audit.budget": cut.budget.spent, "audit.jobs": 1}
    _, again = fly_audit(tmp_path / "again", asked, *tasks, watch=Watch(0.0))
    assert again.clock.minutes is None and "minutes" not in again.config["audit"]
    assert same(again) == same(cut)
    witnesses = [tmp_path / name / "witnesses.jsonl" for name in ("cut", "again")]
    assert witnesses[0].read_bytes() == witnesses[1].read_bytes()


def test_a_second_audit_goes_on_from_where_the_first_was_cut(tmp_path: Path) -> None:
    case = f"{CASES}.paid_for_idling"
    given = {"target": f"{case}:Defect", "audit.reference": f"{case}:solve", "audit.search": 0}
    given |= {"audit.seeds": 4}
    _, first = fly_audit(tmp_path, {**given, "audit.budget": 2500})
    assert first.budget.ended == "cut" and first.findings
    logs = sorted((tmp_path / FOLDER).rglob("task-0.jsonl"))
    before = [log.read_bytes() for log in logs]
    _, second = fly_audit(tmp_path, {**given, "audit.budget": 5000})
    assert [log.read_bytes()[: len(old)] for log, old in zip(logs, before, strict=True)] == before
    assert any("steps to the earlier audit and found " in note for note in second.notes)
    _, whole = fly_audit(tmp_path, given)
    assert whole.budget.ended == "flown" and whole.budget.text == ""
    assert not (tmp_path / FOLDER).exists()
    fresh = fly_audit(tmp_path / "fresh", given)[1]
    assert same(fresh) | {"notes": []} == same(whole) | {"notes": []}


def test_an_audit_says_what_of_the_contract_the_maps_time_left_unchecked(tmp_path: Path) -> None:
    target = f"{CASES}.paid_for_idling:Sound"
    run = config.load(None, {"target": target, "out": str(tmp_path), "audit.budget": 60})
    late = [contract_item(check, "na", evidence={"late": True}) for check in PER_TASK]
    source = source_of(resolve(target))
    contract_report(items=late, source_hash=source).save(tmp_path)
    auditing.run(run)
    record = AuditReport.load(tmp_path)
    assert record.unchecked and f"and {len(PER_TASK) - 4} more" in record.unchecked[0]
    assert record.unchecked[0] in record.reason and record.unchecked[0] in record.said
    assert any(PER_TASK[-1] in note and "gonogo map" in note for note in record.notes)
    assert record.unchecked[0] in (tmp_path / "audit.md").read_text()
    go = record.model_copy(update={"missing": ()}).accepting(lambda _: "so it is")
    assert record.unchecked[0] in go.reason
    contract_report(source_hash=source).save(tmp_path)
    auditing.run(run)
    assert AuditReport.load(tmp_path).unchecked == ()


def test_a_hold_for_want_of_time_says_how_many_minutes_it_takes(tmp_path: Path) -> None:
    given = {"target": f"{CASES}.paid_for_idling:Sound", "audit.minutes": 1.0}
    verdict, record = fly_audit(tmp_path, given, watch=Watch(0.0))
    assert verdict is Verdict.HOLD and record.flown.steps == 0
    assert record.clock.minutes_needed == record.needed == 2
    assert "--minutes 2 " in record.said and "--minutes" not in record.reason
    assert "--minutes 2 " in (tmp_path / "audit.md").read_text()
    told = record.model_copy(update={"verdict": Verdict.GO})
    assert told.needed is None and "--minutes" not in told.said


def test_what_pays_for_waiting_is_proven_before_the_panel_goes_on(tmp_path: Path) -> None:
    """30 s of a desk whose steps take 20 ms: its exploration alone succeeds."""
    given = {"target": "tests.zoo.helpdesk:Helpdesk", "audit.budget": 1000}
    verdict, record = fly_audit(tmp_path, given)
    assert verdict is Verdict.NO_GO and record.budget.unreached[0] == "the panel"
    (finding,) = record.findings
    assert finding.id == "stalling_pays" and "flown last" in finding.explanation
    assert replay_file(tmp_path / "witnesses.jsonl", None).verdict is Verdict.GO
