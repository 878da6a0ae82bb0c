"""Fly every policy on the same tasks, and never fly an episode twice.

Each policy has a folder ``evaluation/NAME`` in the run's folder with one file of episodes, a line
each, named by the fingerprint of everything an episode depends on: the environment's source, the
policy and its model's weights, the seed, the limits. An interrupted evaluation goes on where it
stopped and a longer one flies what is missing; where the fingerprint has changed, the old file goes
and everything is flown anew. The source of a target that is no folder cannot be seen: there its name
stands for it.

What infrastructure lost stays lost for this evaluation and is flown again by the next.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.evaluation.constant import best_constant
from gonogo.policies.named import is_function
from gonogo.records.evaluation import ConstantChoice
from gonogo.records.provenance import EpisodeFingerprint
from gonogo.records.terminal import Terminal
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.log import EpisodeLog, folder_of, open_kept
from gonogo.rollouts.summary import CANDIDATE
from gonogo.runners.open import Runner, flown_with, open_runner
from gonogo.wire import TaskOptions

FOLDER = "evaluation"
ESTIMATE_S = 120.0
"""Seconds of progress that the estimate of the time left rests on."""


@dataclass(frozen=True, slots=True)
class EvaluationRollouts:
    """What was flown.

    Attributes:
        environment: The target's own name.
        source: The source hash of a folder target, else None.
        models: Hash of the folder of each policy that is a model, by name.
        episodes: By policy, in the order of the tasks; lost ones included.
        constants: How the best constant was chosen; None where there is no trained model to hold against it.
    """

    environment: str
    source: str | None
    models: dict[str, str]
    episodes: dict[str, list[Episode]]
    constants: ConstantChoice | None


def fly_all(run: RunConfig, env: Env, *, over_ray: bool = False) -> EvaluationRollouts:
    """Fly the evaluation's tasks with each of its policies, and with the best constant beside a trained model.

    Args:
        run: The config.
        env: The environment.
        over_ray: Whether Ray's workers fly instead of this process.

    Returns:
        Every policy's episodes.

    Raises:
        Misuse: A policy or the target is not there; found before anything flies.
        MissingRecord: A file of episodes holds something else.
        EnvironmentFailure: The environment could not be opened.
        PolicyFailure: A policy failed.
    """
    tasks = run.evaluation.tasks()
    plain = flown_with(run, env, None)
    means = {name: flown_with(run, env, name) for name in run.evaluation.policies}
    models = {
        name: each.model
        for name, each in means.items()
        if each.model and not is_function(name) and name not in env.policies
    }
    constants = None
    if CANDIDATE in means:
        key = plain.digest(target=run.target, policy=f"constants on {tasks[0]}", seed=run.seed)
        constants = best_constant(run, env, key)
        if constants.policy is not None:
            means.setdefault(constants.policy, plain)
    logs = [open_log(run, name, each) for name, each in means.items()]
    missing = {log.name: todo for log in logs if (todo := log.missing(tasks))}
    flown: dict[str, list[Episode]] = {}
    if missing:
        with closing(open_runner(run, env, over_ray=over_ray)) as runner:
            flown = fly_missing(runner, logs, missing)
    episodes = {log.name: log.in_order(tasks, flown.get(log.name, [])) for log in logs}
    source = env.source if env.folder is not None else None
    return EvaluationRollouts(env.name, source, models, episodes, constants)


def open_log(run: RunConfig, name: str, means: EpisodeFingerprint) -> EpisodeLog:
    """Read a policy's file of episodes, cut off what a crash tore and drop what was lost."""
    key = means.digest(target=run.target, policy=name, seed=run.seed)
    return open_kept(name, run.out / FOLDER / folder_of(name), key)


def fly_missing(
    runner: Runner, logs: list[EpisodeLog], missing: Mapping[str, dict[int, TaskOptions]]
) -> dict[str, list[Episode]]:
    """Fly what is missing of each policy, with progress and an estimate on stderr."""
    console = Terminal(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    left = TimeRemainingColumn(elapsed_when_finished=True)
    total = sum(map(len, missing.values()))
    flown, began = {}, time.monotonic()
    with Progress(
        *columns, left, console=console, transient=True, speed_estimate_period=ESTIMATE_S
    ) as bar:
        task = bar.add_task("evaluate", total=total)
        for number, log in enumerate(logs, start=1):
            if log.name not in missing:
                continue
            bar.update(task, description=f"{number}/{len(logs)} {log.name}")
            started = time.monotonic()
            flown[log.name] = fly_one(runner, log, missing[log.name], partial(bar.advance, task))
            now = time.monotonic()
            done = sum(map(len, flown.values()))
            rest = (now - began) / done * (total - done)
            console.print(
                f"  {number}/{len(logs)} {log.name}: {len(flown[log.name])} episodes in "
                f"{now - started:.0f} s" + (f", about {rest:.0f} s left" if done < total else ""),
                highlight=False,
            )
    return flown


def fly_one(
    runner: Runner, log: EpisodeLog, tasks: dict[int, TaskOptions], ended: Callable[[], None]
) -> list[Episode]:
    """Fly one policy; each episode is written when it is known."""
    with log.writing() as write:

        def keep(episode: Episode) -> None:
            write(episode)
            ended()

        return runner.fly(log.name, tasks, keep)
