"""This machine for a training: its first GPU, or without one the CPU, and how much memory that has."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from gonogo.models.extras import has_gpu
from gonogo.models.memory import GB
from gonogo.records.probe import MemoryBudget

__all__ = [
    "Speed",
    "device",
    "gpu_without_bf16",
    "measure_speed",
    "ram",
    "return_freed_memory",
    "room_of",
]


def device() -> str:
    """Where a pretrained model goes: the first GPU, or the CPU without one."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def gpu_without_bf16() -> str | None:
    """The name of the GPU that trains, if it computes bf16 only by emulating it, as a T4 does; else None."""
    import torch

    if not torch.cuda.is_available() or torch.cuda.is_bf16_supported(including_emulation=False):
        return None
    return str(torch.cuda.get_device_name())


def room_of(named_gb: float | None, name: str) -> MemoryBudget:
    """What a machine that is named has, which is one with a GPU, else this one's GPU, or its RAM without one.

    Args:
        named_gb: Of the machine that is named.
        name: What it is called.
    """
    if named_gb is not None:
        return MemoryBudget(gb=named_gb, whose=name, on_cpu=False)
    if not has_gpu():
        there, whose = ram()
        return MemoryBudget(gb=round(there / GB, 3), whose=f"this machine's {whose}", on_cpu=True)
    import torch

    found = torch.cuda.get_device_properties(0)
    return MemoryBudget(
        gb=round(found.total_memory / GB, 3), whose=f"this machine's {found.name}", on_cpu=False
    )


def ram() -> tuple[float, str]:
    """Bytes of RAM."""
    return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")), "RAM"


def return_freed_memory() -> None:
    """Give the system back what this process has freed and glibc keeps; nothing where the C library is another one.

    Until then the gaps between tensors of ever other sizes are lost, and a process that learns from episodes of many
    lengths grows with each of them.

    Source:
        malloc_trim(3).
    """
    if (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
        trim(0)


SIDE = 1024
SMALL = 64
ENOUGH_S = 0.1


@dataclass(frozen=True, slots=True)
class Speed:
    """What this machine does in a second, measured in a moment.

    Attributes:
        operations: Floating-point operations of a large matrix product.
        bytes: That a large tensor is read.
        calls: Small operations that are called one after another.
    """

    operations: float
    bytes: float
    calls: float


def measure_speed(bits: int) -> Speed:
    """How fast the device for training is; takes less than a second.

    Args:
        bits: Of the numbers: 32, else bf16 is measured.
    """
    import torch

    where, dtype = device(), torch.float32 if bits == 32 else torch.bfloat16
    square = torch.ones(SIDE, SIDE, dtype=dtype, device=where)
    long = torch.ones(32 * SIDE * SIDE, dtype=dtype, device=where)
    small = torch.ones(SMALL, SMALL, dtype=dtype, device=where)
    with torch.inference_mode():
        return Speed(
            2 * SIDE**3 / seconds_of(lambda: square @ square),
            long.numel() * long.element_size() / seconds_of(long.amax),
            1 / seconds_of(lambda: small + small),
        )


def seconds_of(work: Callable[[], object]) -> float:
    """Seconds that work takes when it is repeated; the first time does not count."""
    import torch

    work()
    count, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < ENOUGH_S or not count:
        more = max(
            1, count
        )  # once where it is slow, many times between two looks at the clock where it is quick
        for _ in range(more):
            work()
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        count += more
    return passed / count
