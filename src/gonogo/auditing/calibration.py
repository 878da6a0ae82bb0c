"""What a return is worth: measured between nothing and what success earns on the same seed.

Only returns of episodes that fail are measured: a policy may do well without trying where success is easy.
Nothing is worth 0, what no episode at all earns. Where even success earns no more than that, as with costs
alone, nothing is what idling earns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from statistics import fmean

from gonogo.auditing.survey import Survey, SurveyRow
from gonogo.rollouts.episodes import Episode
from gonogo.wire import TaskOptions

__all__ = ["LEAST_FAILED", "Scale"]

LEAST_FAILED = 2


class Scale:
    """The scale of one survey.

    Args:
        survey: What was flown.
    """

    def __init__(self, survey: Survey) -> None:
        self._best: dict[str, float] = {}
        for row in survey.rows:
            for episode in row.succeeded:
                key = seed_of(episode.task)
                self._best[key] = max(self._best.get(key, total(episode)), total(episode))
        self.par = fmean(self._best.values()) if self._best else None
        idle = [total(e) for e in survey.idle.failed]
        self.floor = 0.0 if self.par is None or self.par > 0 or not idle else fmean(idle)

    @property
    def calibrated(self) -> bool:
        """Whether a success is known that is worth more than nothing."""
        return self.par is not None and self.par > self.floor

    def best(self, task: TaskOptions) -> float | None:
        """What success earns on a task's seed, as far as is known; the mean where it is not."""
        return self._best.get(seed_of(task), self.par)

    def paid(self, row: SurveyRow) -> float | None:
        """The mean worth of a row's failures; None where there are too few, or no scale."""
        worths = self.worths(row.failed)
        return fmean(worths) if len(worths) >= LEAST_FAILED else None

    def worths(self, episodes: Iterable[Episode]) -> list[float]:
        """What each of some episodes is worth; empty without a scale."""
        if self.par is None or not self.calibrated:
            return []
        size = self.par - self.floor
        # The seed's own success decides where zero and one lie only through the mean: a seed on which
        # success earns next to nothing must not make its failures look rich.
        return [(total(episode) - self.floor) / size for episode in episodes]

    def out_earns(self, row: SurveyRow) -> float | None:
        """Share of a row's failures that earn more than the success on the same seed."""
        pairs = [
            (total(e), self._best[seed_of(e.task)])
            for e in row.failed
            if seed_of(e.task) in self._best
        ]
        if len(pairs) < LEAST_FAILED:
            return None
        return fmean(float(failed > best) for failed, best in pairs)


def total(episode: Episode) -> float:
    """An episode's return, which it is known to have."""
    return episode.episode_return or 0.0


def seed_of(task: TaskOptions) -> str:
    """A task as a key."""
    return json.dumps(task, sort_keys=True)
