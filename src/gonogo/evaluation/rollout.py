"""``rollout`` writes episodes as they end, ``replay`` flies them again.

A file of episodes is its own record: one line each, complete or absent. A rollout that was stopped
goes on where it stopped, keeps what is finished and flies again only what was lost or torn; it refuses
a file whose episodes were flown with another reward, success, model, source or limit. A replay
sends the recorded actions into a fresh process and holds every reward against the recorded one, bit
for bit: whoever has the file can prove the numbers in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import IO

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.env.judged import never_shown
from gonogo.errors import Misuse
from gonogo.records.files import naming, write_text
from gonogo.records.provenance import EpisodeFingerprint
from gonogo.records.terminal import Terminal
from gonogo.rollouts.episodes import Episode, read_episodes
from gonogo.rollouts.summary import MOSTLY, refused_in_words
from gonogo.runners.open import Runner, flown_with, open_runner
from gonogo.wire import TaskOptions


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
            notes.append(f"{name}: {refused_in_words(invalid / turns)}")
    console = Terminal()
    console.print(table)
    for note in notes:
        console.print(f"Note: {note}", markup=False, highlight=False)
