"""What a later phase of a training would refuse, found before the first one.

Each phase builds its trainer's settings and its schedule when its turn comes, hours after the command was given. Here
both are built at the start, from the same functions, and thrown away.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, get_scheduler

from gonogo.config import Architecture, ModelConfig, TrainConfig
from gonogo.errors import DiskFailure, Misuse
from gonogo.models.lora import check_targets
from gonogo.models.memory import GB, lora_parameters
from gonogo.models.shapes import read_file_config
from gonogo.training.grpo import grpo_arguments
from gonogo.training.passes import Passes
from gonogo.training.processes import Ranks
from gonogo.training.sft import sft_arguments

__all__ = ["check_disk", "check_layers", "check_phases", "disk_bytes"]

KEPT = 2
"""Whole checkpoints of a phase that stay, see :mod:`gonogo.models.checkpoints`; one more is being written."""
COPIES = 4
"""Of what is trained, in a checkpoint: itself, Adam's two moments, and the best model so far."""
MODELS = 3
"""A run's models: untrained, sft and trained."""


def check_phases(train: TrainConfig, folder: Path) -> None:
    """Build the settings and the schedule of each phase.

    Args:
        train: The training.
        folder: Of the run.

    Raises:
        Misuse: Several processes cannot share a step, or a trainer refuses its settings.
    """
    ranks, passes = Ranks(), Passes.of(train)
    sft, grpo = train.sft, train.grpo
    if sft is not None:
        rows = ranks.share(sft.batch, "train.sft.batch")
        build(lambda: sft_arguments(sft, folder / "sft", 0, passes, rows), "train.sft")
    if grpo is not None:
        groups = ranks.share(grpo.tasks_per_step, "train.grpo.tasks_per_step")
        ranks.share(grpo.imitated, "train.grpo.imitated")
        rows = groups * grpo.group_size
        build(lambda: grpo_arguments(grpo, folder / "grpo", 0, passes, rows), "train.grpo")


def build(make: Callable[[], Any], section: str) -> None:
    """Make a trainer's arguments, and the schedule that it will make of them.

    Raises:
        Misuse: It refuses them.
    """
    try:
        arguments = make()
        optimizer = torch.optim.AdamW([torch.zeros(1)], lr=arguments.learning_rate)
        get_scheduler(
            arguments.lr_scheduler_type,
            optimizer,
            num_warmup_steps=arguments.get_warmup_steps(arguments.max_steps),
            num_training_steps=arguments.max_steps,
            scheduler_specific_kwargs=dict(arguments.lr_scheduler_kwargs or {}),
        )
    except ValueError as error:
        raise Misuse(f"{section}: its trainer refuses it: {error}") from error


def check_layers(model: ModelConfig) -> None:
    """Hold the LoRA targets against the layers of a model that is on this machine, without its weights.

    Raises:
        Misuse: A target is none of its layers.
    """
    where = None if model.pretrained is None else Path(model.pretrained)
    if model.lora is None or where is None or not where.exists():
        return
    config = read_file_config(where) if where.is_file() else AutoConfig.from_pretrained(where)
    with torch.device("meta"):
        check_targets(AutoModelForCausalLM.from_config(config), model.lora)


def disk_bytes(model: ModelConfig, train: TrainConfig, shape: Architecture) -> float:
    """What a training leaves on the disk at most: checkpoints of its phases, its models, the one in 16 bit.

    Args:
        model: The model.
        train: The training, whose phases leave checkpoints.
        shape: The model's shape.

    Returns:
        Bytes.
    """
    lora = model.lora
    trained = shape.parameters if lora is None else lora_parameters(shape, lora.rank)
    phases = sum(phase is not None for phase in (train.sft, train.grpo))
    copies = COPIES * (phases * KEPT + 1) + MODELS
    return 4.0 * trained * copies + 2.0 * shape.parameters


def check_disk(needed: float, out: Path) -> str:
    """Hold what a training leaves against the free space of its folder's disk; says both.

    Args:
        needed: Bytes.
        out: The folder, which need not be there.

    Raises:
        DiskFailure: It is less.
    """
    there = next(folder for folder in (out.absolute(), *out.absolute().parents) if folder.is_dir())
    free = shutil.disk_usage(there).free
    said = (
        f"checkpoints and models take up to {needed / GB:.3g} GB, and the disk of {there} has "
        f"{free / GB:.3g} GB free"
    )
    if needed > free:
        raise DiskFailure(f"{said}: make room, or choose another folder with --out")
    return said
