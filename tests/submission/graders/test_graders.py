"""Every grader on records made by hand: what passes, what fails, and what cannot be told."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from openenv.validation import (
    ENTRY_POINT_GROUP,
    CheckStatus,
    Grader,
    GraderRegistry,
    Lane,
    Level,
    NormalizedManifest,
    Subject,
    load_policy,
)
from tests.records_made import (
    audit_report,
    audited_policy,
    audited_task,
    contract_item,
    contract_report,
    finding,
    grade_report,
    graded_episode,
    graded_task,
    headline_numbers,
)

from gonogo.records.audit import AuditedPolicy
from gonogo.records.base import source_hash, write_record
from gonogo.records.submission import IdleEpisodes, OracleEpisodes, RandomReturns
from gonogo.submission.graders.report import GRADERS

Json = dict[str, Any]
PASS, FAIL, SKIP = CheckStatus.PASS, CheckStatus.FAIL, CheckStatus.SKIP
BY_ID = {grader.check_id: grader for grader in GRADERS}
ITEMS = (
    "seed_control", "determinism_same_session", "determinism_new_session",
    "determinism_new_process", "isolation_sessions", "isolation_episodes",
)  # fmt: skip


def manifest(**declared: Any) -> NormalizedManifest:
    """What a sound package declares."""
    capabilities = {
        "oracle": {"form": "script", "location": "policies.py"},
        "verifier": {"kind": "reward_channel"},
        "rubric_tree": True,
        "canaries": "canaries",
        "declared_tools": ["dial"],
        "declared_task_count": {"train": 4},
        **declared,
    }
    fields: Json = {
        "manifest_schema_version": "1",
        "name": "packed",
        "signature": "openenv.yaml",
        "reward": {"range": (0.0, 1.0), "oracle_tolerance": 0.1, "floor_margin": 0.1},
        "resources": {"cpu": 1, "memory_mb": 300, "disk_mb": 1, "episode_timeout_s": 10},
        "capabilities": capabilities,
        "types": {"tags": ["zoo"]},
    }
    if capabilities.get("llm_judged"):
        fields["judge"] = {"model": "m", "version": "1"}
        fields["reward"]["variance_tolerance"] = 0.1
    return NormalizedManifest.model_validate(fields)


def row(policy: str, kind: str, mean: float, *, paid: float | None = None) -> AuditedPolicy:
    returns, success = ({"mean": mean, "ci95": ci} for ci in ((mean - 0.05, mean + 0.05), None))
    return audited_policy(policy, kind, success=success, paid=paid, returns=returns)


def records() -> Json:
    """The records of a sound package."""
    place = {"file": "a.py", "line": 1}
    parts = [
        {"name": "rubric_0", "class": "Opened", "weight": 0.9, "children": [], **place},
        {"name": "begun", "class": "Share", "weight": 0.1, "children": [], **place},
    ]
    whole = {"name": "", "class": "WeightedSum", "weight": None, "children": parts, **place}
    tasks = {"flown": [], "left_out": []}
    mapped = contract_report(
        items=[contract_item(name) for name in ITEMS],
        reward={"rubric": whole, "declared": None, "seen": None, "breakdown": [], "places": None},
        action={"fields": [], "tools": [{"name": "dial"}]},
        tasks={"splits": [{"name": "train", "num_tasks": 4, "preview": []}], **tasks},
    )
    numbers = headline_numbers(
        reachability={"policy": "solve", "mean": 1.0, "ci95": None},
        best_known_return=1.0,
        failure_out_earns_success={
            "same_seed": 0.0,
            "auroc": 0.0,
            "successes": 2,
            "failures": 2,
        },
    )
    policies = [
        row("idle", "idle", 0.0, paid=0.0),
        row("random", "random", 0.1, paid=0.1),
        row("always 1", "constant", 0.1, paid=0.1),
        row("solve", "reference", 1.0),
    ]
    audit = audit_report(tasks=[audited_task(numbers=numbers, policies=policies)])
    solved, idle = graded_episode(1.0, success=True), graded_episode(0.0, success=False)
    grade = grade_report(
        tasks=(
            graded_task(
                oracle=OracleEpisodes(policy="solve", shipped=True, episodes=(solved, solved)),
                idle=IdleEpisodes(episodes=(idle, idle)),
                random=(
                    RandomReturns(task={"seed": 1}, returns=(0.0, 0.1)),
                    RandomReturns(task={"seed": 2}, returns=(0.0, 0.0)),
                ),
            ),
        )
    )
    made = {"map": mapped, "audit": audit, "grade": grade}
    return {kind: json.loads(record.model_dump_json()) for kind, record in made.items()}


def found(name: str) -> list[Json]:
    return [finding(name).model_dump(mode="json")]


LEAK = {
    "path": "answer",
    "way": "sent back",
    "field": "number",
    "solved": 4,
    "control": 0,
    "seeds": 4,
}
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


@pytest.fixture
def judge(tmp_path: Path) -> Callable[..., Any]:
    """Run a check's grader on records; its result."""
    root, outputs = tmp_path / "package", tmp_path / "run"
    root.mkdir()
    (root / "policies.py").write_text("")

    def run(check: str, written: Json, declared: NormalizedManifest | None = None) -> Any:
        for kind, body in written.items():
            record = {**body, "source_hash": source_hash(root)}
            write_record(outputs / f"{kind}.json", kind, 1, record)
        subject = Subject(root, declared or manifest(), None, None, outputs)
        return BY_ID[check]().run(subject)

    return run


