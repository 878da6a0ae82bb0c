"""Exploits flown against a reward, with its guards and without each."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.records_made import exploit_case

from gonogo import config
from gonogo.errors import MissingRecord, Misuse
from gonogo.records.reward import ExploitCases
from gonogo.reward.trials import Trials, read_cases, unguarded
from gonogo.rollouts.episodes import Episode

REWARD = """\
from openenv.core.rubrics import Rubric, WeightedSum


class Part(Rubric):
    def __init__(self, name, pay):
        super().__init__()
        self.name, self.pay = name, pay
        self.GUARDS = {"word": "It pays nothing."} if name == "primary" else {}

    def forward(self, action, observation):
        return self.pay


def make_reward(without=()):
    pays = {"primary": 1.0 if "primary.word" in without else 0.0, "b": 0.5, "c": 0.5, "d": 0.5}
    parts = [Part(name, pay) for name, pay in pays.items()]
    return WeightedSum(parts, weights=[0.25] * 4)
"""


def write(out: Path, target: str) -> Path:
    """A record of one case, and the reward beside it."""
    run = config.load(None, {"target": target, "out": str(out), "rollout.max_turns": 2})
    rollout = run.rollout.model_dump(mode="json")
    case = exploit_case("stay", task={"split": "test", "index": 0}, plan=({"move": "stay"},))
    ExploitCases(target=target, rollout=rollout, cases=(case,)).save(out)
    (out / "reward.py").write_text(REWARD)
    return out / "exploits.json"


def test_a_case_is_flown_by_the_reward_beside_it_with_the_guard_and_without(
    gridworld: Path, tmp_path: Path
) -> None:
    file = write(tmp_path, str(gridworld))
    trials = Trials(file)
    (case,) = read_cases(file)
    flown = trials.fly(case)
    assert [turn.action for turn in flown.turns] == [{"move": "stay"}] * 2
    assert flown.components["b"] > 0
    assert trials.paid(case) == 0.0 < trials.paid_without(case)


def test_what_no_guard_is_said_of_is_paid_nothing() -> None:
    episode = Episode(0, {}, "t", "p", final_metadata={"without": {"primary.word": 0.5}})
    assert unguarded(episode, "primary", "word") == 0.5
    assert unguarded(episode, "primary", "other") == 0.0
    assert unguarded(Episode(0, {}, "t", "p"), "primary", "word") == 0.0


def test_a_record_that_is_not_there_or_of_a_server_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingRecord):
        read_cases(tmp_path / "exploits.json")
    with pytest.raises(Misuse, match="tried where the environment runs"):
        Trials(write(tmp_path, "http://127.0.0.1:1"))
