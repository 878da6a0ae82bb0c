"""Episodes that belong together: as a sequence, as a file, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self, overload

from gonogo.records.files import write_text
from gonogo.records.record import Frame
from gonogo.rollouts.episodes import Episode, read_episodes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Episodes"]


@dataclass(frozen=True, slots=True)
class Episodes(Sequence[Episode]):
    """Episodes in the order in which they were flown.

    Attributes:
        episodes: They; those that were lost have an ``error`` and no return.
    """

    episodes: tuple[Episode, ...]

    def __len__(self) -> int:
        return len(self.episodes)

    def __iter__(self) -> Iterator[Episode]:
        return iter(self.episodes)

    @overload
    def __getitem__(self, place: int) -> Episode: ...
    @overload
    def __getitem__(self, place: slice) -> Episodes: ...
    def __getitem__(self, place: int | slice) -> Episode | Episodes:
        """One episode, or some of them."""
        if isinstance(place, slice):
            return Episodes(self.episodes[place])
        return self.episodes[place]

    def by(self, policy: str) -> Episodes:
        """Those of one policy."""
        return Episodes(tuple(episode for episode in self.episodes if episode.policy == policy))

    @property
    def lost(self) -> Episodes:
        """Those that infrastructure lost."""
        return Episodes(tuple(episode for episode in self.episodes if episode.error is not None))

    def save(self, file: Path | str) -> None:
        """Write them into a file, one JSON object a line, as ``gonogo rollout`` does."""
        write_text(Path(file), "".join(f"{episode.to_json()}\n" for episode in self.episodes))

    @classmethod
    def load(cls, file: Path | str) -> Self:
        """Read what :meth:`save`, ``gonogo rollout``, ``map`` or ``audit`` wrote.

        Raises:
            MissingRecord: The file cannot be read, or holds something else.
            StaleRecord: An episode is of another version of gonogo.
        """
        return cls(tuple(read_episodes(Path(file))))

    @property
    def frame(self) -> Frame:
        """A row an episode."""
        rows = [
            (
                e.policy,
                e.task,
                e.episode_return,
                e.success,
                len(e.turns),
                e.invalid_count,
                e.timeout,
                e.error,
            )
            for e in self.episodes
        ]
        columns = (
            "policy",
            "task",
            "return",
            "success",
            "turns",
            "invalid_turns",
            "timeout",
            "error",
        )
        return Frame(columns, rows)

    def to_frame(self) -> pd.DataFrame:
        """A row an episode, with a column for each component of the reward."""
        frame = self.frame.to_frame()
        names = dict.fromkeys(name for episode in self.episodes for name in episode.components)
        for name in names:
            frame[f"component.{name}"] = [each.components.get(name) for each in self.episodes]
        return frame

    def _repr_html_(self) -> str:
        """A table for a notebook."""
        return self.frame.html()
