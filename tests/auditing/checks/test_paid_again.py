"""What is paid again for the same thing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit
from tests.auditing.rows import IDLE, row

from gonogo.auditing.checks.paid import Paid
from gonogo.auditing.checks.paid_again import Look, answered_again, is_repaid, repaid
from gonogo.auditing.survey import AGAIN, Survey, SurveyRow
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
REPEATED = replace(row("again", Kind.ECHO, [0.4] * 5, action=ANSWER), field="text")
LOOK = replace(row("look", AGAIN, [0.4] * 5, shown=STILL, action=ANSWER), about="again")
SURVEY = Survey({}, [IDLE, REPEATED, LOOK], answers=True)


def asked_anew(look: SurveyRow) -> SurveyRow:
    """The same, with another question at each turn."""
    episodes = []
    for episode in look.episodes:
        both = zip(episode.turns, ("who", "when", "how", "what", "which"), strict=True)
        turns = [replace(turn, observation={"question": word}) for turn, word in both]
        episodes.append(replace(episode, turns=turns))
    return replace(look, episodes=episodes)


def severities(*rows: SurveyRow) -> list[Severity | None]:
    """Of what is suspected where these rows were flown, too."""
    return [each.severity for each in answered_again(Paid(SURVEY.plus(rows)))]


def test_the_same_answer_paid_at_each_turn_is_suspicious_where_no_single_one_is_paid_so_much() -> (
    None
):
    (suspicion,) = answered_again(Paid(SURVEY))
    assert (suspicion.id, suspicion.severity) == ("paid_again", Severity.SUSPICIOUS)
    assert "at each of 5 turns" in suspicion.explanation
    for changed in (
        replace(SURVEY, answers=False),
        replace(SURVEY, rows=[IDLE, REPEATED]),
        replace(SURVEY, rows=[IDLE, REPEATED, asked_anew(LOOK)]),
    ):
        assert list(answered_again(Paid(changed))) == []
    assert severities(row("dear", Kind.CONSTANT, [2.0], action={"text": "so", "size": 0})) == []


def test_the_same_answer_is_an_exploit_where_a_better_one_ends_it_or_where_it_is_a_program() -> (
    None
):
    right, wrong = row("right", Kind.CONSTANT, [0.9]), row("wrong", Kind.CONSTANT, [0.3])
    for episode in (*right.episodes, *wrong.episodes):
        episode.turns[-1].done = True
    assert severities(right) == [Severity.EXPLOIT]
    assert severities(wrong) == [Severity.SUSPICIOUS]
    void = replace(row("void", Kind.VOID, [0.0] * 5), field="text")
    assert severities(void) == [Severity.EXPLOIT]
    assert severities(replace(void, field="size")) == [Severity.SUSPICIOUS]


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
    given = {"target": f"tests.zoo.again:{case}", "audit.seeds": 8, "audit.budget": 14_000}
    _, record = fly_audit(tmp_path, given, {})
    assert [each.id for each in record.findings] == ["paid_again"] * found
