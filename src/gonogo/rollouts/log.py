"""Episodes that were flown once and are not flown again: a file for each fingerprint of what they depend on.

What a crash tore is cut off when a file is opened, and what infrastructure lost is dropped, to be flown anew.
A file of another fingerprint in the same folder goes: its episodes are of something that is no more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from gonogo.records.files import naming, write_text
from gonogo.rollouts.episodes import Episode, read_episodes
from gonogo.wire import TaskOptions

LONGEST = 200
"""Characters of a folder's name; file systems take 255 bytes."""


@dataclass(slots=True)
class EpisodeLog:
    """One policy's file of episodes and what is in it.

    Attributes:
        name: The policy's.
        path: The file.
        kept: Its episodes, by their task.
    """

    name: str
    path: Path
    kept: dict[str, Episode]

    def missing(self, tasks: Sequence[TaskOptions]) -> dict[int, TaskOptions]:
        """The tasks that are still to be flown, by their place."""
        return {i: task for i, task in enumerate(tasks) if key_of(task) not in self.kept}

    @contextmanager
    def writing(self) -> Iterator[Callable[[Episode], None]]:
        """Open the file; what it gives appends an episode, which is on the disk when it returns.

        Log-probabilities are left out: what is flown to be judged trains nothing, and their last bit depends on how
        many episodes flew beside it, so that a flight which was interrupted would leave another file.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with naming(self.path), self.path.open("a", encoding="utf-8") as lines:

            def write(episode: Episode) -> None:
                lines.write(f"{without_logprobs(episode).to_json()}\n")
                lines.flush()

            yield write

    def in_order(self, tasks: Sequence[TaskOptions], flown: Sequence[Episode]) -> list[Episode]:
        """One episode a task, kept or just flown, numbered by the task's place."""
        everything = {**self.kept, **{key_of(episode.task): episode for episode in flown}}
        ordered = [everything[key_of(task)] for task in tasks]
        for index, episode in enumerate(ordered):
            episode.index = index
        return ordered


def folder_of(name: str) -> str:
    """Name of the folder of a policy's episodes: the policy's, quoted; if it is long, cut and told apart by a hash."""
    quoted = quote(name, safe="")
    if len(quoted) <= LONGEST:
        return quoted
    return f"{quoted[:LONGEST]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def open_kept(name: str, folder: Path, fingerprint: str) -> EpisodeLog:
    """Read a policy's file of episodes.

    Args:
        name: The policy's.
        folder: Where its files lie; made by whoever writes there.
        fingerprint: Of everything that an episode depends on beside its task.

    Raises:
        MissingRecord: The file holds something else.
    """
    path = folder / f"{fingerprint[:16]}.jsonl"
    for old in folder.glob("*.jsonl"):
        if old != path:
            old.unlink()
    kept = {}
    if path.exists():
        kept = {key_of(e.task): e for e in read_episodes(path) if e.error is None}
        write_text(path, "".join(f"{episode.to_json()}\n" for episode in kept.values()))
    return EpisodeLog(name, path, kept)


def without_logprobs(episode: Episode) -> Episode:
    """The same episode as far as it is kept."""
    turns = [
        turn if turn.tokens is None else replace(turn, tokens=replace(turn.tokens, logprobs=()))
        for turn in episode.turns
    ]
    return replace(episode, turns=turns)


def key_of(task: TaskOptions) -> str:
    """A task's reset options as one text."""
    return json.dumps(task, sort_keys=True)
