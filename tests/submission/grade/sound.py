"""The records of a sound package, what it declares, and the same with one value in another's place."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from openenv.validation import CheckStatus, Level, NormalizedManifest
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
from gonogo.records.submission import IdleEpisodes, OracleEpisodes, RandomReturns
from gonogo.submission.grade.grader import EvidenceGrader
from gonogo.submission.grade.report import GRADERS

Json = dict[str, Any]
PASS, FAIL, SKIP = CheckStatus.PASS, CheckStatus.FAIL, CheckStatus.SKIP
BY_ID: dict[str, EvidenceGrader] = {grader.check_id: grader for grader in GRADERS}
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


def ids_of(level: Level) -> set[str]:
    """The checks of a level."""
    return {check for check, grader in BY_ID.items() if grader.level is level}


def changed(path: str, value: Any) -> Json:
    """The sound records with one value in another's place."""
    written = copy.deepcopy(records())
    *steps, last = path.split(".")
    place: Any = written
    for step in steps:
        place = place[int(step) if isinstance(place, list) else step]
    place[int(last) if isinstance(place, list) else last] = value
    return written


def assert_passes(judge: Callable[..., Any], check: str) -> None:
    """The sound records pass a check, with evidence and without a remedy."""
    result = judge(check, records())
    assert (result.status, result.remediation) == (PASS, None), result.evidence
    assert result.evidence


def assert_decides(
    judge: Callable[..., Any], check: str, path: str, value: Any, status: CheckStatus
) -> None:
    """One change of the sound records decides a check's answer; only a failing one has a remedy."""
    result = judge(check, changed(path, value))
    assert result.status is status, result.evidence
    assert bool(result.remediation) is (status is FAIL)