def changed(path: str, value: Any) -> Json:
    """The sound records with one value in another's place."""
    written = copy.deepcopy(records())
    *steps, last = path.split(".")
    place: Any = written
    for step in steps:
        place = place[int(step) if isinstance(place, list) else step]
    place[int(last) if isinstance(place, list) else last] = value
    return written


@pytest.mark.parametrize("check", list(BY_ID))
def test_a_sound_package_passes(check: str, judge: Callable[..., Any]) -> None:
    result = judge(check, records())
    assert (result.status, result.remediation) == (PASS, None), result.evidence
    assert result.evidence


@pytest.mark.parametrize(("check", "path", "value", "status"), CHANGES)
def test_one_change_decides(
    check: str, path: str, value: Any, status: CheckStatus, judge: Callable[..., Any]
) -> None:
    result = judge(check, changed(path, value))
    assert result.status is status, result.evidence
    assert bool(result.remediation) is (status is FAIL)


def test_every_check_can_fail_and_every_check_is_tested_to() -> None:
    assert {check for check, _, _, status in CHANGES if status is FAIL} == set(BY_ID)


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


def test_a_judged_reward_is_not_called_deterministic(judge: Callable[..., Any]) -> None:
    declared = manifest(llm_judged=True)
    assert judge("runtime.episode_determinism", records(), declared).status is SKIP


def test_one_failing_task_fails_the_check(judge: Callable[..., Any]) -> None:
    written = records()
    other = copy.deepcopy(written["audit"]["tasks"][0])
    other["task"] = {"level": "vault"}
    other["numbers"]["failure_out_earns_success"]["same_seed"] = 0.5
    written["audit"]["tasks"].append(other)
    result = judge("statistical.gameability_gap", written)
    assert result.status is FAIL
    assert result.evidence[0].startswith("level=vault: ")


@pytest.mark.parametrize("kind", ["map", "audit", "grade"])
def test_without_a_record_a_check_is_skipped(kind: str, judge: Callable[..., Any]) -> None:
    written = records()
    del written[kind]
    result = judge("semantic.floor_gap", written)
    assert result.status is SKIP
    assert f"gonogo {kind} writes it" in result.evidence[0]


def test_the_classes_are_openenvs_graders_under_openenvs_ids() -> None:
    known = load_policy("v2").entries_for_lane(Lane.HUB)
    for grader in GRADERS:
        assert isinstance(grader(), Grader)
        assert known[grader.check_id].level == grader.level
    semantic = [grader for grader in GRADERS if grader.level is Level.SEMANTIC]
    assert {grader.depends_on for grader in semantic} == {("runtime.episode_determinism",)}


def test_openenv_loads_the_entry_points() -> None:
    registry = GraderRegistry()
    assert registry.load_entry_points() == len(GRADERS)
    assert {type(registry.get(check)) for check in BY_ID} == set(GRADERS)
    names = {point.name for point in entry_points(group=ENTRY_POINT_GROUP)}
    assert names == set(BY_ID)


def test_what_is_not_declared_is_not_selected() -> None:
    registry = GraderRegistry()
    for grader in GRADERS:
        registry.register(grader())
    bare = manifest(rubric_tree=False, canaries=None, declared_task_count={})
    selected = {grader.check_id for grader in registry.select(bare, Level.STATISTICAL)}
    assert set(BY_ID) - selected == {
        "runtime.rubric_introspectable",
        "runtime.reward_attribution",
        "runtime.task_declaration_accuracy",
        "semantic.canary_floor",
    }
