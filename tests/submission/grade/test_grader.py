"""What every grader shares: one answer for all tasks, none without its records, and two questions of several checks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openenv.validation import CheckStatus, Subject
from tests.records_made import audit_report, contract_report, finding, grade_report, graded_task
from tests.submission.grade.sound import FAIL, LEAK, PASS, SKIP, manifest, records

from gonogo.records.provenance import source_hash
from gonogo.records.submission import ResourceUse, ShownAnswers, ShownLeak
from gonogo.submission.grade.grader import (
    GraderAnswer,
    RunRecords,
    each_task,
    failed,
    judge_shown,
    passed,
    unknown,
    within,
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


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({}, PASS, "4 episodes: at most 10.00 s each and 300 MB"),
        ({"seconds": 10.5}, FAIL, "an episode took 10.50 s, and 10 s are declared"),
        ({"memory_mb": 301.0}, FAIL, "the process took 301 MB, and 300 MB are declared"),
        ({"memory_mb": None}, SKIP, "does not tell a process's peak of memory"),
        ({"memory_mb": None, "seconds": 10.5}, FAIL, "an episode took 10.50 s"),
        ({"lost": "it died", "seconds": 0.1}, FAIL, "an episode was lost: it died"),
        ({"episodes": 0, "seconds": 10.5}, SKIP, "no episode was measured"),
    ],
)
def test_what_is_declared_is_a_bound_that_may_be_reached(
    fields: dict[str, Any], status: CheckStatus, said: str
) -> None:
    taken = {"episodes": 4, "seconds": 10.0, "memory_mb": 300.0, "lost": None}
    answer = within(ResourceUse(**{**taken, **fields}), manifest().resources)
    assert answer.status is status
    assert said in answer.said[0]


def judged(*places: str, leaks: tuple[str, ...] = (), judged: bool = True) -> GraderAnswer:
    """The answer about some places of a reset that leaks in others."""
    found = tuple(ShownLeak(where=where, **LEAK) for where in leaks)
    tried = {"observation": 3, "state": 2, "metadata": 1}
    task = graded_task(shown=ShownAnswers(tried=tried, leaks=found, judged=judged))
    records = RunRecords(contract_report(), audit_report(), grade_report(tasks=(task,)))
    return judge_shown(records, frozenset(places))


@pytest.mark.parametrize(
    ("places", "leaks", "status"),
    [
        (("observation",), ("observation",), FAIL),
        (("observation",), ("state", "metadata"), PASS),
        (("state", "metadata"), ("metadata",), FAIL),
        (("state", "metadata"), ("observation",), PASS),
    ],
)
def test_a_leak_counts_where_it_is_asked_for(
    places: tuple[str, ...], leaks: tuple[str, ...], status: CheckStatus
) -> None:
    assert judged(*places, leaks=leaks).status is status


def test_a_leak_is_told_with_its_control() -> None:
    assert judged("state", leaks=("state",)).said == (
        "default: answer of the state at reset, sent back as number, solves 4 of 4 episodes; "
        "another seed's value solves 0",
    )


def test_ways_are_counted_over_the_places() -> None:
    (measured,) = judged("state", "metadata").measured["tasks"]
    assert measured["tried"] == 3


def test_where_nothing_is_said_of_success_only_a_leak_is_known() -> None:
    assert judged("state", judged=False).status is SKIP
    assert judged("state", leaks=("state",), judged=False).status is FAIL
