"""What a training will take, before it is started: memory, tokens and time, from shapes and a few flown episodes.

Memory is by the formulas of :mod:`gonogo.models.memory`. Time is a lower bound by what this machine does in a second:
products of matrices and reading weights, as measured in a moment, and the environment's own steps, as they were
flown; what a framework adds to that is in it by the number of small operations only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from gonogo.config import Architecture, RunConfig, TrainConfig
from gonogo.models.machine import Speed
from gonogo.models.memory import (
    GB,
    OVERHEAD,
    PROGRAM_BYTES,
    cache_bytes,
    heap_bytes,
    training_bytes,
    weights_bytes,
)
from gonogo.training.rejection_sampling import SELF

__all__ = ["Length", "PhaseForecast", "memory_gb", "parts_of"]

BITS = {"fp32": 32, "bf16": 16, "4bit": 4}
CALLS = 20
"""Small operations of one block's forward pass; a round figure for the decoder's own loop."""


@dataclass(frozen=True, slots=True)
class Length:
    """How long episodes are.

    Attributes:
        tokens: Of the longest, the instructions included.
        most: Of one that takes all decisions that the config allows, each as long as those that were flown.
        mean: Of one on average.
        said: Tokens of one on average that the model says itself.
        turns: Decisions of one on average.
        exact: Whether a tokenizer counted them; else each byte counts as a token, which no tokenizer exceeds.
        step_s: Seconds of one environment step.
    """

    tokens: int
    most: int
    mean: float
    said: float
    turns: float
    exact: bool
    step_s: float


@dataclass(frozen=True, slots=True)
class PhaseForecast:
    """One part of a training.

    Attributes:
        name: What it is called.
        episodes: That are flown.
        said: Tokens that the model says in them.
        trained: Tokens that go forward and backward.
        seconds: That it takes at least; None where this machine is not the one.
    """

    name: str
    episodes: int
    said: float
    trained: float
    seconds: float | None


def memory_gb(
    run: RunConfig,
    train: TrainConfig,
    shape: Architecture,
    length: Length,
    tokens: int,
    *,
    on_cpu: bool,
) -> dict[str, float]:
    """GB for weights, for what is trained and its activations, and for the cache of flying; and the most at once.

    Args:
        run: The config.
        train: Its training part.
        shape: The model's.
        length: Of an episode.
        tokens: Of the episode that is meant; what is beyond the model's context is never computed.
        on_cpu: Whether a CPU trains.
    """
    tokens = min(tokens, run.model.context)
    # What the model says; where SFT also learns what it is shown, all of it.
    said = tokens if train.sft is not None and train.sft.shown_weight else math.ceil(length.said)
    bits = BITS[run.model.precision]
    rank = None if run.model.lora is None else run.model.lora.rank
    weights = weights_bytes(shape, bits)
    kept = training_bytes(shape, bits, 0, 1, rank)
    training = training_bytes(
        shape,
        bits,
        tokens,
        train.micro_batch,
        rank,
        checkpointing=train.gradient_checkpointing,
        said=said,
    )
    slots = run.rollout.slots if run.rollout.vllm is None else 0  # a server has its own cache
    cache = slots * cache_bytes(shape, tokens, bits)
    heap = heap_bytes(shape, bits, tokens, train.micro_batch, rank) if on_cpu else 0.0
    parts = {
        "the program": PROGRAM_BYTES,
        "weights": weights,
        "gradients, moments and factors": kept - weights,
        "activations of a pass": training - kept,
        "kept by the C library": heap,
        "cache of the slots": cache,
        "at once": PROGRAM_BYTES + OVERHEAD * max(training, kept + cache) + heap,
    }
    return {name: value / GB for name, value in parts.items()}


def parts_of(
    run: RunConfig, train: TrainConfig, shape: Architecture, length: Length, speed: Speed | None
) -> Iterator[PhaseForecast]:
    """What flies and what is trained, in order."""
    sft, grpo = train.sft, train.grpo
    validation = train.validation.episodes * (1 + len(train.environments))
    own = sft is not None and sft.teacher == SELF
    if sft is not None:
        yield flown(run, shape, length, speed, "traces", sft.episodes, by_model=own)
        steps = sft.max_steps
        tokens = steps * sft.batch * length.mean
        yield trained(run, train, shape, speed, "sft", tokens, steps * sft.batch)
        count = 2 + math.ceil(steps / sft.validate_every)
        yield flown(run, shape, length, speed, "sft validation", count * validation)
    if grpo is not None:
        rows = grpo.steps * grpo.tasks_per_step * grpo.group_size
        group = grpo.tasks_per_step * grpo.group_size
        yield flown(run, shape, length, speed, "grpo flights", rows, at_once=group)
        learned = rows + grpo.steps * grpo.imitated
        yield trained(run, train, shape, speed, "grpo", learned * length.mean, learned)
        count = 2 + math.ceil(grpo.steps / grpo.validate_every)
        yield flown(run, shape, length, speed, "grpo validation", count * validation)


def flown(
    run: RunConfig,
    shape: Architecture,
    length: Length,
    speed: Speed | None,
    name: str,
    episodes: int,
    *,
    by_model: bool = True,
    at_once: int | None = None,
) -> PhaseForecast:
    """Episodes in the air: each token said reads all weights once for all rows, each token shown is multiplied."""
    said = episodes * length.said if by_model else 0.0
    if speed is None:
        return PhaseForecast(name, episodes, said, 0.0, None)
    seconds = episodes * length.turns * length.step_s
    if by_model:
        rows = min(run.rollout.slots, at_once or episodes)
        bits = BITS[run.model.precision]
        each = max(
            weights_bytes(shape, bits) / speed.bytes,
            2 * shape.parameters * rows / speed.operations,
            CALLS * shape.layers / speed.calls,
        )
        seconds += math.ceil(episodes / rows) * length.said * each
        seconds += episodes * length.mean * 2 * shape.linear_parameters / speed.operations
    return PhaseForecast(name, episodes, said, 0.0, seconds)


def trained(
    run: RunConfig,
    train: TrainConfig,
    shape: Architecture,
    speed: Speed | None,
    name: str,
    tokens: float,
    rows: int,
) -> PhaseForecast:
    """Tokens forward and backward: two operations a weight forward, as many again for each gradient."""
    if speed is None:
        return PhaseForecast(name, 0, 0.0, tokens, None)
    # Frozen weights need no gradient of their own; checkpointing goes forward twice.
    each = (4 if run.model.lora is not None else 6) + (2 if train.gradient_checkpointing else 0)
    passes = rows / train.micro_batch
    seconds = each * shape.linear_parameters * tokens / speed.operations
    seconds += passes * each / 2 * CALLS * shape.layers / speed.calls
    return PhaseForecast(name, 0, 0.0, tokens, seconds)
