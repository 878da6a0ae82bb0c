"""Fly every policy on the same tasks, and never fly an episode twice.

``rollout`` writes one file of episodes as they end: one line each, complete or absent. A rollout that was stopped
goes on where it stopped, keeps what is finished and flies again only what was lost or torn; it refuses
a file whose episodes were flown with another reward, success, model, source or limit.

An evaluation has a folder ``evaluation/NAME`` in the run's folder for each policy, with one file of episodes, a line
each, named by the fingerprint of everything an episode depends on: the environment's source, the
policy and its model's weights, the seed, the limits. An interrupted evaluation goes on where it
stopped and a longer one flies what is missing; where the fingerprint has changed, the old file goes
and everything is flown anew. The source of a target that is no folder cannot be seen: there its name
stands for it. What infrastructure lost stays lost for this evaluation and is flown again by the next.

Beside a trained model flies the best of the policies that repeat one action: the least that it has to be paid more
than. Each constant of the panel flies the first few tasks. The one that is paid best there flies all of them beside the
others, if it is paid more than idle. So it is chosen on tasks on which it is then measured, which is in its favour.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import IO

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.env.success import never_shown
from gonogo.errors import MissingRecord, Misuse, StaleRecord
from gonogo.exploits.panel import Habit, Kind, panel
from gonogo.policies.named import is_function
from gonogo.records.evaluation import BestConstant, ConstantChoice
from gonogo.records.files import naming, write_text
from gonogo.records.provenance import EpisodeFingerprint
from gonogo.records.terminal import Terminal
from gonogo.rollouts.builtin_policies import ALWAYS
from gonogo.rollouts.episodes import Episode, read_episodes
from gonogo.rollouts.log import EpisodeLog, folder_of, open_kept
from gonogo.rollouts.summary import CANDIDATE, MOSTLY, losses_in_words, refused_in_words, score_of
from gonogo.runners.runner import Runner, flown_with, open_runner
from gonogo.wire import TaskOptions

FOLDER = "evaluation"
ESTIMATE_S = 120.0
"""Seconds of progress that the estimate of the time left rests on."""
TRIED_ON = 4
"""Tasks that each constant flies to be chosen by."""
KINDS = frozenset({Kind.CONSTANT, Kind.SHOTGUN, Kind.CLAIM})
"""Kinds of the panel's habits that always do the same, and might mean it."""


def rollout(run: RunConfig, env: Env, file: Path, *, over_ray: bool = False) -> list[Episode]:
    """Fly the run's evaluation tasks with each of its policies and write the episodes.

    Args:
        run: The config; its ``evaluation`` says which tasks and which policies.
        env: The environment.
        file: Where to; finished episodes in it are kept.
        over_ray: Whether Ray's workers fly instead of this process; the episodes are the same.

    Returns:
        The episodes of each policy in the order of the tasks.

    Raises:
        Misuse: A policy is unknown, the file holds other episodes than these, or ``rollout.success`` asks for what
            none of them shows.
    """
    tasks = run.evaluation.tasks()
    means = {name: flown_with(run, env, name) for name in run.evaluation.policies}
    kept = keep_finished(file, run, tasks, means)
    with (
        closing(open_runner(run, env, over_ray=over_ray)) as runner,
        naming(file),
        file.open("a", encoding="utf-8") as lines,
    ):
        for name in run.evaluation.policies:
            done = {episode.index for episode in kept if episode.policy == name}
            missing = {i: task for i, task in enumerate(tasks) if i not in done}
            kept += fly_policy(runner, name, missing, lines, means[name])
    never_shown(kept)
    print_summary(run.evaluation.policies, kept)
    places = {name: place for place, name in enumerate(run.evaluation.policies)}
    asked = [
        episode for episode in kept if episode.policy in places
    ]  # the file may hold others' too
    return sorted(asked, key=lambda episode: (places[episode.policy], episode.index))


def keep_finished(
    file: Path,
    run: RunConfig,
    tasks: Sequence[TaskOptions],
    means: Mapping[str, EpisodeFingerprint],
) -> list[Episode]:
    """The finished episodes in a file that a rollout goes on with; lost and torn ones are cut out.

    Args:
        file: The file, which need not be there.
        run: The config.
        tasks: What each policy flies.
        means: What each policy's episodes depend on now; see :func:`flown_with`.

    Raises:
        Misuse: The file holds an episode that this rollout would not have flown, or not so.
        MissingRecord: The file holds something else than episodes.
    """
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        return []
    kept = []
    for episode in read_episodes(file):
        planned = episode.index < len(tasks) and episode.task == tasks[episode.index]
        if episode.target != run.target or episode.seed not in {None, run.seed} or not planned:
            raise Misuse(
                f"{file} holds an episode of {episode.target}, task {episode.task}, seed "
                f"{episode.seed}, which is not part of this rollout; choose another file"
            )
        if changed := changed_since(episode, means):
            raise Misuse(
                f"{file} holds an episode of {episode.policy} that was flown with another "
                f"{', '.join(changed)}; choose another file, or remove it: rm {file}"
            )
        if episode.error is None:
            kept.append(episode)
    write_text(file, "".join(f"{episode.to_json()}\n" for episode in kept))
    return kept


