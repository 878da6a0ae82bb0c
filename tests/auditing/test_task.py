"""One task's audit: what is missing to judge it is said, and what cannot be judged at all is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import audit, fly_audit
from tests.records_made import contract_report

from gonogo.auditing.task import EXPLORED_FIRST, EXPLORED_NEXT
from gonogo.errors import ConfigError
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
    given = {"target": str(door), "audit.seeds": 4, "audit.search": 600}
    _, record = fly_audit(tmp_path, given)
    reached = record.tasks[0].coverage
    assert reached is not None and reached.lines == reached.of
    assert record.budget.ended == "flown"
    assert reached.steps + reached.episodes < EXPLORED_FIRST + EXPLORED_NEXT + 2 * 600 + 1500


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
    _, record = audit("leaked_answer__state:Defect", tmp_path, solve=False)
    assert "leaked_answer" in {finding.id for finding in record.findings}
    rows = {policy.policy: policy for policy in record.tasks[0].policies}
    sent_back = rows["letter: the items of state.answer sent back"]
    assert (sent_back.kind, sent_back.success.mean) == ("explored", 1.0)
