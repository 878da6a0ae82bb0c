"""What every grader shares: one answer for all tasks, and none without its records."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openenv.validation import Subject
from tests.records_made import audit_report, contract_report, finding, grade_report
from tests.submission.graders.sound import FAIL, PASS, SKIP, manifest, records

from gonogo.records.provenance import source_hash
from gonogo.submission.graders.base import (
    GraderAnswer,
    RunRecords,
    each_task,
    failed,
    passed,
    task_text,
    unknown,
)


@pytest.mark.parametrize("kind", ["map", "audit", "grade"])
def test_without_a_record_a_check_is_skipped(kind: str, judge: Callable[..., Any]) -> None:
    written = records()
    del written[kind]
    result = judge("semantic.floor_gap", written)
    assert result.status is SKIP
    assert f"gonogo {kind} writes it" in result.evidence[0]


@pytest.mark.parametrize(
    ("answers", "status", "said"),
    [
        ([passed("well"), passed("well too")], PASS, ("n=0: well", "n=1: well too")),
        ([passed("well"), unknown("unseen")], SKIP, ("n=1: unseen",)),
        ([unknown("unseen"), failed("broken"), passed("well")], FAIL, ("n=1: broken",)),
        ([], SKIP, ("no task was flown",)),
    ],
)
def test_a_failing_task_outweighs_one_that_is_not_known_and_that_one_a_passing_one(
    answers: list[GraderAnswer], status: object, said: tuple[str, ...]
) -> None:
    found = each_task(({"n": n}, answer) for n, answer in enumerate(answers))
    assert (found.status, found.said) == (status, said)


def test_what_was_measured_is_kept_of_every_task() -> None:
    answers = [({"n": 0}, passed("well", paid=1.0)), ({"n": 1}, failed("broken", paid=0.0))]
    measured = [{"task": {"n": 0}, "paid": 1.0}, {"task": {"n": 1}, "paid": 0.0}]
    assert each_task(answers).measured == {"tasks": measured}


def test_a_task_is_named_by_its_options() -> None:
    assert task_text({"level": "a", "seed": 1}) == "level=a, seed=1"
    assert task_text({}) == "default"


def test_findings_of_the_map_and_of_the_audit_are_found(tmp_path: Path) -> None:
    root, out = tmp_path / "package", tmp_path / "run"
    root.mkdir()
    source = source_hash(root)
    mapped = contract_report(source_hash=source, findings=[finding("client_imports_server")])
    audit = audit_report(finding("leaked_answer"), finding("paid_for_idling"), source_hash=source)
    for record in (mapped, audit, grade_report(source_hash=source)):
        record.save(out)
    read = RunRecords.of(Subject(root, manifest(), None, None, out))
    found = read.found("client_imports_server", "leaked_answer", "no_reset")
    assert [each.id for each in found] == ["client_imports_server", "leaked_answer"]
