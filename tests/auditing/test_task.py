"""One task's audit: what is missing to judge it is said, and what cannot be judged at all is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.auditing.audits import audit, fly_audit
from tests.records_made import contract_report

from gonogo.auditing.budget import BudgetSpent, Limit
from gonogo.auditing.confirmation import Confirmed, proven
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import Survey, SurveyRow
from gonogo.auditing.suspicions import Suspicion
from gonogo.auditing.task import EXPLORED_FIRST, EXPLORED_NEXT, TaskAudit
from gonogo.auditing.task_sheet import AnalysisResults
from gonogo.errors import ConfigError
from gonogo.exploits.panel import Kind
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")
CARD = contract_report()


def test_without_a_succeeding_policy_what_exploration_finds_takes_its_place(tmp_path: Path) -> None:
    verdict, record = audit("milestone_then_idle:Sound", tmp_path, solve=False)
    assert verdict is Verdict.GO
    assert "explored" in {policy.kind for policy in record.tasks[0].policies}
    assert record.tasks[0].coverage is not None


def test_an_environment_that_never_says_success_is_accused_of_what_needs_none(
    tmp_path: Path,
) -> None:
    given = {
        "target": "tests.zoo.single:Counter",
        "audit.seeds": 4,
        "audit.budget": 6_000,
        "rollout.max_turns": 5,
    }
    verdict, record = fly_audit(tmp_path, given)
    assert verdict is Verdict.NO_GO
    assert "self_reported_reward" in {finding.id for finding in record.findings}
    assert "never says whether an episode succeeded" in record.reason


def test_an_environment_that_gives_no_reward_is_told_so_and_not_that_nobody_succeeds(
    tmp_path: Path,
) -> None:
    given = {"target": "tests.zoo.single:Unpaid", "audit.seeds": 4, "audit.search": 0}
    verdict, record = fly_audit(tmp_path, {**given, "rollout.success": "done and total == 3"})
    assert verdict is Verdict.HOLD
    assert "successes was given a reward: it is None at every step" in record.reason


def test_success_by_an_expression_calibrates_what_says_none(tmp_path: Path) -> None:
    """The counter never says success; whoever adds one has it, and idling is paid nothing."""
    given = {
        "target": "tests.zoo.single:Counter",
        "audit.seeds": 4,
        "audit.budget": 1_500,
        "rollout.max_turns": 3,
        "rollout.success": "total % 7 == 0",
    }
    _, record = fly_audit(tmp_path, given)
    assert "never says" not in record.reason
    assert record.tasks[0].success == ("metadata.success",)


def test_a_reward_function_that_says_none_of_every_episode_is_misuse(tmp_path: Path) -> None:
    function = "tests.zoo.paid_outside:silent"
    with pytest.raises(ConfigError, match=f"reward function {function} must answer a number"):
        audit("paid_for_idling:Sound", tmp_path, **{"audit.rewards": [function]})


def test_exploration_goes_on_in_rounds_as_long_as_something_new_is_met(tmp_path: Path) -> None:
    given = {"target": "tests.zoo.deep:Tower", "audit.seeds": 4, "audit.search": 600}
    before = EXPLORED_FIRST + EXPLORED_NEXT + 2 * 600
    _, record = fly_audit(tmp_path / "deep", given)
    reached = record.tasks[0].coverage
    assert reached is not None and reached.steps + reached.episodes > before + 600
    assert record.budget.ended == "flown"


def test_where_nothing_has_succeeded_exploration_goes_on_until_the_budget_ends(
    tmp_path: Path,
) -> None:
    """All of the counter's lines are reached at once, and by this rule nobody ever succeeds."""
    given = {
        "target": "tests.zoo.single:Counter",
        "audit.seeds": 4,
        "audit.search": 100,
        "rollout.max_turns": 3,
        "rollout.success": "total == 0.123",
    }
    _, record = fly_audit(tmp_path / "endless", given)
    assert record.budget.ended == "flown"
    more = record.budget.spent + 2_000
    _, record = fly_audit(tmp_path / "ends", {**given, "audit.budget": more})
    assert record.budget.ended == "cut"
    assert record.budget.unreached == ("rounds of exploration",)


def test_where_all_is_reached_and_a_success_is_known_no_round_follows(tmp_path: Path) -> None:
    door = Path(__file__).parents[1] / "first_contact" / "door"
    given = {"target": str(door), "audit.seeds": 4, "audit.search": 100}
    _, record = fly_audit(tmp_path, given)
    reached = record.tasks[0].coverage
    assert reached is not None and reached.lines == reached.of
    assert record.budget.ended == "flown"
    assert reached.steps + reached.episodes < EXPLORED_FIRST + EXPLORED_NEXT + 2 * 100 + 1500


