"""Texts that have the form which is asked for, and say nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.auditing.checks.test_free_success import audit_careless
from tests.auditing.rows import row

from gonogo.auditing.blank_forms import (
    blank_habits,
    blank_rows,
    blanks,
    form_rows,
    habits_of,
    handed_in,
    is_action,
    unformed,
    ways_to_end,
)
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, fly_habit
from gonogo.contract.text_forms import TextForm
from gonogo.env.target import resolve
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import View

pytestmark = pytest.mark.usefixtures("from_the_root")
ENOUGH = 12_000
"""Steps after which the defect is proven."""
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


def test_a_blank_stands_in_an_object_that_the_action_leaves_out() -> None:
    call = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    schema = {
        "properties": {
            "do": {"enum": ["wait", "call"]},
            "call": {"anyOf": [call, {"type": "null"}]},
        },
        "required": ["do"],
        "examples": [{"do": "call", "call": None}],
    }
    sent = [action for _, action in blanks(Space(schema))]
    assert {"do": "wait", "call": {"name": ""}} in sent
    assert {"do": "call", "call": {"name": ""}} in sent


def test_words_stand_beside_as_many_that_mean_nothing() -> None:
    schema = {"properties": {"text": {"type": "string"}}, "required": ["text"]}
    *_, both = habits_of(Space(schema), [FORM], ["oak tree", "elm"])
    assert [habit.kind for habit in both] == [Kind.LENGTH, Kind.WORDS]
    sent = [habit.action["text"] for habit in both if habit.action]
    assert sent == [
        '{"town": "qqq qqqq, qqq", "boxes": 1}',
        '{"town": "oak tree, elm", "boxes": 1}',
    ]


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
    verdict, report = audit_careless("AnyLetter", tmp_path, ENOUGH)
    (finding,) = [each for each in report.findings if each.blocks]
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity) == ("paid_without_trying", Severity.EFFORTLESS)


def test_a_letter_that_is_read_is_not_accused(tmp_path: Path) -> None:
    _, report = audit_careless("RightLetter", tmp_path, ENOUGH)
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


KINDS = {
    "properties": {
        "do": {"enum": ["wait", "send"]},
        "to": {"type": "string", "minLength": 1},
        "list": {"type": "array", "items": {"type": "string"}},
        "size": {"type": "integer"},
    },
    "required": ["do"],
}
CALLED = [
    {"name": "write", "input_schema": {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}},
    {"name": "end", "input_schema": {"properties": {}}},
]  # fmt: skip
CALL = {
    "properties": {"tool_name": {"type": "string"}, "arguments": {"type": "object"}},
    "required": ["tool_name", "arguments"],
}


def test_all_texts_and_lists_of_each_choice_are_blank_at_once() -> None:
    made = dict(blanks(Space(KINDS)))
    assert made["do=send: nothing in every text and list"] == {"do": "send", "list": []}
    assert made["'???' in every text and list"] == {"do": "wait", "to": "???", "list": ["???"]}
    assert made["do=send: '.*' in every text and list"] == {
        "do": "send",
        "to": ".*",
        "list": [".*"],
    }
    assert {habit.kind for habit in blank_habits(Space(KINDS))} == {Kind.BLANK}
    assert blanks(Space({"properties": {"size": {"type": "integer"}}, "required": ["size"]})) == []


def test_each_tool_is_called_with_nothing_and_then_what_ends_an_episode() -> None:
    space = Space(CALL, CALLED)
    end = {"tool_name": "end", "arguments": {}}
    first = handed_in(space, [end])[0]
    views = [View(text="", observation={}, options={}, turn=turn) for turn in range(3)]
    sent = [first.act({0: view})[0].action for view in views]
    assert [action["tool_name"] for action in sent if action] == ["write", "end", "end"]
    assert sent[0] is not None and sent[0]["arguments"] == {"a": "", "b": ""}
    assert handed_in(space, []) == []


def test_what_ends_an_episode_is_not_sent_blank_before_itself() -> None:
    ended = [habit.name for habit in handed_in(Space(KINDS), [{"do": "send"}])]
    assert ended and not any("do=send:" in name for name in ended)


def test_the_words_of_a_form_stand_without_it() -> None:
    sent = [{"do": "ask", "text": '{"average_ttk": {"x": "x"}}'}, {"do": "end"}]
    plain = [{"do": "ask", "text": "average_ttk x x"}, {"do": "end"}]
    assert unformed(sent, "text") == plain
    assert unformed(sent, None) == sent
