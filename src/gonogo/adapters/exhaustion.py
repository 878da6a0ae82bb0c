"""Memory that ran out, said as what to lower. The one place that catches it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from gonogo.errors import OutOfMemory

__all__ = ["naming_what_to_lower"]

CPU = "DefaultCPUAllocator"
"""How torch's allocator of the CPU begins; it raises a plain RuntimeError."""
LOWER = (
    "lower train.micro_batch, rollout.slots, rollout.max_turns or model.lora.rank, set "
    "train.gradient_checkpointing, or load the model with model.precision bf16 or 4bit"
)


@contextmanager
def naming_what_to_lower() -> Iterator[None]:
    """Turn what torch raises for want of memory, on a GPU or the CPU, into an error that names settings.

    Raises:
        OutOfMemory: Memory ran out inside.
    """
    try:
        yield
    except RuntimeError as error:  # torch.OutOfMemoryError is one
        if not isinstance(error, torch.OutOfMemoryError) and CPU not in str(error):
            raise
        said = str(error).strip().splitlines()[0]
        raise OutOfMemory(f"memory ran out ({said}): {LOWER}") from error
