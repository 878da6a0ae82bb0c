"""The runtime checks on records made by hand: what passes, what fails, and what cannot be told."""

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
    assert_decides,
    assert_passes,
    found,
    ids_of,
    manifest,
    records,
)

CHECKS = ids_of(Level.RUNTIME)
CHANGES: list[tuple[str, str, Any, CheckStatus]] = [
    ("runtime.seed_control", "map.items.0.verdict", "fail", FAIL),
    ("runtime.seed_control", "map.items.0.verdict", "na", SKIP),
    ("runtime.seed_control", "map.items.1.verdict", "fail", FAIL),
    ("runtime.seed_control", "map.items.2.verdict", "fail", FAIL),
    ("runtime.seed_control", "map.items.3.verdict", "fail", PASS),
    ("runtime.episode_determinism", "map.items.1.verdict", "fail", FAIL),
    ("runtime.episode_determinism", "map.items.2.verdict", "fail", FAIL),
    ("runtime.episode_determinism", "map.items.3.verdict", "fail", FAIL),
    ("runtime.episode_determinism", "map.items.3.verdict", "na", SKIP),
    ("runtime.episode_isolation", "map.items.4.verdict", "fail", FAIL),
    ("runtime.episode_isolation", "map.items.4.verdict", "na", PASS),
    ("runtime.episode_isolation", "map.items.5.verdict", "fail", FAIL),
    ("runtime.episode_isolation", "map.items", [], SKIP),
    ("runtime.rubric_introspectable", "map.reward.rubric", {}, FAIL),
    ("runtime.rubric_introspectable", "map.reward.rubric", None, SKIP),
    ("runtime.rubric_introspectable", "map.reward.rubric.children", [], FAIL),
    ("runtime.rubric_introspectable", "map.reward.rubric.children.1.weight", None, FAIL),
    ("runtime.reward_attribution", "grade.tasks.0.oracle.episodes.0.return", 0.8, FAIL),
    ("runtime.reward_attribution", "grade.tasks.0.oracle.episodes.0.components", {}, FAIL),
    ("runtime.reward_attribution", "grade.tasks.0.idle.episodes.0.components", {"x": 0.0}, SKIP),
    ("runtime.tool_declaration_accuracy", "map.action.tools", [], FAIL),
    ("runtime.tool_declaration_accuracy", "map.action.tools.0.name", "turn", FAIL),
    ("runtime.tool_declaration_accuracy", "map.notes", ["asked for its tools: no"], SKIP),
    ("runtime.task_declaration_accuracy", "map.tasks.splits.0.num_tasks", 5, FAIL),
    ("runtime.task_declaration_accuracy", "map.tasks.splits", [], FAIL),
    ("runtime.task_declaration_accuracy", "map.tasks.splits", None, FAIL),
    ("runtime.trajectory_record", "grade.tasks.0.replays.0.record", "no id", FAIL),
    ("runtime.trajectory_record", "grade.tasks.0.replays", [], SKIP),
    ("runtime.resource_bounds", "grade.resources.provoked.seconds", 11.0, FAIL),
    ("runtime.resource_bounds", "grade.resources.provoked.memory_mb", 301.0, FAIL),
    ("runtime.resource_bounds", "grade.resources.provoked.lost", "timeout", FAIL),
    ("runtime.resource_bounds", "grade.resources.provoked.memory_mb", None, SKIP),
    ("runtime.resource_bounds", "grade.resources.provoked.episodes", 0, SKIP),
    ("runtime.oracle_containment", "grade.tasks.0.shown.leaks", [{**LEAK, "where": "state"}], FAIL),
    ("runtime.oracle_containment", "grade.tasks.0.shown.leaks", [{**LEAK, "where": "observation"}], PASS),
    ("runtime.oracle_containment", "grade.tasks.0.shown.judged", False, SKIP),
    ("runtime.oracle_containment", "map.findings", found("client_imports_server"), FAIL),
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


def test_a_judged_reward_is_not_called_deterministic(judge: Callable[..., Any]) -> None:
    declared = manifest(llm_judged=True)
    assert judge("runtime.episode_determinism", records(), declared).status is SKIP
