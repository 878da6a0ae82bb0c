"""What libraries raise over models: files that are broken, and memory that ran out, said as what to lower.

Torch says in several ways that memory ran out: ``OutOfMemoryError`` of its allocator on a GPU, ``AcceleratorError``
where CUDA itself has no memory left (for a context, a graph), plain ``RuntimeError`` of its allocator on a CPU and of
cuBLAS and cuDNN.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

from gonogo.errors import OutOfMemory


def broken_errors() -> tuple[type[Exception], ...]:
    """What is raised for a model that is broken, of a kind that transformers does not know, or that wants a package."""
    from safetensors import SafetensorError

    return (
        ArithmeticError,
        ImportError,
        LookupError,
        MemoryError,
        OSError,
        RuntimeError,
        SafetensorError,
        ValueError,
        struct.error,
    )


def first_line(error: BaseException) -> str:
    """The first line of what an error says."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


SAID = (
    "out of memory",
    "DefaultCPUAllocator",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "CUDNN_STATUS_ALLOC_FAILED",
)
"""What errors say that are no class of their own."""
TRAINING = (
    "lower train.micro_batch, rollout.slots, rollout.max_turns or model.lora.rank, set "
    "train.gradient_checkpointing, or load the model with model.precision bf16 or 4bit"
)
FLYING = "lower rollout.slots, or bound the memory of keys and values with rollout.cache_mib"


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on a GPU or the CPU."""
    import torch

    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error) for words in SAID)


@contextmanager
def naming_what_to_lower(lower: str = TRAINING) -> Iterator[None]:
    """Turn what is raised for want of memory, on a GPU or the CPU, into an error that names settings.

    Args:
        lower: What the error advises.

    Raises:
        OutOfMemory: Memory ran out inside.
    """
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise OutOfMemory(f"memory ran out ({said}): {lower}") from error
