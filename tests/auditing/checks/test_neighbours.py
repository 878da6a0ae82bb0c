"""Answers near a right one: a wrong one that is paid, a right one that is refused, one at which the scorer raises."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from tests.auditing.audits import fly_audit
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.checks import neighbours
from gonogo.auditing.checks.neighbours import (
    NEAR,
    Changed,
    ShownByChanges,
    Unpaid,
    answered,
    changes,
    prove_unpaid,
    unpaid,
)
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.resets import opening_mark
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import REFERENCE, EpisodeKeys, Survey
from gonogo.auditing.variants import in_turn
from gonogo.exploits.panel import Kind
from gonogo.records.findings import EpisodeWitness, Severity
from gonogo.records.record import Verdict
from gonogo.records.success import JudgedSuccess
from gonogo.rollouts.episodes import Turn
from gonogo.rollouts.space import Space

QUIZ = """
from typing import Any
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

def divisors(number):
    return [each for each in range(1, number + 1) if number % each == 0]

class Said(Action):
    said: str

class Asked(Observation):
    number: int = 0
    question: str = ""
    correct: bool = False

class Sound(Environment):
    "Asks for the divisors of a number, in any order."

    def __init__(self) -> None:
        super().__init__()
        self._number, self._steps = 0, 0

    def reset(self, seed: Any = None, episode_id: Any = None) -> Asked:
        self._number, self._steps = 12 + (seed or 0) % 40, 0
        return self._answer()

    def step(self, action: Said, timeout_s: Any = None) -> Asked:
        self._steps += 1
        if self._steps > 1:
            return self._answer(done=True, reward=0.0)
        right = self.right(action.said)
        paid = self.score(action.said)
        return self._answer(correct=right, done=True, reward=paid)

    def _answer(self, **more: Any) -> Asked:
        return Asked(number=self._number, question=f"Which numbers divide {self._number}? Commas between.", **more)

    def right(self, said: str) -> bool:
        return sorted(part.strip() for part in said.split(",")) == sorted(map(str, divisors(self._number)))

    def score(self, said: str) -> float:
        return float(self.right(said))

    @property
    def state(self) -> State:
        return State(episode_id="x", step_count=self._steps)

class Refuses(Sound):
    def score(self, said: str) -> float:
        return float(said == ", ".join(map(str, divisors(self._number))))

class Accepts(Sound):
    def score(self, said: str) -> float:
        return float(set(map(str, divisors(self._number))) <= {part.strip() for part in said.split(",")})

class Raises(Sound):
    def score(self, said: str) -> float:
        for part in said.split(",") if "," in said else ():
            int(part)
        return super().score(said)

def solve(observation, memory):
    return {"said": ", ".join(map(str, divisors(observation["number"])))}
