"""This machine for a training: its first GPU, or without one the CPU, and how much memory that has."""

from __future__ import annotations

import os

__all__ = ["device", "machine_memory", "ram"]


def device() -> str:
    """Where a pretrained model goes: the first GPU, or the CPU without one."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def machine_memory() -> tuple[float, str]:
    """Bytes of memory, and whose they are."""
    try:
        import torch
    except ModuleNotFoundError:
        return ram()
    if not torch.cuda.is_available():
        return ram()
    properties = torch.cuda.get_device_properties(0)
    return float(properties.total_memory), str(properties.name)


def ram() -> tuple[float, str]:
    """Bytes of RAM."""
    return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")), "RAM"
