"""The audit end to end: defects of the zoo found by name with witnesses that replay, look-alikes left alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.records_made import contract_report
from tests.records_made import finding as made_finding

from gonogo import config
from gonogo.auditing.run import decide, run
from gonogo.cli import main
from gonogo.env.source import source_of
from gonogo.env.target import resolve
from gonogo.errors import ConfigError
from gonogo.evaluation.replay import replay
from gonogo.records.audit import AuditReport
from gonogo.records.base import Verdict

ROOT = Path(__file__).parents[2]
CASES = "tests.zoo.cases"


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import paths are looked up from the working directory."""
    monkeypatch.chdir(ROOT)


Json = dict[str, Any]
Audit = tuple[Verdict, AuditReport]


def audit(name: str, out: Path, *, solve: bool = True, **fields: Any) -> Audit:
    """Audit one class of the zoo; the verdict and the record."""
    given = {"target": f"{CASES}.{name}", "audit.seeds": 8, "audit.budget": 600}
    if solve:
        given["audit.reference"] = f"{CASES}.{name.partition(':')[0]}:solve"
    return fly_audit(out, {**given, **fields})


def fly_audit(out: Path, given: Json, *tasks: Json, findings: Sequence[Json] = ()) -> Audit:
    """Audit by the station alone, with a map that somebody left; the verdict and the record."""
    chosen = config.load(None, {**given, "out": str(out)})
    source = source_of(resolve(chosen.target))
    contract_report(*tasks, findings=findings, source_hash=source).save(out)
    return run(chosen), AuditReport.load(out)


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
    assert replay(tmp_path / "defect" / "witnesses.jsonl", None).verdict is Verdict.GO

    verdict, record = audit(f"{pair}:Sound", tmp_path / "sound")
    assert (verdict, record.findings) == (Verdict.GO, ())
    assert (tmp_path / "sound" / "witnesses.jsonl").read_text() == ""


