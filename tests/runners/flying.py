"""Runs of the zoo's gridworld, and their episodes."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from gonogo import config
from gonogo.env.environment import Env
from gonogo.runners.runner import open_runner


def run_of(target: Path | str, out: Path, **given: Any) -> config.RunConfig:
    base = {"evaluation.policies": ["random"], "evaluation.split": "test", "rollout.slots": 4}
    return config.load(None, {"target": str(target), "out": str(out), **base, **given})


def flown(run: config.RunConfig, policy: str = "random", **how: Any) -> list[str]:
    """The run's tasks flown by a policy, as lines."""
    tasks = dict(enumerate(run.evaluation.tasks()))
    with Env.of(run) as env, closing(open_runner(run, env, **how)) as runner:
        return [episode.to_json() for episode in runner.fly(policy, tasks, lambda _: None)]
