"""What SFT and GRPO share beside their losses: one row a step, validation, the best model, interrupts.

:class:`TrainingCallback` is a callback of the trainers. After each step it validates when it is time, keeps the
model if it is the best so far, writes one row, and stops where patience ends or the user asks. What it
knows goes into each checkpoint, the best model included, so that a resumed run draws the same curve and ends
with the same model: trainers save weights, optimizer and schedule, but nothing of ours.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from transformers import TrainerCallback

from gonogo.errors import MissingRecord, StaleRecord
from gonogo.models.checkpoints import copy_folder, prune, writing
from gonogo.models.machine import return_freed_memory
from gonogo.records.training import Alarm, CheckpointState, TrainingRow
from gonogo.rollouts.losses import Losses, LossesState
from gonogo.training.curriculum import Curriculum, CurriculumState
from gonogo.training.monitor import HackingWatch, WatchState
from gonogo.training.processes import Ranks

__all__ = ["CallbackState", "TrainingCallback", "TrainingHooks"]

STATE = "gonogo_course.json"
BEST = "best"
"""Folder of the best model in a checkpoint; the model lies one level deeper, where transformers takes it for none."""
RETURN_EVERY_S = 60
"""Seconds after which freed memory goes back to the system: not more often, as making pages anew takes time."""
TRAINER_METRICS = ("loss", "grad_norm", "learning_rate", "entropy", "clip_ratio/region_mean")


class PartStates(CheckpointState):
    """States of what a training has beside its model."""

    curriculum: CurriculumState | None = None
    losses: LossesState | None = None
    watch: WatchState | None = None


class CallbackState(CheckpointState):
    """The state of a training beside its weights; see :class:`TrainingCallback`."""

    best: float | None
    best_acts: bool
    best_step: int
    worse: int
    over: bool
    alarms: tuple[Alarm, ...]
    halted: Alarm | None
    parts: PartStates


@dataclass(frozen=True, slots=True)
class TrainingHooks:
    """How a training is watched.

    Attributes:
        stage: ``sft`` or ``grpo``, for the rows.
        validate: Flies the validation tasks with the present weights; answers the mean score.
        keep: Saves the present weights as the best.
        write: Takes the row of a step.
        interrupted: Whether the user has asked to stop.
        every: Steps between validations.
        patience: Validations without a better score after which training ends; None for never.
        acts: Whether the model acted in the newest validation. One whose replies are refused earns 0, which is more
            than a beginner gets where mistakes cost: any model that acts is better than any that does not.
        figures: What else is known of the newest validation, for the row.
        best: Where ``keep`` saves, as a whole folder that is replaced; None where it saves nowhere.
    """

    stage: str
    validate: Callable[[], float]
    keep: Callable[[], None]
    write: Callable[[TrainingRow], None]
    interrupted: Callable[[], bool]
    every: int
    patience: int | None = None
    acts: Callable[[], bool] = lambda: True
    figures: Callable[[], dict[str, float]] = dict
    best: Path | None = None


class TrainingCallback(TrainerCallback):
    """The callback; see the module.

    Args:
        hooks: What to do.
        curriculum: Its state is saved with each checkpoint, as are those of the next two; None where there is none.
        losses: Of the flights.
        watch: Against reward hacking.

    Attributes:
        best: Best validation score so far; None before the first.
        best_step: Step that it was reached after.
        over: Whether no step is left to do: patience has ended, or this was the last step.
        level: The hardest open stage of the curriculum, for the present step's row; None without one.
        numbers: Metrics of the present step's row so far.
    """

    def __init__(
        self,
        hooks: TrainingHooks,
        curriculum: Curriculum | None = None,
        losses: Losses | None = None,
        watch: HackingWatch | None = None,
    ) -> None:
        self._hooks = hooks
        self._curriculum, self._losses, self._watch = curriculum, losses, watch
        self.best: float | None = None
        self.best_step = 0
        self._best_acts = False
        self.over = False
        self._worse = 0
        self.level: str | None = None
        self.numbers: dict[str, float] = {}
        self._alarm: str | None = None
        self.alarms: list[Alarm] = []
        self.halted: Alarm | None = None
        self._began = self._returned = time.monotonic()

    def begin(self, checkpoint: Path | None) -> None:
        """Start, or go on from a checkpoint; a start validates the model as it is.

        Raises:
            MissingRecord: The checkpoint has no state of ours.
            StaleRecord: It has one of another version, which lacks something.
        """
        if checkpoint is None:
            score = self._hooks.validate()
            self.best, self._best_acts = score, self._hooks.acts()
            self._hooks.keep()
            numbers = {"validation/score": score, **self._hooks.figures()}
            self._hooks.write(TrainingRow(stage=self._hooks.stage, step=0, numbers=numbers))
            return
        state = self._read(checkpoint)
        self.best, self.best_step, self._worse = state.best, state.best_step, state.worse
        self._best_acts, self.over = state.best_acts, state.over
        self.alarms, self.halted = list(state.alarms), state.halted
        ranks = Ranks()
        ranks.wait()  # all have found it
        if self._hooks.best is not None and ranks.main:
            with writing(self._hooks.best) as place:
                copy_folder(checkpoint / BEST / self._hooks.best.name, place)
        if ranks.main:
            prune(checkpoint)
        ranks.wait()
        parts = state.parts
        if self._curriculum is not None and parts.curriculum is not None:
            self._curriculum.restore(parts.curriculum)
        if self._losses is not None and parts.losses is not None:
            self._losses.restore(parts.losses)
        if self._watch is not None and parts.watch is not None:
            self._watch.restore(parts.watch)

    def _read(self, checkpoint: Path) -> CallbackState:
        """The state in a checkpoint.

        Raises:
            As :meth:`begin`.
        """
        try:
            body = json.loads((checkpoint / STATE).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise MissingRecord(f"{checkpoint}: cannot be resumed from: {error}") from error
        try:
            state = CallbackState.model_validate(body)
        except ValidationError as error:
            places = [".".join(map(str, each["loc"])) for each in error.errors()]
            lacks = [place.removeprefix("parts.") for place in places]
        else:
            there = state.parts.model_dump()
            lacks = [name for name in self._state().parts.model_dump() if name not in there]
            if not lacks:
                return state
        raise StaleRecord(
            f"{checkpoint} was written by another version of gonogo and lacks {', '.join(lacks)}, so that training "
            "cannot go on from it: --restart trains anew, another --out keeps this one"
        )

    def alarm(self, alarms: Sequence[Alarm], *, stops: bool) -> None:
        """Take alarms of the step into its row; if they stop, the step is the last and its model is not kept."""
        self.alarms += alarms
        self._alarm = "; ".join(map(str, alarms))
        if stops:
            self.halted = alarms[0]

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Start the step's clock and row."""
        self._began = time.monotonic()
        self.level, self.numbers, self._alarm = None, {}, None

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Validate, keep the best, stop where it is time."""
        self.numbers["seconds"] = round(time.monotonic() - self._began, 3)
        if time.monotonic() - self._returned > RETURN_EVERY_S:
            self._return_memory()
        if self.halted is not None:
            self.over = control.should_training_stop = True
            return
        if state.global_step % self._hooks.every == 0 or state.global_step == state.max_steps:
            score = self._hooks.validate()
            self.numbers |= {"validation/score": score, **self._hooks.figures()}
            standing = (self._hooks.acts(), score)
            if self.best is None or standing > (self._best_acts, self.best):
                self._best_acts, self.best = standing
                self.best_step, self._worse = state.global_step, 0
                self._hooks.keep()
            else:
                self._worse += 1
            if self._hooks.patience is not None and self._worse >= self._hooks.patience:
                self.over = control.should_training_stop = True
        self.over = self.over or state.global_step == state.max_steps
        if self.over:  # also a phase that ended by itself is not run again
            control.should_save = True
        if self._hooks.interrupted():
            control.should_save = control.should_training_stop = True

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Leave the memory to what follows, such as the fresh process that the model is proven in."""
        self._return_memory()

    def _return_memory(self) -> None:
        return_freed_memory()
        self._returned = time.monotonic()

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float], **_: Any) -> None:
        """Write the step's row; the trainer's summary at its end is none."""
        if "train_runtime" in logs:
            return
        metrics = {k: float(logs[k]) for k in TRAINER_METRICS if logs.get(k) is not None}
        row = TrainingRow(
            stage=self._hooks.stage,
            step=state.global_step,
            level=self.level,
            alarm=self._alarm,
            numbers={**self.numbers, **metrics},
        )
        self._hooks.write(row)

    def save(self, checkpoint: Path) -> None:
        """Put our own state and the best model into a checkpoint that is being written."""
        (checkpoint / STATE).write_text(json.dumps(self._state().model_dump()), encoding="utf-8")
        if self._hooks.best is not None:
            copy_folder(self._hooks.best, checkpoint / BEST / self._hooks.best.name)

    def _state(self) -> CallbackState:
        parts = PartStates(
            curriculum=None if self._curriculum is None else self._curriculum.state(),
            losses=None if self._losses is None else self._losses.state(),
            watch=None if self._watch is None else self._watch.state(),
        )
        return CallbackState(
            best=self.best,
            best_acts=self._best_acts,
            best_step=self.best_step,
            worse=self._worse,
            over=self.over,
            alarms=tuple(self.alarms),
            halted=self.halted,
            parts=parts,
        )
