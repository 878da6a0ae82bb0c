"""How much memory this machine has for a training: its first GPU's, or without one its RAM."""

from __future__ import annotations

import os

__all__ = ["machine_memory", "ram"]


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
