"""This machine for a training: its first GPU, or without one the CPU, how much memory that has, and what is installed.

Unsloth patches trl, transformers and peft when it is imported, and has to be imported before them. So this module
imports none of these, and :func:`prepare` is called before anything that does.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from gonogo.config import Architecture, ModelConfig
from gonogo.errors import MissingExtra, Misuse, PolicyFailure
from gonogo.models.memory import GB
from gonogo.records.probe import MemoryBudget


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


TRAINERS = ("accelerate", "datasets", "peft", "tokenizers", "torch", "transformers", "trl")


def has_gpu() -> bool:
    """Whether torch is there and sees a GPU."""
    if find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()


def uses_unsloth(config: ModelConfig) -> bool:
    """Whether Unsloth loads the model: where the config says so, or leaves it open and all is there."""
    if config.loader != "auto":
        return config.loader == "unsloth"
    there = config.lora is not None and config.precision != "fp32"
    return there and find_spec("unsloth") is not None and has_gpu()


def missing_extras(config: ModelConfig) -> list[MissingExtra]:
    """The extras that this model needs and that are not installed, in the order in which to install them."""
    wanted: dict[str, tuple[str, ...]] = {}
    if uses_unsloth(config):  # its extra brings trainers of its own versions, in the other's place
        wanted["unsloth"] = ("unsloth",)
    else:
        wanted["train"] = TRAINERS
    if config.precision == "4bit":
        wanted["4bit"] = ("bitsandbytes",)
    if config.pretrained is not None and config.pretrained.endswith(".gguf"):
        wanted["gguf"] = ("gguf",)
    uses = {"4bit": "model.precision 4bit", "gguf": f"the file {config.pretrained}"}
    return [
        MissingExtra(extra, uses.get(extra, "training"))
        for extra, modules in wanted.items()
        if any(find_spec(module) is None for module in modules)
    ]


def prepare(config: ModelConfig) -> None:
    """Refuse what cannot be loaded here, and import Unsloth where it will load the model.

    Raises:
        MissingExtra: Something is not installed.
        Misuse: Unsloth is wanted and there is no GPU.
    """
    if missing := missing_extras(config):
        raise missing[0]
    if uses_unsloth(config):
        if not has_gpu():
            raise Misuse("model.loader: unsloth needs a GPU, and torch sees none; say transformers")
        import_module("unsloth")


FP32_BYTES = 4


def check_memory(shape: Architecture | None) -> None:
    """Refuse to load what this machine's memory cannot hold, before the system ends the process for it.

    Raises:
        PolicyFailure: It does not fit.
    """
    if shape is None:
        return
    needed = FP32_BYTES * shape.parameters
    there, _ = ram()
    if needed > there:
        raise PolicyFailure(
            f"its weights at 32 bit take {needed / 1e9:.1f} GB, and this machine has {there / 1e9:.1f} GB: "
            "serve it elsewhere and give the server's URL"
        )
