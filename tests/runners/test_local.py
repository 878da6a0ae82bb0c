"""Policies flown by this process, in turn."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.runners.flying import run_of

from gonogo.env.environment import Env
from gonogo.rollouts.episodes import Episode
from gonogo.runners.local import LocalRunner
from gonogo.runners.open import open_runner


def test_policies_take_turns_and_episodes_keep_their_indices(
    gridworld: Path, tmp_path: Path
) -> None:
    run = run_of(gridworld, tmp_path)
    tasks = {index: {"split": "test", "index": index} for index in (3, 1, 7)}
    heard: list[Episode] = []
    with Env.of(run) as env, closing(open_runner(run, env)) as runner:
        assert isinstance(runner, LocalRunner)
        for policy in ("walker", "random", "walker"):
            flown = runner.fly(policy, tasks, heard.append)
            assert [(e.index, e.task, e.policy) for e in flown] == [
                (index, task, policy) for index, task in tasks.items()
            ]
    assert len(heard) == 9
    first, again = ([e.to_json() for e in heard[n : n + 3]] for n in (0, 6))
    assert sorted(first) == sorted(again)
