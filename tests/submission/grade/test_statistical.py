"""The statistical checks on records made by hand: what passes, what fails, and what cannot be told."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from openenv.validation import CheckStatus, Level
from tests.submission.grade.sound import (
    FAIL,
    PASS,
    SKIP,
    assert_decides,
    assert_passes,
    ids_of,
    records,
)

CHECKS = ids_of(Level.STATISTICAL)
CHANGES: list[tuple[str, str, Any, CheckStatus]] = [
    ("statistical.reward_reachability", "audit.tasks.0.numbers.reachability.mean", 0.0, FAIL),
    ("statistical.reward_reachability", "audit.tasks.0.numbers.reachability", None, SKIP),
    ("statistical.difficulty_separation", "audit.tasks.0.policies.3.return.ci95", [0.1, 1.0], FAIL),
    ("statistical.difficulty_separation", "audit.tasks.0.policies.3.kind", "constant", SKIP),
    ("statistical.headroom", "audit.tasks.0.policies.2.return.mean", 0.95, FAIL),
    ("statistical.headroom", "audit.tasks.0.numbers.floor", 1.0, FAIL),
    ("statistical.headroom", "audit.tasks.0.numbers.best_known_return", None, SKIP),
    ("statistical.variance_bound", "grade.tasks.0.random.0.returns", [3.0, -3.0], FAIL),
    ("statistical.variance_bound", "grade.tasks.0.oracle.episodes", [], SKIP),
    ("statistical.training_signal", "grade.tasks.0.random.0.returns", [0.0, 0.0], FAIL),
    ("statistical.training_signal", "grade.tasks.0.random", [], SKIP),
    ("statistical.adversarial_floor", "audit.tasks.0.policies.2.paid", 0.3, FAIL),
    ("statistical.adversarial_floor", "audit.tasks.0.policies.1.paid", 0.3, PASS),
    ("statistical.adversarial_floor", "audit.tasks.0.policies.2.kind", "search", PASS),
    ("statistical.adversarial_floor", "audit.tasks.0.numbers.best_known_return", None, SKIP),
    ("statistical.gameability_gap", "audit.tasks.0.numbers.failure_out_earns_success.same_seed", 0.1, FAIL),
    ("statistical.gameability_gap", "audit.tasks.0.numbers.failure_out_earns_success", None, SKIP),
]  # fmt: skip
"""One change of the sound records each, and what the check then answers."""


@pytest.mark.parametrize("check", sorted(CHECKS))
def test_a_sound_package_passes(check: str, judge: Callable[..., Any]) -> None:
    assert_passes(judge, check)


@pytest.mark.parametrize(("check", "path", "value", "status"), CHANGES)
def test_one_change_decides(
    check: str, path: str, value: Any, status: CheckStatus, judge: Callable[..., Any]
) -> None:
    assert_decides(judge, check, path, value, status)


def test_every_check_can_fail_and_every_check_is_tested_to() -> None:
    assert {check for check, _, _, status in CHANGES if status is FAIL} == CHECKS


def test_one_failing_task_fails_the_check(judge: Callable[..., Any]) -> None:
    written = records()
    other = copy.deepcopy(written["audit"]["tasks"][0])
    other["task"] = {"level": "vault"}
    other["numbers"]["failure_out_earns_success"]["same_seed"] = 0.5
    written["audit"]["tasks"].append(other)
    result = judge("statistical.gameability_gap", written)
    assert result.status is FAIL
    assert result.evidence[0].startswith("level=vault: ")
