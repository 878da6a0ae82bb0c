"""Texts that have the form which is asked for, and say nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.auditing.checks.test_free_success import audit_careless
from tests.auditing.rows import row

from gonogo.auditing.blank_forms import blank_rows, form_rows, habits_of, is_action, ways_to_end
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, fly_habit
from gonogo.contract.text_forms import TextForm
from gonogo.env.target import resolve
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict
from gonogo.rollouts.space import Space

pytestmark = pytest.mark.usefixtures("from_the_root")
FORM = TextForm(("town", "boxes"), ("string", "number"))
SCHEMA = {
    "properties": {
        "do": {"enum": ["wait", "send", "keep"]},
        "text": {"type": "string", "maxLength": 30},
    },
    "required": ["do"],
}


def test_each_filling_that_fits_stands_alone_and_beside_each_other_choice() -> None:
    groups = list(habits_of(Space(SCHEMA), [FORM]))
    contexts = [
        {habit.context["do"] if habit.context else None for habit in group} for group in groups
    ]
    assert contexts == [{None}, {"send"}, {"keep"}]
    assert all(len(group) == 2 for group in groups)  # one filling is too long
    assert {habit.kind for group in groups for habit in group} == {Kind.FORM}
    assert groups[1][0].action == {"do": "send", "text": '{"town": "x", "boxes": 1}'}


def test_the_form_of_an_action_is_none_of_a_text() -> None:
    assert is_action(TextForm(("do", "text"), ("string", "string")), Space(SCHEMA))
    assert not is_action(FORM, Space(SCHEMA))


def test_only_what_is_paid_becomes_a_row_with_all_fillings_of_its_form(
    session_of: Callable[[str], AuditSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = "tests.zoo.careless:AnySlip"
    session, target = session_of(path), resolve(path)
    tasks = session.tasks({}, range(4))
    idle = Survey({}, [fly_habit(session, session.panel()[0], tasks)])
    rows = list(form_rows(session, target, idle, tasks))
    assert len(rows) == 3 and {len(row.episodes) for row in rows} == {4}
    assert {row.action["text"] for row in rows if row.action} >= {'{"town": "x", "boxes": 1}'}
    assert all(set(row.needs) == {r.name for r in rows} - {row.name} for row in rows)
    lost = Survey({}, idle.rows, broken_off=True)
    assert list(form_rows(session, target, lost, tasks)) == []
    monkeypatch.setattr("gonogo.auditing.blank_forms.MOST_STEPS", 0)
    assert list(form_rows(session, target, idle, tasks)) == []


def test_what_nobody_wrote_and_is_paid_when_it_is_handed_in_is_proven(tmp_path: Path) -> None:
    verdict, report = audit_careless("AnyLetter", tmp_path)
    (finding,) = [each for each in report.findings if each.blocks]
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity) == ("paid_without_trying", Severity.EFFORTLESS)


def test_a_letter_that_is_read_is_not_accused(tmp_path: Path) -> None:
    _, report = audit_careless("RightLetter", tmp_path)
    assert [finding for finding in report.findings if finding.blocks] == []


@pytest.mark.parametrize(
    ("case", "found"),
    [
        ("AnyLetter", ["do=write: nothing in every text and list, then {'do': 'send'}"]),
        ("RightLetter", []),
    ],
)
def test_only_what_is_paid_more_than_ending_becomes_a_row(
    case: str,
    found: list[str],
    session_of: Callable[[str], AuditSession],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = session_of(f"tests.zoo.careless:{case}")
    tasks = session.tasks({}, range(4))
    names = {"idle", "always do=send", "always do=write"}
    habits = [habit for habit in session.panel() if habit.name in names]
    flown = Survey({}, [fly_habit(session, habit, tasks) for habit in habits])
    assert ways_to_end(flown) == [{"do": "send"}]
    rows = list(blank_rows(session, flown, tasks))
    assert [row.name for row in rows] == found
    assert all(len(row.episodes) == 4 and row.kind == Kind.BLANK for row in rows)
    assert list(blank_rows(session, Survey({}, flown.rows, broken_off=True), tasks)) == []
    monkeypatch.setattr("gonogo.auditing.blank_forms.MOST_STEPS", 0)
    assert list(blank_rows(session, flown, tasks)) == []


def test_what_goes_on_is_no_way_to_end() -> None:
    once, on = (
        row("a", Kind.CONSTANT, [1.0], action={"do": "a"}),
        row("b", Kind.CONSTANT, [0.0] * 3),
    )
    for episode in (*once.episodes, *on.episodes):
        episode.turns[-1].done = True
    assert ways_to_end(Survey({}, [once, on])) == [{"do": "a"}]