def test_an_error_that_the_audit_ended_before_it_looked_into_is_no_go(tmp_path: Path) -> None:
    given = {
        "target": str(Path(__file__).parents[1] / "first_contact" / "crash"),
        "audit.reference": "tests.first_contact.policies:crash",
        "audit.seeds": 4,
        "audit.search": 600,
        "rollout.success": "done and paid == 3",
    }
    verdict, record = fly_audit(tmp_path / "cut", {**given, "audit.budget": 1_000})
    assert verdict is Verdict.HOLD
    said = "no attribute 'LIMITS' is an error that the audit ended before it looked into"
    assert any(said in note for note in record.missing)
    verdict, record = fly_audit(tmp_path / "more", {**given, "audit.budget": 30_000})
    assert verdict is Verdict.NO_GO
    assert not any("looked into" in note for note in record.missing)


def test_who_sends_back_what_is_told_is_the_scale_where_nobody_else_succeeds(
    tmp_path: Path,
) -> None:
    _, record = audit(
        "leaked_answer__state:Defect", tmp_path, solve=False, **{"audit.budget": 8_000}
    )
    assert "leaked_answer" in {finding.id for finding in record.findings}
    rows = {policy.policy: policy for policy in record.tasks[0].policies}
    sent_back = rows["letter: the items of state.answer sent back"]
    assert (sent_back.kind, sent_back.success.mean) == ("explored", 1.0)


def proven_in(session: AuditSession, *, whole: bool = False) -> Confirmed:
    """The proof that numbers are paid, flown last in a running session."""
    proof = proven(session, "paid_again", {}, {"seed": 1}, [{"number": 1}], "so", "x")
    assert proof is not None
    return replace(proof, whole=whole)


def task_over(session: AuditSession, context: AuditContext) -> TaskAudit:
    """A task's audit of which only what takes up proofs is there."""
    task = object.__new__(TaskAudit)
    task._context, task.__dict__["_other"] = context, session
    task.proofs, task._doubts, task.first_s = [], {}, None
    return task


@pytest.fixture
def unrepeated(context_of: Callable[..., AuditContext]) -> Iterator[tuple[TaskAudit, Confirmed]]:
    """A task's audit, and a proof of what is only paid in a process that flew something."""
    context = context_of("tests.zoo.turns:Grown")
    with closing(AuditSession(context)) as session:
        for _ in range(3):
            session.plans("before", [({"seed": 1}, [{"number": 1}])])
        yield task_over(session, context), proven_in(session)


def test_what_a_process_that_flew_nothing_does_not_show_is_a_doubt(
    unrepeated: tuple[TaskAudit, Confirmed],
) -> None:
    task, proof = unrepeated
    assert task._prove([proof]) == []
    assert task.proofs == [] and task.first_s is None
    assert "fresh" in task._doubts["paid_again"]


def test_what_the_audit_ended_before_it_was_checked_stands_and_says_so(
    context_of: Callable[..., AuditContext],
) -> None:
    context = context_of("tests.zoo.turns:Tally")
    with closing(AuditSession(context)) as session:
        task, proof = task_over(session, context), proven_in(session)
        (stands,) = task._prove([proof])
        assert task.proofs == [stands] and task.first_s is not None
    ended = replace(context, limit=Limit(most=0))
    with closing(AuditSession(ended)) as session:
        task = task_over(session, ended)
        with pytest.raises(BudgetSpent):
            task._prove([proof])
        (stands,) = task.proofs
        assert "the audit ended before" in stands.finding.explanation


def test_a_lap_that_is_no_proof_leaves_others_to_be_flown(
    monkeypatch: pytest.MonkeyPatch, unrepeated: tuple[TaskAudit, Confirmed]
) -> None:
    """A lap that is not seen in a fresh process is not the proven one, so that others are flown."""
    task, proof = unrepeated
    told: list[Confirmed] = []
    laps = SimpleNamespace(left=lambda *_: [], proof=lambda *_, **__: proof, unseen=told.append)
    task._laps, task.flown = laps, Survey({}, [SurveyRow("idle", Kind.IDLE, [])])
    monkeypatch.setattr("gonogo.auditing.task.explained", lambda proof, *_: proof)
    task._again()
    assert told == [proof]


def test_what_was_confirmed_and_is_not_seen_again_is_flown_alone(
    monkeypatch: pytest.MonkeyPatch, unrepeated: tuple[TaskAudit, Confirmed]
) -> None:
    """Episodes before it may be what it was paid for."""
    task, proof = unrepeated
    assert proof.episode is not None
    row = SurveyRow("idle", Kind.IDLE, [proof.episode])
    task.flown = task._fresh = Survey({}, [row])
    task.analysed, task._half, task.__dict__["_tasks"] = AnalysisResults(), 1, []
    looked: list[Suspicion] = []
    monkeypatch.setattr(task, "_look_alone", looked.append)
    monkeypatch.setattr(task, "_fly_fresh", lambda *_: None)
    for name, gives in (
        ("confirm", ([proof], [])), ("rows_to_confirm", []), ("suspicions", {}), ("without_success", {}),
    ):  # fmt: skip
        monkeypatch.setattr(f"gonogo.auditing.task.{name}", lambda *_, gives=gives, **__: gives)
    monkeypatch.setattr("gonogo.auditing.task.explained", lambda proof, *_: proof)
    suspicion = Suspicion("paid_again", row, proof.episode, "so", 1.0)
    task._confirm("paid_again", suspicion)
    assert looked == [suspicion]
    assert "fresh" in task._doubts["paid_again"]
