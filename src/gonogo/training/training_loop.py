"""What SFT and GRPO share beside their losses: rows, validation, the best model, checkpoints, interrupts.

:class:`TrainingCallback` is a callback of the trainers. After each step it validates when it is time, keeps the
model if it is the best so far, writes one row, and stops where patience ends or the user asks. What it
knows goes into each checkpoint, the best model included, so that a resumed run draws the same curve and ends
with the same model: trainers save weights, optimizer and schedule, but nothing of ours.

transformers writes a checkpoint where a later run looks for it, file by file, and keeps optimizer, schedule and
random states as pickles. :class:`Durable` writes the same into a folder that is sealed when it is complete
(:mod:`gonogo.models.checkpoints`): tensors as safetensors, numbers as JSON, and the callback's state beside them. So
a checkpoint is whole or not there, goes on bit for bit, and holds no pickle.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
import torch
from pydantic import ValidationError
from safetensors.torch import load_file, save_file
from transformers import Trainer, TrainerCallback, TrainingArguments
from transformers.trainer import TRAINER_STATE_NAME, TRAINING_ARGS_NAME
from transformers.trainer_callback import PrinterCallback

from gonogo.config import GrpoConfig, SftConfig, TrainConfig
from gonogo.errors import MissingRecord, StaleRecord
from gonogo.models.checkpoints import (
    copy_folder,
    finish_folder,
    last_checkpoint,
    place_for,
    prune,
    start_folder,
    writing,
)
from gonogo.models.machine import return_freed_memory
from gonogo.records.training import Alarm, CheckpointState, TrainingRow
from gonogo.rollouts.summary import Losses, LossesState
from gonogo.training.curriculum import Curriculum, CurriculumState
from gonogo.training.processes import Ranks
from gonogo.training.reward_hacking import HackingWatch, WatchState

LibraryState: TypeAlias = dict[str, Any]
"""The state of an optimizer, a scaler or generators, as its library has it."""
STATE = "gonogo_course.json"
BEST = "best"
"""Folder of the best model in a checkpoint; the model lies one level deeper, where transformers takes it for none."""
RETURN_EVERY_S = 60
"""Seconds after which freed memory goes back to the system: not more often, as making pages anew takes time."""
TRAINER_METRICS = ("loss", "grad_norm", "learning_rate", "entropy", "clip_ratio/region_mean")
TENSORS, NUMBERS, SCALER = "optimizer.safetensors", "optimizer.json", "scaler.json"


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


class Durable(Trainer):
    """Stands before a trainer among a class's bases; see the module.

    Args:
        course: Watches the training; its state is part of each checkpoint.
        callbacks: Others, which hear of each event after the course.
    """

    def __init__(
        self,
        *args: Any,
        course: TrainingCallback,
        callbacks: Sequence[TrainerCallback] = (),
        **kwargs: Any,
    ) -> None:
        self._course = course
        super().__init__(*args, callbacks=[course, *callbacks], **kwargs)

    def go_on(self) -> None:
        """Train from the newest checkpoint in the folder if there is one; what is over is not trained again."""
        self.remove_callback(PrinterCallback)
        checkpoint = last_checkpoint(Path(self.args.output_dir))
        self._course.begin(checkpoint)
        if not self._course.over:
            self.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        self.store_flos()
        folder = Path(self.args.output_dir) / f"checkpoint-{self.state.global_step}"
        place = place_for(folder)
        if self.args.should_save:
            start_folder(folder)
        self.accelerator.wait_for_everyone()
        self.save_model(str(place), _internal_call=True)
        self._save_optimizer_and_scheduler(str(place))
        self._save_scaler(str(place))
        self._save_rng_state(str(place))
        self.accelerator.wait_for_everyone()
        if self.args.should_save:
            self.state.save_to_json(str(place / TRAINER_STATE_NAME))
            self._course.save(place)
            finish_folder(folder)
            prune(folder)
        self.accelerator.wait_for_everyone()

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        super()._save(output_dir, state_dict)
        # The arguments as a pickle, which nothing reads: a run's config says what they were.
        (Path(output_dir or self.args.output_dir) / TRAINING_ARGS_NAME).unlink()

    def _save_optimizer_and_scheduler(self, output_dir: str) -> None:
        if not self.args.should_save:
            return
        optimizer = self.optimizer.state_dict()
        tensors: dict[str, torch.Tensor] = {}
        numbers: dict[str, LibraryState] = {}
        for weight, values in optimizer["state"].items():
            numbers[str(weight)] = {}
            for name, value in values.items():
                if isinstance(value, torch.Tensor):
                    tensors[f"{weight}.{name}"] = value.contiguous()
                else:
                    numbers[str(weight)][name] = value
        save_file(tensors, Path(output_dir) / TENSORS)
        body = {
            "groups": optimizer["param_groups"],
            "state": numbers,
            "schedule": self.lr_scheduler.state_dict(),
        }
        _write(Path(output_dir) / NUMBERS, body)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        if checkpoint is None:
            return
        body = _read(Path(checkpoint) / NUMBERS)
        state = {int(weight): dict(values) for weight, values in body["state"].items()}
        for key, value in load_file(Path(checkpoint) / TENSORS).items():
            weight, _, name = key.partition(".")
            state[int(weight)][name] = value
        self.optimizer.load_state_dict({"state": state, "param_groups": body["groups"]})
        self.lr_scheduler.load_state_dict(body["schedule"])

    def _save_scaler(self, output_dir: str) -> None:
        if self.accelerator.scaler is not None and self.args.should_save:
            _write(Path(output_dir) / SCALER, self.accelerator.scaler.state_dict())

    def _load_scaler(self, checkpoint: str | None) -> None:
        if self.accelerator.scaler is not None and checkpoint is not None:
            self.accelerator.scaler.load_state_dict(_read(Path(checkpoint) / SCALER))

    def _save_rng_state(self, output_dir: str) -> None:
        name, keys, *rest = np.random.get_state()  # noqa: NPY002 - the state that libraries draw from
        body = {
            "python": random.getstate(),
            "numpy": [name, np.asarray(keys).tolist(), *rest],
            "torch": torch.get_rng_state().tolist(),
            "cuda": torch.cuda.get_rng_state().tolist() if torch.cuda.is_available() else None,
        }
        _write(self._random_states(output_dir), body)

    def _load_rng_state(self, checkpoint: str | None) -> None:
        if checkpoint is None:
            return
        body = _read(self._random_states(checkpoint))
        version, internal, gauss = body["python"]
        random.setstate((version, tuple(internal), gauss))
        np.random.set_state(tuple(body["numpy"]))  # noqa: NPY002
        torch.set_rng_state(torch.tensor(body["torch"], dtype=torch.uint8))
        if body["cuda"] is not None and torch.cuda.is_available():
            torch.cuda.set_rng_state(torch.tensor(body["cuda"], dtype=torch.uint8))

    def _random_states(self, folder: str) -> Path:
        """Each process draws on its own."""
        return Path(folder) / f"random-{self.args.process_index}.json"


Arguments = TypeVar("Arguments", bound=TrainingArguments)


def passes(rows: int, most: int) -> int:
    """Passes for a step of so many episodes, each of the same number of them, at most ``most``."""
    return next(rows // size for size in range(min(most, rows), 0, -1) if rows % size == 0)


def trainer_arguments(
    kind: Callable[..., Arguments],
    config: SftConfig | GrpoConfig,
    train: TrainConfig,
    folder: Path,
    seed: int,
    rows: int,
    **own: Any,
) -> Arguments:
    """What a trainer is told.

    Args:
        kind: Class of the trainer's arguments.
        config: How long and how fast.
        train: How the episodes of a step go through the model: a few at once, as the memory holds them.
        folder: For checkpoints.
        seed: Of the trainer's draws.
        rows: Episodes of a step, of this process.
        own: Arguments of this kind of trainer alone.
    """
    count = passes(rows, train.micro_batch)
    again = train.gradient_checkpointing
    arguments = kind(
        output_dir=str(folder),
        per_device_train_batch_size=rows // count,
        gradient_accumulation_steps=count,
        gradient_checkpointing=again,
        # The reentrant kind wants a gradient of the input, which frozen weights do not have.
        gradient_checkpointing_kwargs={"use_reentrant": False} if again else None,
        learning_rate=config.learning_rate,
        weight_decay=0.0,
        bf16=False,
        ddp_find_unused_parameters=False,
        use_cpu=not torch.cuda.is_available(),
        dataloader_pin_memory=False,
        shuffle_dataset=False,
        save_steps=config.save_every,
        logging_steps=1,
        disable_tqdm=True,
        report_to="none",
        seed=seed,
        **own,
    )
    return on_one_gpu(arguments)


def on_one_gpu(arguments: Arguments) -> Arguments:
    """Arguments of a trainer that uses one GPU of several; ``accelerate launch`` starts a process for each.

    transformers would copy the model to all of them inside one process (``DataParallel``), with as many times the
    batch, and what calls parts of the model by themselves would use the first copy only.
    """
    # As transformers itself does where a model is spread over GPUs.
    arguments._n_gpu = min(arguments.n_gpu, 1)
    return arguments


def _write(path: Path, body: LibraryState) -> None:
    path.write_text(json.dumps(body), encoding="utf-8")


def _read(path: Path) -> LibraryState:
    """What :func:`_write` wrote: the state of an optimizer, of a scaler or of generators, as its library has it.

    Raises:
        MissingRecord: It is not there: more processes go on than there were.
    """
    try:
        body: LibraryState = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise MissingRecord(f"{path}: cannot be resumed from: {error}") from error
    return body
