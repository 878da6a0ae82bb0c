"""Constants that say something in several fields at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.auditing.audits import blocked_of

from gonogo.auditing.joint_constants import (
    FieldValue,
    JointAction,
    climb,
    combinations_of,
    joint_rows,
    kinds_of_action,
    nonsense,
    sayable,
    starts,
)
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, fly_habit
from gonogo.exploits.panel import ALL_SEEN, Kind
from gonogo.rollouts.space import ActionField, Space
from gonogo.rollouts.types import View

pytestmark = pytest.mark.usefixtures("from_the_root")
SCHEMA = {
    "properties": {
        "do": {"enum": ["wait", "send", "keep"]},
        "to": {"enum": ["a", "b"]},
        "text": {"type": "string"},
    },
    "required": ["do", "to", "text"],
}


@pytest.mark.parametrize(
    ("case", "blocked"),
    [
        ("Desk", {"paid_without_trying"}),
        ("FairDesk", set()),
        ("Belt", {"paid_without_trying"}),
        ("FairBelt", set()),
    ],
)
def test_what_says_all_at_once_is_found_where_it_is_paid(
    case: str, blocked: set[str], tmp_path: Path
) -> None:
    assert blocked_of(f"tests.zoo.tickets:{case}", tmp_path, 4_000) == blocked


def fields() -> list[ActionField]:
    """The fields of an action of the schema."""
    return Space(SCHEMA).leaves()


def test_each_combination_of_few_choices_is_a_constant() -> None:
    do, to, text = fields()
    habits = list(combinations_of(JointAction(do.base), [do, to, text], {}, 60))
    assert [habit.action for habit in habits] == [
        {"do": a, "to": b, "text": ""} for a in ("wait", "send", "keep") for b in ("a", "b")
    ]
    assert {habit.kind for habit in habits} == {Kind.CONSTANT}
    more = list(combinations_of(JointAction(do.base), [do, to, text], {"text": ["x", "y"]}, 60))
    assert len(more) == 12  # what is named for a text counts as its choices
    assert (
        len(list(combinations_of(JointAction(do.base), [do, to, text], {"text": ["x", "y"]}, 8)))
        == 6
    )
    assert not list(combinations_of(JointAction(do.base), [do, to, text], {}, 3))


def test_a_climb_begins_with_each_choice_of_the_first_field_that_has_any() -> None:
    do, to, text = fields()
    assert [start.action["do"] for start in starts(JointAction(do.base), [text, do, to])] == [
        "wait",
        "send",
        "keep",
    ]
    assert list(starts(JointAction(do.base), [text])) == [JointAction(do.base)]


def test_a_text_may_hold_words_or_all_that_is_seen() -> None:
    *_, text = fields()
    said = list(sayable(text, {"text": ["oak", "elm"]}))
    assert [each.kind for each in said] == [
        Kind.CONSTANT,
        Kind.CONSTANT,
        Kind.NONSENSE,
        Kind.WORDS,
        Kind.SHOTGUN,
    ]
    assert said[3].value == "oak, elm"


def test_what_is_made_of_what_is_seen_is_sent_beside_the_choices() -> None:
    do, _, text = fields()
    *_, seen = sayable(text, {})
    joint = (
        JointAction(do.base)
        .with_value(FieldValue(do, Kind.CONSTANT, "'send'", "send"))
        .with_value(seen)
    )
    habit, view = joint.habit(), View("", {"a": "oak", "b": 3}, {}, 0)
    reply = habit.act({0: view})[0]
    assert reply.action == {"do": "send", "to": "a", "text": "oak / 3"}
    assert (habit.kind, habit.action, habit.field) == (Kind.SHOTGUN, None, "text")
    assert habit.name.endswith(ALL_SEEN)
    blank = joint.blank()
    assert blank is not None and blank.kind == Kind.NONSENSE
    assert blank.action == {"do": "send", "to": "a", "text": nonsense(text).value}
    assert (blank.field, blank.context) == (habit.field, habit.context)
    assert JointAction(do.base).blank() is None


def test_a_field_says_one_thing_and_what_is_settled_last_is_told() -> None:
    do, to, text = fields()
    words = FieldValue(text, Kind.WORDS, "words", "oak, elm")
    joint = (
        JointAction(do.base).with_value(words).with_value(FieldValue(to, Kind.CONSTANT, "'b'", "b"))
    )
    again = joint.with_value(FieldValue(to, Kind.CONSTANT, "'a'", "a"))
    assert again.action == {"do": "wait", "to": "a", "text": "oak, elm"}
    assert again.told == words
    assert again.habit().kind == Kind.WORDS


def test_an_object_that_may_be_left_out_stands_around_what_is_said_in_it() -> None:
    inner = {"type": "object", "properties": {"to": {"enum": ["a", "b"]}, "by": {"enum": [1, 2]}}}
    schema = {
        "properties": {
            "do": {"enum": ["send", "keep"]},
            "how": {"anyOf": [{"type": "null"}, inner]},
        },
        "required": ["do", "how"],
    }
    (base, some), *_ = kinds_of_action(Space(schema), None)
    actions = [habit.action for habit in combinations_of(base, some, {}, 60)]
    assert {"do": "keep", "how": {"to": "b", "by": 2}} in actions
    assert len(actions) == 8


def test_each_form_of_a_union_stands_alone() -> None:
    forms = [
        {
            "type": "object",
            "properties": {"do": {"const": do}, "to": {"enum": ["a", "b"]}, "by": {"enum": [1, 2]}},
            "required": ["do", "to", "by"],
        }
        for do in ("send", "keep")
    ]
    kinds = list(kinds_of_action(Space({"anyOf": forms}), None))
    assert [base.action["do"] for base, _ in kinds] == ["send", "keep"]
    habits = [h for base, some in kinds for h in combinations_of(base, some, {}, 60)]
    assert len({repr(habit.action) for habit in habits}) == len(habits) == 8


def test_a_climb_settles_what_earns_more_and_ends_with_its_steps(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.tickets:Belt")
    tasks, all_of = session.tasks({}, range(2)), session.space.leaves()
    first, *_ = starts(JointAction(all_of[0].base), all_of)
    begun = first
    for field, value in zip(all_of[:2], ("stock", "high"), strict=True):
        begun = begun.with_value(FieldValue(field, Kind.CONSTANT, repr(value), value))
    top, pay = climb(session, begun, all_of[2:], tasks, 10**6)
    assert (top.action, pay) == ({"where": "stock", "urgency": "high", "by": "phone"}, 4.0)
    still, _ = climb(session, first, all_of, tasks, session.steps)
    assert still == first


def test_rows_are_of_each_combination_once_and_of_nothing_where_all_is_lost(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.tickets:Belt")
    tasks = session.tasks({}, range(4))
    idle = Survey({}, [fly_habit(session, session.panel()[0], tasks)])
    rows = list(joint_rows(session, idle, tasks))
    actions = [row.action for row in rows]
    assert len(rows) == 27
    assert all(action not in actions[:n] for n, action in enumerate(actions))
    assert {len(row.episodes) for row in rows} == {4}
    assert not list(joint_rows(session, Survey({}, [], broken_off=True), tasks))
