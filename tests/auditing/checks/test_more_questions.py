"""Answers to many more questions: a right one that is not paid on a few seeds, and one at which the scorer raises."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.checks.more_questions import FURTHER, MoreAnswers, questions_of
from gonogo.auditing.survey import REFERENCE, Survey, total
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn

SUMS = """
from typing import Any
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

class Said(Action):
    said: str

class Asked(Observation):
    first: int = 0
    second: int = 0
    correct: bool = False

class Sound(Environment):
    "Asks for the difference of two numbers; one in eleven is nothing."

    def __init__(self) -> None:
        super().__init__()
        self._first, self._second, self._steps = 0, 0, 0

    def reset(self, seed: Any = None, episode_id: Any = None) -> Asked:
        self._first, self._second, self._steps = 20 + (seed or 0) % 11, 20, 0
        return self._answer()

    def step(self, action: Said, timeout_s: Any = None) -> Asked:
        self._steps += 1
        if self._steps > 1:
            return self._answer(done=True, reward=0.0)
        right = action.said.strip() == str(self._first - self._second)
        return self._answer(correct=right, done=True, reward=self.score(action.said.strip(), right))

    def _answer(self, **more: Any) -> Asked:
        return Asked(first=self._first, second=self._second, **more)

    def score(self, said: str, right: bool) -> float:
        return float(right)

    @property
    def state(self) -> State:
        return State(episode_id="x", step_count=self._steps)

class Forgets(Sound):
    def score(self, said: str, right: bool) -> float:
        return float(right and self._first != self._second)

class Divides(Sound):
    def score(self, said: str, right: bool) -> float:
        return float(right and self._first / (self._first - self._second) > 0)

def solve(observation, memory):
    return {"said": str(observation["first"] - observation["second"])}
"""
UNUSED_SEEDS = 1
"""A run's seed of which no seed that every policy flies asks for nothing: only further questions do."""


@pytest.mark.parametrize(
    ("name", "finding"),
    [("Sound", None), ("Forgets", "failure_earns_as_much"), ("Divides", "action_raises")],
)
def test_a_right_answer_that_is_not_paid_on_few_seeds_is_met_by_asking_more(
    name: str, finding: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("quiz_of_sums.py").write_text(SUMS)
    verdict, record = fly_audit(
        tmp_path / "out",
        {
            "target": f"quiz_of_sums:{name}",
            "rollout.success": "correct",
            "audit.reference": "quiz_of_sums:solve",
            "audit.seeds": 4,
            "audit.budget": 3200,
            "seed": UNUSED_SEEDS,
        },
    )
    assert all(seed % 11 for seed in (*record.seeds.survey, *record.seeds.fresh))
    blocking = {found.id for found in record.findings if found.blocks}
    assert blocking == (set() if finding is None else {finding})
    assert (verdict is Verdict.NO_GO) == (finding is not None)
    kinds = {policy.kind for task in record.tasks for policy in task.policies}
    assert (FURTHER in kinds) == (finding is not None)


def test_an_answer_is_odd_where_it_earns_less_than_half_of_what_most_do() -> None:
    paid, poor = answer(0, 1.0), answer(1, 0.4)
    lost = MoreAnswers([paid, *[answer(n, 1.0) for n in range(2, 9)], poor])
    assert lost.unpaid == [poor] and lost.odd
    assert {str(plan) for _, plan in lost.wrong()} == {
        "[{'text': '0'}]",
        "[{'text': '2'}]",
        "[{'text': '3'}]",
    }
    assert {task["seed"] for task, _ in lost.wrong()} == {1}
    assert not MoreAnswers([paid, answer(1, 0.6)]).odd
    # What half of the answers earn is not odd, whatever the other half earns.
    assert not MoreAnswers([paid, poor, answer(2, 1.0), answer(3, 0.4)]).odd
    assert not MoreAnswers([answer(n, 0.0) for n in range(8)]).odd


def test_an_error_at_a_right_answer_is_odd() -> None:
    fine = answer(0, 1.0)
    raised = answer(1, 0.0)
    turns = [replace(raised.turns[0], invalid="no", erred="KeyError quiz.py:3")]
    assert MoreAnswers([fine, replace(raised, success=False, turns=turns)]).odd


def test_only_short_episodes_of_who_always_succeeds_are_asked_more() -> None:
    short = row("solve", REFERENCE, [1.0], success=True)
    assert questions_of(Survey({}, [IDLE, short])) == 48
    assert questions_of(Survey({}, [IDLE, SOLVED])) == 21
    long = row("solve", REFERENCE, [0.0] * 30 + [1.0], success=True)
    assert questions_of(Survey({}, [IDLE, long])) == 0
    assert questions_of(Survey({}, [IDLE, row("solve", REFERENCE, [1.0])])) == 0
    same = replace(short, episodes=[replace(each, task={}) for each in short.episodes])
    assert questions_of(Survey({}, [IDLE, same])) == 0


def answer(seed: int, pay: float) -> Episode:
    """An answer of one step that succeeds and is paid."""
    turns = [Turn("", {}, action={"text": str(seed)}, reward=pay)]
    episode = Episode(seed, {"seed": seed}, "t", "solve", turns=turns, success=True)
    episode.episode_return = pay
    assert total(episode) == pay
    return episode
