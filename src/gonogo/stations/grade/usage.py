"""How much memory the processes that gonogo started have taken at most, as Linux counts it."""

from __future__ import annotations

import os
import re
from pathlib import Path

__all__ = ["children", "peak_mb"]

PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


def children(pid: int | None = None) -> frozenset[int]:
    """The processes that a process has started and that run; empty where the system does not tell.

    Args:
        pid: The process; None for this one.
    """
    found: set[int] = set()
    for file in Path(f"/proc/{pid or os.getpid()}/task").glob("*/children"):
        try:
            found.update(map(int, file.read_text().split()))
        except OSError:
            continue  # the thread has ended
    return frozenset(found)


def peak_mb(pids: frozenset[int]) -> float | None:
    """The peak of the resident memory of processes and all that they started, summed.

    Returns:
        Megabytes (10^6 bytes); None where the system does not tell.
    """
    total, waiting = 0, set(pids)
    while waiting:
        pid = waiting.pop()
        waiting |= children(pid)
        try:
            found = PEAK.search(Path(f"/proc/{pid}/status").read_text())
        except OSError:
            continue  # it has ended
        total += int(found[1]) * 1024 if found else 0
    return total / 1e6 if total else None