def changed_since(episode: Episode, means: Mapping[str, EpisodeFingerprint]) -> list[str]:
    """What an episode was flown with that is another now, by name; its model only where its policy flies again.

    One that does not say was flown with no reward and no success given.
    """
    said = episode.flown_with
    now = means.get(episode.policy)
    if now is None:
        model = None if said is None else said.model
        now = replace(next(iter(means.values())), model=model)
    return (said or replace(now, reward=None, success=None)).changed(now)


def fly_policy(
    runner: Runner,
    name: str,
    tasks: dict[int, TaskOptions],
    lines: IO[str],
    means: EpisodeFingerprint,
) -> list[Episode]:
    """Fly what is missing of one policy; each episode is written when it is known."""
    if not tasks:
        return []

    def write(episode: Episode) -> None:
        episode.flown_with = means
        lines.write(f"{episode.to_json()}\n")
        lines.flush()
        bar.advance(task)

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Terminal(stderr=True)) as bar:
        task = bar.add_task(name, total=len(tasks))
        return runner.fly(name, tasks, write)


def print_summary(policies: Iterable[str], episodes: Sequence[Episode]) -> None:
    """One row a policy: what was flown and what came of it, without intervals or claims."""
    table = Table("policy", "episodes", "success", "return", "invalid turns", "timeouts", "lost")
    notes = []
    for name in policies:
        flown = [episode for episode in episodes if episode.policy == name]
        scored = [e.episode_return for e in flown if e.episode_return is not None]
        judged = [e.success for e in flown if e.success is not None]
        turns = sum(len(e.turns) for e in flown)
        invalid = sum(e.invalid_count for e in flown)
        table.add_row(
            name,
            str(len(flown)),
            f"{sum(judged)} of {len(judged)}" if judged else "not said",
            f"{sum(scored) / len(scored):.4f}" if scored else "none",
            f"{invalid} of {turns}",
            str(sum(e.timeout for e in flown)),
            str(sum(e.error is not None for e in flown)),
        )
        if full := sum(e.context_overflow for e in flown):
            notes.append(f"{name}: {full} episodes outgrew the model's context and ended there")
        if turns and invalid > MOSTLY * turns and not any(e.decoding for e in flown):
            said = Counter(t.invalid for e in flown for t in e.turns if t.invalid is not None)
            why = said.most_common(1)[0][0].partition("\n")[0]
            notes.append(f"{name}: {refused_in_words(invalid / turns)}; most often: {why}")
        if errors := [e.error.partition("\n")[0] for e in flown if e.error is not None]:
            notes.append(f"{name}: {losses_in_words(errors, len(flown))}")
    console = Terminal()
    console.print(table)
    for note in notes:
        console.print(f"Note: {note}", markup=False, highlight=False)


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


def best_constant(run: RunConfig, env: Env, fingerprint: str) -> ConstantChoice:
    """Which constant is paid best, from the file that a former call left, or flown.

    Args:
        run: The config.
        env: The environment.
        fingerprint: Of everything that their episodes depend on.

    Raises:
        EnvironmentFailure: The environment could not be opened.
    """
    folder = run.out / FOLDER
    try:
        known = BestConstant.load(folder)
    except (MissingRecord, StaleRecord):
        pass  # it was never chosen, or by another version
    else:
        if known.fingerprint == fingerprint:
            return known.choice
    found = choose(run, env)
    BestConstant(fingerprint=fingerprint, **dict(found)).save(folder)
    return found


def choose(run: RunConfig, env: Env) -> ConstantChoice:
    """Fly the constants; see :func:`best_constant`."""
    tasks, schemas = run.evaluation.tasks()[:TRIED_ON], env.schemas
    habits = panel(schemas.action, schemas.observation, schemas.tools, run.seed)
    idle, *others = [habit for habit in habits if habit.kind in {Kind.IDLE, *KINDS}]
    paid = {habit: score(env, habit, tasks) for habit in (idle, *others)}
    best = max(paid, key=lambda habit: paid[habit])
    name = None if paid[best] <= paid[idle] else ALWAYS + json.dumps(best.action)
    return ConstantChoice(tried=len(others), tasks=len(tasks), policy=name)


def score(env: Env, habit: Habit, tasks: Sequence[TaskOptions]) -> float:
    """Mean score of a habit on some tasks; minus infinity where none was scored."""
    flown = env.rollout(habit, tasks)
    scores = [value for episode in flown if (value := score_of(episode)) is not None]
    return fmean(scores) if scores else float("-inf")


def constants_in_words(chosen: ConstantChoice | None) -> list[str]:
    """How the best constant was chosen, for a record's notes; nothing where none was."""
    if chosen is None:
        return []
    among = f"of {chosen.tried} fixed actions, repeated on the first {chosen.tasks} tasks"
    if chosen.policy is None:
        return [f"constants: {among}, none is paid more than idle, which stands for them"]
    return [f"constants: {among}, the best paid is {chosen.policy.removeprefix(ALWAYS)}"]
