"""An environment as one object: opened once and when needed, with the reward and the success that its config names."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gonogo
from gonogo import config
from gonogo.env.environment import Env, connect, told, told_tool
from gonogo.env.target import resolve, source_of
from gonogo.errors import EnvironmentFailure, TargetError
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


def test_an_action_that_cannot_be_told_is_the_environment_s_fault(gridworld: Path) -> None:
    connection = connect(resolve(str(gridworld)), 1)
    nowhere = {"properties": {"move": {"$ref": "#/$defs/Nobody"}}}
    connection.schemas = replace(connection.schemas, action=nowhere)
    with pytest.raises(EnvironmentFailure, match=r"refers to .*Nobody.*, which holds no schema"):
        told(resolve(str(gridworld)), connection)


@pytest.mark.parametrize("takes", [None, "text", {"properties": {"n": {"type": "number-ish"}}}])
def test_a_tool_whose_arguments_have_no_schema_takes_any(takes: Any) -> None:
    assert told_tool({"name": "t", "input_schema": takes})["input_schema"] == {}
    kept = {"properties": {"n": {"type": "number"}}}
    assert told_tool({"name": "t", "input_schema": kept})["input_schema"] == kept


def test_whoever_needs_an_environment_opens_an_env() -> None:
    """Nobody else opens a target, who could forget the reward or the success that the config names."""
    package = Path(gonogo.__file__).parent
    taken = {
        name.name
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "gonogo.env.environment"
        for name in node.names
    }
    assert taken == {"Env"}
