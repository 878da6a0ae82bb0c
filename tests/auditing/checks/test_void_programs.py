"""A program that computes nothing is accused for what one turn pays, where nothing plainer explains it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.auditing.rows import row

from gonogo.auditing.checks.void_programs import void_programs
from gonogo.auditing.programs import EMPTY_RESULT, ONE_ROW
from gonogo.auditing.survey import Survey, SurveyRow
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.wire import JsonObject

IDLE = row("idle", Kind.IDLE, [0.0], action={"sql": ""}, shown={"question": "How many?"})


def void(name: str, pays: list[float], sql: str | None, kind: Kind = Kind.VOID) -> SurveyRow:
    """The row of a program; None where it is made of what is seen."""
    action: JsonObject | None = None if sql is None else {"sql": sql}
    return row(name, kind, pays, field="sql", action=action)


NONE, ONE = void("none", [0.7], EMPTY_RESULT), void("one", [0.7], ONE_ROW)
SHOWN, WIPED = void("shown", [1.0], None), void("wiped", [0.0, 1.0], None, Kind.WIPED)


def severities(*rows: SurveyRow, answers: bool = True) -> dict[str, Severity | None]:
    """Of what is suspected, by its row."""
    found = void_programs(Survey({}, [IDLE, *rows], answers=answers))
    return {each.row.name: each.severity for each in found}


def test_one_question_may_have_no_rows_as_its_answer_and_two_programs_are_not_both_right() -> None:
    assert severities(NONE) == {"none": Severity.SUSPICIOUS}
    sure = {"none": Severity.EFFORTLESS, "one": Severity.EFFORTLESS}
    assert severities(NONE, ONE) == sure


@pytest.mark.parametrize("pays", [[0.5], [0.1] * 8, []])
def test_a_part_of_the_marks_is_not_accused_however_often_it_is_paid(pays: list[float]) -> None:
    assert severities(void("none", pays, EMPTY_RESULT), void("one", pays, ONE_ROW)) == {}


def test_points_beyond_a_full_mark_leave_it_suspicious() -> None:
    right = row("right", Kind.CONSTANT, [10.0])
    assert severities(NONE, ONE, right) == dict.fromkeys(("none", "one"), Severity.SUSPICIOUS)


def test_shown_rows_are_explained_by_any_other_program_that_is_paid_as_well() -> None:
    assert severities(SHOWN) == {"shown": Severity.EFFORTLESS}
    assert "shown" not in severities(SHOWN, NONE)


def test_emptied_tables_are_explained_by_the_same_moves_without_emptying_any() -> None:
    beside = row("beside", Kind.CYCLE, [0.0, 0.6], field="sql")
    wiped = replace(WIPED, needs=("beside",))
    assert severities(wiped) == {"wiped": Severity.EFFORTLESS}
    assert severities(wiped, beside) == {}
    (suspicion,) = void_programs(Survey({}, [IDLE, wiped], answers=True))
    assert suspicion.id == "emptying_pays"


def test_who_is_asked_to_delete_may_delete() -> None:
    asked = row("idle", Kind.IDLE, [0.0], shown={"question": "Delete the old records"})
    (suspicion,) = void_programs(Survey({}, [asked, WIPED], answers=True))
    assert suspicion.severity is Severity.SUSPICIOUS


def test_nonsense_and_idling_explain_it_but_where_each_action_is_an_answer_idling_is_one() -> None:
    paid = row("idle", Kind.IDLE, [0.5], action={"sql": ""})
    survey = Survey({}, [paid, NONE, ONE])
    assert list(void_programs(survey)) == []
    assert len(list(void_programs(replace(survey, answers=True)))) == 2
    nonsense = row("nonsense", Kind.NONSENSE, [0.5], field="sql", action={"sql": "?"})
    assert severities(NONE, ONE, nonsense) == {}
