"""One task's audit: what is missing to judge it is said, and what cannot be judged at all is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import audit, fly_audit

from gonogo.errors import ConfigError
from gonogo.records.base import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


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


def test_an_environment_that_gives_no_reward_is_told_so_and_not_that_nobody_succeeds(
    tmp_path: Path,
) -> None:
    given = {"target": "tests.zoo.single:Unpaid", "audit.seeds": 4, "audit.budget": 0}
    verdict, record = fly_audit(tmp_path, {**given, "rollout.success": "done and total == 3"})
    assert verdict is Verdict.HOLD
    assert "successes was given a reward: it is None at every step" in record.reason


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


def test_a_reward_function_that_says_none_of_every_episode_is_misuse(tmp_path: Path) -> None:
    function = "tests.zoo.paid_outside:silent"
    with pytest.raises(ConfigError, match=f"reward function {function} must answer a number"):
        audit("paid_for_idling:Sound", tmp_path, **{"audit.rewards": [function]})
