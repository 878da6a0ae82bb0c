"""The semantic checks on records made by hand: what passes, what fails, and what cannot be told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from openenv.validation import CheckStatus, Level
from tests.submission.grade.sound import (
    FAIL,
    LEAK,
    PASS,
    SKIP,
    Json,
    assert_decides,
    assert_passes,
    found,
    ids_of,
    manifest,
    records,
)

CHECKS = ids_of(Level.SEMANTIC)
CHANGES: list[tuple[str, str, Any, CheckStatus]] = [
    ("semantic.oracle_max", "grade.tasks.0.oracle.episodes.0.return", 0.89, FAIL),
    ("semantic.oracle_max", "grade.tasks.0.oracle.episodes.0.return", 0.91, PASS),
    ("semantic.oracle_max", "grade.tasks.0.oracle.episodes.0.error", "it died", FAIL),
    ("semantic.oracle_max", "grade.tasks.0.oracle.shipped", False, SKIP),
    ("semantic.floor_gap", "grade.tasks.0.idle.episodes.0.return", 2.0, FAIL),
    ("semantic.floor_gap", "grade.tasks.0.idle.episodes", [], SKIP),
    ("semantic.canary_floor", "grade.canaries.0.return", 0.2, FAIL),
    ("semantic.canary_floor", "grade.canaries.0.problem", "no plan", FAIL),
    ("semantic.canary_floor", "grade.canaries", [], FAIL),
    ("semantic.no_solution_leakage", "grade.tasks.0.shown.leaks", [{**LEAK, "where": "observation"}], FAIL),
    ("semantic.no_solution_leakage", "grade.tasks.0.shown.leaks", [{**LEAK, "where": "state"}], PASS),
    ("semantic.no_solution_leakage", "audit.findings", found("leaked_answer"), FAIL),
    ("semantic.no_solution_leakage", "grade.tasks.0.shown.judged", False, SKIP),
    ("semantic.verifier_determinism", "grade.tasks.0.replays.0.verdict", "success", FAIL),
    ("semantic.verifier_determinism", "grade.tasks.0.replays.0.success", False, SKIP),
    ("semantic.replayability", "grade.tasks.0.replays.0.difference", "step 1", FAIL),
    ("semantic.replayability", "grade.tasks.0.replays", [], SKIP),
    ("semantic.resource_envelope", "grade.resources.replays.memory_mb", 301.0, FAIL),
    ("semantic.resource_envelope", "grade.resources.provoked.memory_mb", 301.0, PASS),
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


@pytest.mark.parametrize(
    ("declared", "status"),
    [
        ({"oracle": None}, FAIL),
        ({"oracle": {"form": "script", "location": "nowhere.py"}}, FAIL),
        ({"oracle": {"form": "injected_state", "location": "s.json"}, "set_state": True}, SKIP),
    ],
)
def test_what_is_declared_of_the_oracle(
    declared: Json, status: CheckStatus, judge: Callable[..., Any]
) -> None:
    assert judge("semantic.oracle_max", records(), manifest(**declared)).status is status
