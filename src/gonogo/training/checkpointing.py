"""A trainer whose checkpoints are whole or not there, go on bit for bit, and hold no pickle.

transformers writes a checkpoint where a later run looks for it, file by file, and keeps optimizer, schedule and
random states as pickles. :class:`Durable` writes the same into a folder that is sealed when it is complete
(:mod:`gonogo.models.checkpoints`): tensors as safetensors, numbers as JSON, and the course's state beside them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from transformers import Trainer, TrainerCallback, TrainingArguments
from transformers.trainer import TRAINER_STATE_NAME, TRAINING_ARGS_NAME

from gonogo.errors import MissingRecord
from gonogo.models.checkpoints import finish_folder, place_for, prune, start_folder
from gonogo.training.callback import TrainingCallback
from gonogo.wire import JsonObject

__all__ = ["Durable", "on_one_gpu"]

TENSORS, NUMBERS, SCALER = "optimizer.safetensors", "optimizer.json", "scaler.json"


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
        numbers: dict[str, JsonObject] = {}
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


def on_one_gpu(arguments: Arguments) -> Arguments:
    """Arguments of a trainer that uses one GPU of several; ``accelerate launch`` starts a process for each.

    transformers would copy the model to all of them inside one process (``DataParallel``), with as many times the
    batch, and what calls parts of the model by themselves would use the first copy only.
    """
    arguments._n_gpu = min(
        arguments.n_gpu, 1
    )  # as transformers itself does where a model is spread over GPUs
    return arguments


def _write(path: Path, body: JsonObject) -> None:
    path.write_text(json.dumps(body), encoding="utf-8")


def _read(path: Path) -> JsonObject:
    """What :func:`_write` wrote: the state of an optimizer, of a scaler or of generators, as its library has it.

    Raises:
        MissingRecord: It is not there: more processes go on than there were.
    """
    try:
        body: JsonObject = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise MissingRecord(f"{path}: cannot be resumed from: {error}") from error
    return body
