"""What is paid again for the same thing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit
from tests.auditing.rows import IDLE, row

from gonogo.auditing.checks.paid import Paid
from gonogo.auditing.checks.paid_again import Look, answered_again, is_repaid, repaid
from gonogo.auditing.survey import Survey
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity


def test_a_look_tells_the_laps_of_two_actions_in_turn() -> None:
    episode = row("x", Kind.CONSTANT, [0.1, 0.0] * 6).episodes[0]
    for number, turn in enumerate(episode.turns):
        turn.action = {"op": "ab"[number % 2]}
    look = Look.of(episode)
    assert (look.lap, look.pays_to_the_end) == (2, True)
    for turn in episode.turns[6:]:
        turn.reward = 0.0
    assert not Look.of(episode).pays_to_the_end


def test_what_is_paid_once_is_paid_again_only_where_each_later_step_is_paid_the_same() -> None:
    assert repaid(row("x", Kind.CONSTANT, [0.1] * 8).episodes[0])
    assert not repaid(row("x", Kind.CONSTANT, [0.1, *[0.0] * 7]).episodes[0])


STILL = {"question": "why"}
ANSWER = {"text": "because", "size": 0}
SEEN = row("idle", Kind.IDLE, [0.0] * 5, action=IDLE.action, shown=STILL)


def test_the_same_answer_paid_at_each_turn_is_a_suspicion_where_it_comes_to_more_than_one_may() -> (
    None
):
    again = row("again", Kind.ECHO, [0.4] * 5, shown=STILL, action=ANSWER)
    survey = Survey({}, [SEEN, again], answers=True)
    (suspicion,) = answered_again(Paid(survey))
    assert (suspicion.id, suspicion.severity) == ("paid_again", Severity.EXPLOIT)
    assert "at each of 5 turns" in suspicion.explanation
    assert list(answered_again(Paid(replace(survey, answers=False)))) == []
    asked_anew = row("idle", Kind.IDLE, [0.0] * 5, action=IDLE.action)
    for n, turn in enumerate(turn for e in asked_anew.episodes for turn in e.turns):
        turn.observation = {"question": "abcde"[n % 5]}
    assert list(answered_again(Paid(replace(survey, rows=[asked_anew, again])))) == []
    once = row("again", Kind.ECHO, [0.19] * 5, shown=STILL, action=ANSWER)
    assert list(answered_again(Paid(replace(survey, rows=[SEEN, once])))) == []


@pytest.mark.parametrize(
    ("pays", "again"),
    [
        ([0.4] * 3, True),
        ([0.4] * 2, False),
        ([0.4, 0.0, 0.0], False),
        ([0.9, 0.9, 0.1, 0.1], False),
    ],
)
def test_an_answer_is_paid_again_where_the_later_turns_are_paid_as_well(
    pays: list[float], again: bool
) -> None:
    assert is_repaid(row("x", Kind.ECHO, pays, action=ANSWER).episodes[0]) is again


@pytest.mark.usefixtures("from_the_root")
@pytest.mark.parametrize(
    ("case", "found"), [("MarkEachTurn", True), ("MarkGained", False), ("WordEachTurn", False)]
)
def test_an_answer_is_held_against_one_mark_where_the_same_is_asked_again(
    case: str, found: bool, tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.again:{case}", "audit.seeds": 8, "audit.budget": 5_000}
    _, record = fly_audit(tmp_path, given, {})
    assert [each.id for each in record.findings if each.blocks] == ["paid_again"] * found
