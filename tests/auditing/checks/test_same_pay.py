"""What is paid whatever is done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit
from tests.auditing.rows import row

from gonogo.auditing.checks.paid import Paid
from gonogo.auditing.checks.same_pay import nothing_to_win, paid_by_the_task
from gonogo.auditing.survey import Survey, SurveyRow
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity

pytestmark = pytest.mark.usefixtures("from_the_root")
TASKS = ("a letter to the mayor", "a letter to the bank")


def test_a_grade_that_hangs_on_the_task_alone_is_proven(tmp_path: Path) -> None:
    given = {"target": "tests.zoo.noise:Drawn", "audit.seeds": 8, "audit.budget": 3_000}
    _, report = fly_audit(tmp_path, given, {})
    (found,) = [each for each in report.findings if each.id == "paid_without_trying"]
    assert found.severity is Severity.EFFORTLESS


def paid(name: str, kind: str, pays: Sequence[float], says: str) -> SurveyRow:
    """A row of two tasks, each of which is shown, with what each is paid."""
    made = row(name, kind, list(pays))
    episodes = []
    for episode, task, pay in zip(made.episodes, TASKS, pays, strict=False):
        turn = replace(episode.turns[0], observation={"task": task}, action={"text": says})
        turn = replace(turn, reward=pay, done=True, invalid=None)
        episodes.append(replace(episode, turns=[turn], episode_return=pay, success=None))
    return replace(made, episodes=episodes)


def survey(*others: SurveyRow, pays: Sequence[float] = (0.3, 0.6)) -> Survey:
    """Idling, five constants and some others."""
    constants = [paid(f"always {n}", Kind.CONSTANT, pays, n) for n in "abcde"]
    return Survey({}, [paid("idle", Kind.IDLE, pays, ""), *constants, *others])


def test_one_answer_that_is_paid_otherwise_is_read() -> None:
    (found,) = paid_by_the_task(Paid(survey()))
    assert found.severity is Severity.EFFORTLESS and "from 0.3 to 0.6" in found.explanation
    right = paid("explored 1", Kind.RANDOM, (1.0, 0.6), "right")
    assert not list(paid_by_the_task(Paid(survey(right))))
    other = paid(
        "explored 2", Kind.RANDOM, (0.6, 0.6), "right"
    )  # which is what the other task pays
    assert not list(paid_by_the_task(Paid(survey(other))))
    text = paid("text='?'", Kind.NONSENSE, (0.3, 0.6), "?")
    (doubted,) = paid_by_the_task(Paid(survey(text)))
    assert doubted.severity is Severity.SUSPICIOUS
    assert not list(paid_by_the_task(Paid(survey(pays=(0.3, 0.3)))))
    assert not list(paid_by_the_task(Paid(survey(pays=(0.0, 0.6)))))


def test_where_tasks_pay_differently_there_is_something_to_win_elsewhere() -> None:
    assert not list(nothing_to_win(Paid(survey())))


def test_what_was_flown_is_all_that_is_said_of_a_prize_that_nobody_found() -> None:
    rows = [row(f"always {n}", Kind.CONSTANT, [0.5], action={"do": n}) for n in "abcdef"]
    (found,) = nothing_to_win(Paid(Survey({}, [row("idle", Kind.IDLE, [0.5]), *rows])))
    assert found.severity is Severity.SUSPICIOUS
    assert "7 policies that were flown" in found.explanation
    assert not re.search("nobody|can win|whatever", found.explanation)
