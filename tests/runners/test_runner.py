"""Who flies a run's policies: this process, in turn, on a real environment; and what is said where Ray is not there."""

from __future__ import annotations

import pickle
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.runners.flying import run_of

from gonogo.env.environment import Env
from gonogo.errors import MissingExtra
from gonogo.rollouts.episodes import Episode
from gonogo.runners.runner import LocalRunner, open_runner


def test_ray_is_an_extra(gridworld: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "gonogo.runners.runner", raising=False)
    with pytest.raises(MissingExtra, match=r"--ray needs an extra: pip install 'gonogo\[ray\]'"):
        run = run_of(gridworld, tmp_path)
        open_runner(run, Env.of(run), over_ray=True)


def test_a_missing_extra_can_be_said_by_another_process() -> None:
    said = pickle.loads(pickle.dumps(MissingExtra("train", "the model x")))
    assert (said.extra, str(said)) == ("train", str(MissingExtra("train", "the model x")))


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
