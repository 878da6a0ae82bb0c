"""Longer looks at paid rows: what is repeated, to which end, and what comes after a paid step."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.auditing.rows import IDLE, row

from gonogo.auditing.probes import dearest, first_paid, longer_looks, period, repeated
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import AGAIN, CLOSED, ONCE, Survey, fly_habit
from gonogo.exploits.panel import Kind

A, B, C = {"do": "a"}, {"do": "b"}, {"do": "c"}


@pytest.mark.parametrize(
    ("actions", "lap"),
    [([A], 1), ([A, A, A], 1), ([A, B, A, B], 2), ([C, A, B, A, B], 2), ([A, B], 1)],
)
def test_a_lap_is_what_the_last_actions_repeat(actions: list[dict[str, str]], lap: int) -> None:
    assert period(actions) == lap


def test_a_cycle_goes_on_and_a_single_action_is_repeated_by_itself() -> None:
    assert repeated([C, A, B, A, B], 8) == [C, A, B, A, B, A, B, A]
    assert repeated([A, A], 8) == [A, A]


def test_only_what_is_paid_to_the_end_is_looked_at_longer() -> None:
    late, early = (
        row("late", Kind.CONSTANT, [0.1] * 6),
        row("early", Kind.CONSTANT, [1.0, 0.0, 0.0]),
    )
    assert dearest([early, late], 4) == [late]


def test_a_first_step_that_idling_is_paid_for_too_is_not_followed() -> None:
    paid = row("paid", Kind.CONSTANT, [0.5] * 6, action={"size": 1})
    assert first_paid(Survey({}, [IDLE, paid])) == [paid]
    lively = row("idle", Kind.IDLE, [0.5] * 6, action={"size": 0})
    assert first_paid(Survey({}, [lively, paid])) == []


def test_a_paid_action_is_followed_by_idling_and_by_what_ends_the_episode(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.untold:ScoreEachStep")
    tasks = session.tasks({}, range(4))
    habits = {habit.name: habit for habit in session.panel()}
    idle = fly_habit(session, habits["idle"], tasks)
    end = fly_habit(session, habits["always do=submit"], tasks)
    right = {"do": "label", "item": 0, "level": "low"}
    label = fly_habit(session, type(habits["idle"]).constant("label", Kind.CONSTANT, right), tasks)
    rows = [idle, end, label]
    looked = Survey({}, [*longer_looks(session, Survey({}, rows))])
    (once,), (closed,) = looked.of_kind(ONCE), looked.of_kind(CLOSED)
    assert {len(e.turns) for e in once.episodes} == {15}
    assert {len(e.turns) for e in closed.episodes} == {2}
    assert all(turn.reward == pytest.approx(1 / 3) for e in once.episodes for turn in e.turns)


def test_what_only_the_limit_ended_is_flown_to_a_later_one(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.untold:EndlessNotes")
    tasks = session.tasks({}, range(4))
    habits = {habit.name: habit for habit in session.panel()}
    rows = [fly_habit(session, habits[name], tasks) for name in ("idle", "always kind=note")]
    looked = Survey({}, [*longer_looks(session, Survey({}, rows))])
    (again,) = looked.of_kind(AGAIN)
    assert again.about == "always kind=note"
    assert {len(e.turns) for e in again.episodes} == {4 * session.limit}
