"""One constant of several fields: how it is found, and what it is accused of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.auditing.checks.test_free_success import audit_careless

from gonogo.auditing.joint_constants import joint_rows
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, fly_habit
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


def test_the_best_values_of_each_field_are_sent_together(
    session_of: Callable[[str], AuditSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_of("tests.zoo.careless:LopsidedLabels")
    tasks = session.tasks({}, range(4))
    idle = Survey({}, [fly_habit(session, session.panel()[0], tasks)])
    (row,) = joint_rows(session, idle, tasks)
    label = {"size": "m", "speed": "fast", "care": "fragile", "payer": "other"}
    assert (row.action, row.kind) == (label, Kind.JOINT)
    assert list(joint_rows(session, Survey({}, idle.rows, broken_off=True), tasks)) == []
    assert list(joint_rows(session, idle.plus([row]), tasks)) == []
    monkeypatch.setattr("gonogo.auditing.joint_constants.MOST_STEPS", 0)
    assert list(joint_rows(session, idle, tasks)) == []


def test_a_constant_of_several_fields_that_is_right_nearly_always_is_proven(tmp_path: Path) -> None:
    verdict, report = audit_careless("LopsidedLabels", tmp_path)
    found = {each.id: each.severity for each in report.findings if each.blocks}
    assert verdict == Verdict.NO_GO
    assert found and set(found.values()) == {Severity.EFFORTLESS}
    assert found.keys() <= {"constant_answer_pays", "paid_without_trying"}


def test_labels_that_are_as_frequent_are_not_accused(tmp_path: Path) -> None:
    _, report = audit_careless("EvenLabels", tmp_path)
    assert [finding for finding in report.findings if finding.blocks] == []
