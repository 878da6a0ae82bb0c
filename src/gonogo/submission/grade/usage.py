"""How much memory a process has taken at most, as Linux counts it."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["peak_mb"]

PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


def peak_mb(pid: int | None) -> float | None:
    """The peak of the resident memory of a process and all that it started and that run, summed.

    Args:
        pid: The process; None where there is none to be measured.

    Returns:
        Megabytes (10^6 bytes); None where the system does not tell.
    """
    total, waiting = 0, [] if pid is None else [pid]
    while waiting:
        of = waiting.pop()
        for file in Path(f"/proc/{of}/task").glob("*/children"):
            try:
                waiting.extend(map(int, file.read_text().split()))
            except OSError:
                continue  # the thread has ended
        try:
            found = PEAK.search(Path(f"/proc/{of}/status").read_text())
        except OSError:
            continue  # it has ended
        total += int(found[1]) * 1024 if found else 0
    return total / 1e6 if total else None
