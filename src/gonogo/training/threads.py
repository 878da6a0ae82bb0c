"""How many threads torch computes with on a CPU, chosen by measuring a step of the model at hand.

Torch takes a thread for each core. For a small model, and wherever others work on the machine, threads then wait for
each other: a step has taken four times as long on two busy cores as on one. Sums round by how they are split, so that
a run that goes on takes the number that it began with.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from gonogo.errors import MissingRecord
from gonogo.models.tokenizer import Speaker
from gonogo.records.training import ThreadChoice
from gonogo.training.sft import SHOWN, imitation_loss

SETTLING = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables by which a user says how many."""
OPERATIONS = 2e11
"""Of a measured step at most: two seconds of a slow core."""
TOKENS = 512
"""Of a measured row at most."""
ENOUGH_S, REPEATS = 2.0, 5
"""A number of threads is measured for so long, or so often."""
WORTH = 0.95
"""More threads are taken if a step takes at most so much of the time."""
LOST = 1.5
"""Times that a step may take longer before still more threads are not tried."""
WARMING = 3.0
"""Times that the first step, in which torch starts its threads, may take as long as one that is too long."""


def settled() -> bool:
    """Whether there is nothing to choose: a GPU trains, the user has said how many, or there is one core."""
    said = any(os.environ.get(name) for name in SETTLING)
    return said or torch.cuda.is_available() or torch.get_num_threads() == 1


def of_run(out: Path) -> int | None:
    """The number that a run was begun with; None where none was chosen."""
    try:
        return ThreadChoice.load(out).threads
    except MissingRecord:
        return None


def choose(speaker: Speaker, rows: int, out: Path) -> ThreadChoice:
    """Measure a step of a model with 1, 2, 4 … threads, as many as there are at most, and keep the quickest's number.

    Args:
        speaker: The model, which is left as it was.
        rows: Episodes of a pass.
        out: The run's folder.
    """
    model, most = speaker.model, torch.get_num_threads()
    size = sum(weight.numel() for weight in model.parameters())
    tokens = min(TOKENS, speaker.context)
    rows = max(1, min(rows, int(OPERATIONS / (6 * size * tokens))))
    tokens = max(16, min(tokens, int(OPERATIONS / (6 * size))))
    ids = torch.arange(rows * tokens).view(rows, tokens) % len(speaker.tokenizer)
    counts = [2**power for power in range(most.bit_length()) if 2**power < most] + [most]
    best, seconds = 1, {1: math.inf}
    with torch.random.fork_rng(devices=[]), kept_threads(most):
        for count in counts:
            least = seconds[best]
            seconds[count] = measured(model, ids, speaker.turns.pad, LOST * least, count)
            if seconds[count] <= WORTH * least:
                best = count
            elif seconds[count] > LOST * least:
                break
    choice = ThreadChoice(threads=best, seconds=seconds)
    choice.save(out)
    return choice


def measured(
    model: torch.nn.Module, ids: torch.Tensor, pad: int, most_s: float, threads: int
) -> float:
    """Seconds of the quickest of a few steps, after one that does not count, but for one that is far too slow.

    Args:
        model: What learns.
        ids: (rows, tokens).
        pad: Token that pads.
        most_s: Seconds from which it does not matter how much longer a step takes.
        threads: How many.
    """
    torch.set_num_threads(threads)
    labels = torch.where(torch.arange(ids.shape[1]) % 4 == 0, ids, SHOWN)
    took: list[float] = []
    while len(took) <= REPEATS and (len(took) < 2 or sum(took) < ENOUGH_S):
        began = time.perf_counter()
        imitation_loss(model, model, ids, labels, pad=pad).backward()
        took.append(time.perf_counter() - began)
        model.zero_grad(set_to_none=True)
        if took[0] > WARMING * most_s:
            return took[0]
    return min(took[1:])


@contextmanager
def kept_threads(threads: int) -> Iterator[None]:
    """Compute with so many threads inside, and as before behind it.

    Args:
        threads: How many.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