"""


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("Sound", None),
        ("Refuses", "success_unpaid"),
        ("Accepts", "failure_earns_as_much"),
        ("Raises", "action_raises"),
    ],
)
def test_what_differs_from_a_right_answer_in_one_thing_is_judged_by_success(
    name: str, finding: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("quiz_of_divisors.py").write_text(QUIZ)
    verdict, record = fly_audit(
        tmp_path / "out",
        {
            "target": f"quiz_of_divisors:{name}",
            "rollout.success": "correct",
            "audit.reference": "quiz_of_divisors:solve",
            "audit.seeds": 4,
            "audit.budget": 2600,
        },
    )
    blocking = {found.id for found in record.findings if found.blocks}
    assert blocking == (set() if finding is None else {finding})
    assert (verdict is Verdict.NO_GO) == (finding is not None)
    for found in record.findings if name == "Refuses" else ():
        assert isinstance(found.witness, EpisodeWitness) and found.witness.success is True
        assert found.severity is Severity.CONTRACT


def test_a_success_that_earns_less_than_another_is_refused_only_if_a_failure_earns_as_much() -> (
    None
):
    poor = row("poor", NEAR, [0.0] * 5 + [0.3], success=True)
    failed = row("failed", Kind.NONSENSE, [0.0] * 5 + [0.3])
    assert unpaid(Survey({}, [IDLE, SOLVED, poor])) is None
    found = unpaid(Survey({}, [IDLE, SOLVED, poor, failed]))
    assert found is not None and (found.row.name, found.who) == ("poor", "failed")
    assert found.lost == pytest.approx(0.7)
    longer = row("failed", Kind.NONSENSE, [0.1] * 7)
    assert unpaid(Survey({}, [IDLE, SOLVED, poor, longer])) is None
    nearly = row("nearly", NEAR, [0.0] * 5 + [0.6], success=True)
    partly = row("failed", Kind.NONSENSE, [0.0] * 5 + [0.7])
    assert unpaid(Survey({}, [IDLE, SOLVED, nearly, partly])) is None


def test_a_refused_success_is_proven_where_each_reset_only_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    poor = row("poor", NEAR, [0.0] * 5 + [0.3], success=True)
    failed = row("failed", Kind.NONSENSE, [0.0] * 5 + [0.3])
    judged = JudgedSuccess(said_by="given", expression="done", why="", candidates=())
    session = cast(AuditSession, SimpleNamespace(judged=judged))
    for key, proven in (("attempt", True), ("task", False)):
        known = [row("solve", REFERENCE, [0.0] * 5 + [1.0], success=True), poor, failed]
        shown = [{key: n if proven else "abcdefghijkl"[n]} for n in range(12)]
        marks = iter([opening_mark(each, {}) for each in shown])
        for episode in (e for each in known for e in each.episodes[:1]):
            episode.opened = next(marks)
        flown = Survey({}, [IDLE, *known])
        found = Unpaid(poor, poor.episodes[0], failed.episodes[0], "failed", known[0].episodes[0])
        again = iter([found.success, found.failure, found.best])
        monkeypatch.setattr(
            neighbours, "fly_witness", lambda *_, again=again, **__: replace(next(again))
        )
        assert isinstance(prove_unpaid(session, flown, found), Confirmed) is proven


def test_where_a_success_only_costs_less_a_longer_one_is_not_refused() -> None:
    best = row("solve", REFERENCE, [-2.0], success=True)
    longer, failed = row("longer", NEAR, [-6.0], success=True), row("x", Kind.NONSENSE, [-6.0])
    assert unpaid(Survey({}, [IDLE, best, longer, failed])) is None


def test_of_each_kind_that_shows_something_a_few_rows_are_kept() -> None:
    shown = ShownByChanges(Survey({}, [IDLE, SOLVED]))
    lucky = row("lucky", NEAR, [0.0] * 5 + [1.0]).episodes
    assert [shown.something(lucky[:1]) for _ in range(5)] == [True] * 4 + [False]
    assert shown.something(row("poor", NEAR, [0.5], success=True).episodes)
    assert not shown.something(row("wrong", NEAR, [0.5]).episodes)
    assert not shown.something(row("right", NEAR, [1.0], success=True).episodes)
    (episode, *_) = row("raises", NEAR, [0.0]).episodes
    refused = replace(episode, turns=[Turn("", {}, action={}, invalid="no 3")])
    again = replace(episode, turns=[Turn("", {}, action={}, invalid="no 4")])
    assert [shown.something([each]) for each in (refused, again) * 3] == [True] * 4 + [False] * 2


def test_a_change_is_held_against_the_success_of_the_same_episode() -> None:
    """Where resets of one seed turn, a failure is not paid as much as the success of another level."""
    solved, idle = copy.deepcopy(SOLVED), copy.deepcopy(IDLE)
    lucky = row("lucky", NEAR, [1.0])
    for each, mark in ((idle, "a"), (solved, "b"), (lucky, "a")):
        for episode in each.episodes:
            episode.opened = mark
    flown = Survey({}, [idle, solved])
    assert EpisodeKeys(flown).turning
    assert not ShownByChanges(flown).something(lucky.episodes)
    for episode in lucky.episodes:
        episode.opened = "b"
    assert ShownByChanges(flown).something(lucky.episodes)


def test_the_last_answer_of_each_success_is_changed_and_what_came_before_it_is_kept() -> None:
    properties = {"text": {"type": "string"}, "name": {"type": "string"}}
    space = Space({"type": "object", "properties": properties, "required": ["text", "name"]})
    turns = [
        Turn("", {"asked": "Say it."}, action={"text": "look", "name": ""}),
        Turn("", {}, action={"text": "3", "name": "a"}),
    ]
    starts = [({"seed": 1}, turns)]
    leaf = answered(starts, space.leaves())
    assert leaf is not None and leaf.name == "text"
    (changed,) = changes(leaf, starts)
    task, plan = changed["its first number one more"]
    assert task == {"seed": 1}
    assert plan == [{"text": "look", "name": ""}, {"text": "4", "name": "a"}]
    assert answered([({}, [Turn("", {}, action={"text": "", "name": ""})])], space.leaves()) is None


def test_the_names_of_all_successes_are_flown_in_turn() -> None:
    plans: list[Changed] = [{"a": ({}, []), "b": ({}, [])}, {"c": ({}, [])}]
    assert list(in_turn([iter(plan) for plan in plans])) == ["a", "c", "b"]
