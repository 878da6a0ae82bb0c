"""An environment as one object: opened once and when needed, with the reward and the success that the config names."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo import config
from gonogo.env.environment import Env
from gonogo.env.source import source_of
from gonogo.errors import TargetError
from gonogo.exploits.panel import panel
from gonogo.rollouts.builtin_policies import IdlePolicy


def run_of(target: Path, out: Path, **given: object) -> config.RunConfig:
    return config.load(None, {"target": str(target), "out": str(out), "rollout.slots": 3, **given})


def test_it_is_opened_once_when_it_is_first_asked(gridworld: Path, tmp_path: Path) -> None:
    with Env.of(run_of(gridworld, tmp_path)) as env:
        assert (env.name, env.folder, str(env)) == ("gridworld", gridworld, str(gridworld))
        assert env.source == source_of(env.target)
        assert "connection" not in vars(env)  # so much was known without a process
        assert env.schemas is env.open().schemas
        first = env.connection
        assert first.capacity == 3
        assert "move" in env.instructions
        idle = IdlePolicy(env.schemas.action)
        flown = env.rollout(idle, env.tasks("test", 2).tasks())
        assert [episode.task for episode in flown] == [
            {"split": "test", "index": 0},
            {"split": "test", "index": 1},
        ]
        assert {episode.target for episode in flown} == {str(gridworld)}
        assert env.connection is first
    assert "connection" not in vars(env)
    env.close()


def test_what_flies_in_it_is_paid_and_judged_as_the_config_says(
    gridworld: Path, flat_reward: Path, tmp_path: Path
) -> None:
    given = {"reward": str(flat_reward), "rollout.success": "done", "rollout.max_turns": 4}
    with Env.of(run_of(gridworld, tmp_path, **given)) as env:
        (habit,) = panel(env.schemas.action, env.schemas.observation, (), 0)[:1]
        (episode,) = env.rollout(habit, env.tasks("test").tasks())
        assert {turn.reward for turn in episode.turns} == {0.5}
        assert env.reward_hash is not None
        assert episode.timeout and len(episode.turns) == 4 and episode.success is False


def test_another_process_of_it_is_its_own(gridworld: Path, tmp_path: Path) -> None:
    with Env.of(run_of(gridworld, tmp_path)) as env:
        other = env.connect(1, hash_seed=1)
        try:
            assert other.capacity == 1 and other.pid != env.connection.pid
        finally:
            other.close()


def test_tasks_are_counted_by_index_in_a_split_and_by_seed_without(gridworld: Path) -> None:
    env = Env(str(gridworld))
    assert env.tasks(episodes=2, start=5).tasks() == [{"seed": 5}, {"seed": 6}]
    assert env.tasks("train", 1, start=7).tasks() == [{"split": "train", "index": 7}]


def test_none_there_is_told_before_anything_is_opened(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="is no target"):
        Env(str(tmp_path / "nowhere"))
