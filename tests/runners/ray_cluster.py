"""A real Ray cluster on this machine for the tests, and the processes of its workers."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

# Ray's processes then talk over the loopback address, as on the systems that the variable is named for.
os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
import ray


@contextlib.contextmanager
def cluster() -> Iterator[None]:
    """A cluster of two CPUs; what a pool finds, it uses and leaves."""
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        logging_level="error",
        log_to_driver=False,
    )
    yield
    ray.shutdown()


def workers(doing: str = "") -> list[int]:
    """The process ids of this process's cluster's workers; only of those that are at it where that is said."""
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and b"ray::RayWorker" + doing.encode() in (
                (folder / "cmdline").read_bytes()
            ):
                found.append(int(folder.name))
    return [pid for pid in found if os.getpid() in ancestors(pid)]


def holding(words: str) -> list[int]:
    """The process ids of the machine's processes that have some words in their environment variables."""
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and words.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def ancestors(pid: int) -> list[int]:
    """The process ids of a process's parent, its parent's parent, and so on."""
    found = []
    with contextlib.suppress(OSError):
        while pid > 1:
            # After the name, which may hold anything: the state, then the parent.
            stat = Path(f"/proc/{pid}/stat").read_text()
            pid = int(stat.rpartition(")")[2].split()[1])
            found.append(pid)
    return found
