"""Which tasks training flies: stages from easy to hard, opened by the mean score on the hardest open one.

A step's tasks are shared among the open stages by weight. The next stage opens when the mean score on
the newest passes a bar; under a lower bar, late in training, it falls back to those that were open at the start. Every
task is new as long as there are new ones: a stage counts its tasks up. All of the state is in :meth:`Curriculum.state`.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from gonogo.config import CurriculumConfig
from gonogo.records.training import CheckpointState
from gonogo.rollouts.types import numbered
from gonogo.wire import TaskOptions


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """One task of a training.

    Attributes:
        options: Its reset options.
        environment: Name of the environment that it is flown in; None for the run's target.
        stage: Number of the curriculum's stage that it belongs to; 0 for a task of none.
    """

    options: TaskOptions
    environment: str | None = None
    stage: int = 0


class CurriculumState(CheckpointState):
    """The state of :class:`Curriculum`."""

    open: int
    """How many stages are."""
    used: dict[str, int]
    """The next task's number, by stage."""
    owed: tuple[float, ...]
    """Tasks that each stage is behind its share."""
    recent: tuple[float, ...]
    """Newest scores on the hardest open stage."""


class Curriculum:
    """Hands out tasks and hears of scores.

    Args:
        config: Stages and bars.
        start: First number of each stage's tasks.
    """

    def __init__(self, config: CurriculumConfig, start: int = 0) -> None:
        self._config = config
        self._open = config.open
        self._used: Counter[str] = Counter({stage.name: start for stage in config.stages})
        self._owed = [0.0] * len(config.stages)
        self._recent: deque[float] = deque(maxlen=config.window_steps)

    @property
    def level(self) -> str:
        """Name of the hardest open stage."""
        return self._config.stages[self._open - 1].name

    def name(self, stage: int) -> str:
        """Name of a stage by its number, as a :class:`TrainingTask` has it."""
        return self._config.stages[stage].name

    def closed(self, stage: int) -> bool:
        """Whether a stage, by its number, is not flown now."""
        return stage >= self._open

    def tasks(self, count: int) -> list[TrainingTask]:
        """The next step's tasks."""
        return self._deal(count, [stage.weight for stage in self._config.stages[: self._open]])

    def _deal(self, count: int, weights: Sequence[float]) -> list[TrainingTask]:
        """Tasks of the first stages, as many as there are weights."""
        out = []
        for _ in range(count):
            for number, weight in enumerate(weights):
                self._owed[number] += weight / sum(weights)
            chosen = max(range(len(weights)), key=lambda number: self._owed[number])
            self._owed[chosen] -= 1.0
            stage = self._config.stages[chosen]
            used = self._used[stage.name]
            number = used if stage.tasks is None else used % stage.tasks
            options = numbered(dict(stage.options), number)
            out.append(TrainingTask(options, stage.environment, chosen))
            self._used[stage.name] += 1
        return out

    def teaching(self, count: int) -> list[TrainingTask]:
        """Tasks for a teacher: of all stages, by what is taught of each, each stage counted from its start."""
        return self._deal(count, [stage.taught or stage.weight for stage in self._config.stages])

    def hear(self, step: int, scores: Sequence[tuple[int, float]]) -> None:
        """Take in a step's scores, each with its stage, and open or close stages.

        Args:
            step: The step's number, from 1.
            scores: Mean score of each task.
        """
        ours = [score for stage, score in scores if stage == self._open - 1]
        if not ours:
            return
        self._recent.append(fmean(ours))
        mean = fmean(self._recent)
        if len(self._recent) < self._config.window_steps:
            return
        if mean > self._config.promote_at and self._open < len(self._config.stages):
            self._move(self._open + 1)
        elif mean < self._config.demote_below and step >= self._config.demote_after_steps:
            self._move(self._config.open)

    def _move(self, opened: int) -> None:
        self._open = opened
        self._recent.clear()

    def state(self) -> CurriculumState:
        """All that a checkpoint needs."""
        return CurriculumState(
            open=self._open,
            used=dict(self._used),
            owed=tuple(self._owed),
            recent=tuple(self._recent),
        )

    def restore(self, state: CurriculumState) -> None:
        """Go back to a state."""
        self._open, self._used, self._owed = state.open, Counter(state.used), list(state.owed)
        self._recent = deque(state.recent, maxlen=self._config.window_steps)