@pytest.mark.parametrize(
    ("name", "found"), [("UnpaidLock", ["failure_earns_as_much"]), ("PaidLock", [])]
)
def test_a_failure_that_earns_what_a_success_does_is_found_and_the_table_agrees(
    name: str, found: list[str], tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.single:{name}", "audit.reference": "tests.zoo.single:lock"}
    verdict, record = fly_audit(tmp_path, {**given, "audit.seeds": 4, "audit.budget": 200})
    assert [finding.id for finding in record.findings] == found
    assert verdict is (Verdict.NO_GO if found else Verdict.GO)
    numbers = record.tasks[0].numbers
    assert numbers.best_failing_return == 1.0
    assert numbers.success_on_its_seed == numbers.best_known_return
    assert (numbers.success_on_its_seed > 1.0) == (not found)
    if found:
        assert replay(tmp_path / "witnesses.jsonl", None).verdict is Verdict.GO


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
        assert replay(tmp_path / "witnesses.jsonl", None).verdict is Verdict.GO


def test_the_witness_of_idling_is_one_idle_action(tmp_path: Path) -> None:
    _, record = audit("paid_for_idling:Defect", tmp_path)
    found = {finding.id: finding for finding in record.findings}
    assert set(found) == {"paid_for_idling", "failure_out_earns_success"}
    finding = found["paid_for_idling"]
    assert finding.witness.plan == ({"power": 0.0},)
    assert finding.witness.success is False
    numbers = record.tasks[0].numbers
    assert numbers.paid_for_nothing.mean > 1
    assert numbers.reachability.mean == 1
    assert numbers.failure_out_earns_success.same_seed > 0.2


@pytest.mark.long
def test_the_same_seed_gives_the_same_record(tmp_path: Path) -> None:
    records = [audit("self_reported_reward:Defect", tmp_path / str(n), seed=4)[1] for n in range(2)]
    one, other = (record.model_dump(exclude={"created", "notes"}) for record in records)
    assert one == other


def test_without_a_succeeding_policy_it_is_uncalibrated(tmp_path: Path) -> None:
    verdict, record = audit("milestone_then_idle:Sound", tmp_path, solve=False)
    assert verdict is Verdict.HOLD
    assert "no policy succeeded" in record.reason


def test_an_environment_that_never_says_success_is_uncalibrated(tmp_path: Path) -> None:
    given = {
        "target": "tests.zoo.single:Counter",
        "audit.seeds": 4,
        "audit.budget": 5000,
        "rollout.max_turns": 5,
    }
    verdict, record = fly_audit(tmp_path, given)
    assert verdict is Verdict.HOLD
    assert "never says whether an episode succeeded" in record.reason
    assert record.flown.steps < 5000, "a search for failures that nobody names is not begun"


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


@pytest.mark.long
def test_a_policy_that_has_become_an_exploit_is_found_and_one_that_has_not_is_left(
    tmp_path: Path,
) -> None:
    found = {}
    for name in ("idle", "random"):
        _, record = audit("paid_for_idling:Defect", tmp_path / name, **{"audit.policy": name})
        found[name] = [finding.id for finding in record.findings]
        (task,) = record.tasks
        assert task.candidate.policy == name
    assert "policy_is_an_exploit" in found["idle"]
    assert "policy_is_an_exploit" not in found["random"]
    near = AuditReport.load(tmp_path / "idle").tasks[0].candidate.likeness
    assert near[0].distance == 0.0
    assert replay(tmp_path / "idle" / "witnesses.jsonl", None).verdict is Verdict.GO


def test_a_trainers_reward_function_is_audited_in_the_environments_place(tmp_path: Path) -> None:
    function = "tests.zoo.paid_outside:length"
    verdict, record = audit(
        "paid_for_idling:Sound", tmp_path, **{"audit.rewards": [function], "audit.budget": 0}
    )
    assert verdict is Verdict.NO_GO
    assert {finding.component for finding in record.findings} == {function}
    witnesses = tmp_path / "witnesses.jsonl"
    assert replay(witnesses, None, rewards=[function]).verdict is Verdict.GO
    assert replay(witnesses, None).verdict is Verdict.NO_GO


def test_success_by_an_expression_calibrates_what_says_none(tmp_path: Path) -> None:
    """The counter never says success; whoever adds one has it, and idling is paid nothing."""
    given = {
        "target": "tests.zoo.single:Counter",
        "audit.seeds": 4,
        "audit.budget": 0,
        "rollout.max_turns": 3,
        "rollout.success": "total % 7 == 0",
    }
    _, record = fly_audit(tmp_path, given)
    assert "never says" not in record.reason
    assert record.tasks[0].success == ("metadata.success",)


def test_a_broken_contract_is_no_go_and_what_is_not_known_is_said_too() -> None:
    broken = [made_finding("seed_ignored")]
    assert decide(broken, [], ["no policy succeeded"], "3 episodes") == (
        Verdict.NO_GO,
        "the contract is broken: seed_ignored; uncalibrated: no policy succeeded",
    )
    assert decide([], [], ["no policy succeeded"], "3 episodes")[0] is Verdict.HOLD
    assert decide([], [], [], "3 episodes") == (Verdict.GO, "none found in 3 episodes")


@pytest.mark.parametrize(
    ("name", "found", "sent"),
    [
        ("Desk", None, None),
        ("StampingDesk", "farmable_cycle", [{"do": "open"}, {"do": "take"}, {"do": "stamp"}]),
        ("ReportingDesk", "malformed_action_pays", [{"do": "report", "text": "???"}]),
    ],
)
def test_what_hangs_on_an_order_or_on_a_choice_beside_it_is_tried(
    name: str, found: str | None, sent: list[Json] | None, tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.single:{name}", "audit.reference": "tests.zoo.single:clerk"}
    _, record = fly_audit(tmp_path, {**given, "audit.seeds": 4, "audit.budget": 0})
    plans = {finding.id: finding.witness.plan for finding in record.findings}
    del plans["memorisable_tasks"]  # there is one desk
    assert (plans == {}) == (found is None)
    assert plans.get(found or "") == (None if sent is None else tuple(sent))
    assert replay(tmp_path / "witnesses.jsonl", None).verdict is Verdict.GO


def test_a_reward_function_that_says_none_of_every_episode_is_misuse(tmp_path: Path) -> None:
    function = "tests.zoo.paid_outside:silent"
    with pytest.raises(ConfigError, match=f"reward function {function} must answer a number"):
        audit("paid_for_idling:Sound", tmp_path, **{"audit.rewards": [function]})


def test_an_environment_that_gives_no_reward_is_told_so_and_not_that_nobody_succeeds(
    tmp_path: Path,
) -> None:
    given = {"target": "tests.zoo.single:Unpaid", "audit.seeds": 4, "audit.budget": 0}
    verdict, record = fly_audit(tmp_path, {**given, "rollout.success": "done and total == 3"})
    assert verdict is Verdict.HOLD
    assert "successes was given a reward: it is None at every step" in record.reason
