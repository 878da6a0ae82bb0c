"""Programs that build and start a server: run to their end, or waited for until they answer."""

from __future__ import annotations

import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Sequence

from gonogo.errors import ImageFailure

__all__ = ["TAIL_CHARS", "asked", "free_port", "healthy"]

TAIL_CHARS = 800
"""How much of a program's last output an error shows."""


def asked(words: Sequence[str], timeout_s: float, what: str) -> str:
    """What a command of the user's own printed, as Docker or pip.

    Raises:
        ImageFailure: It failed, or took too long.
    """
    try:
        ended = subprocess.run(
            list(words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired as error:
        raise ImageFailure(f"{what} did not end within {timeout_s:g} s") from error
    if ended.returncode != 0:
        raise ImageFailure(f"{what} failed: {(ended.stderr or ended.stdout)[-TAIL_CHARS:].strip()}")
    return ended.stdout


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def healthy(url: str, within_s: float, ended: Callable[[], bool]) -> bool:
    """Wait until a local server answers ``/health``; False where it does not, or has ended."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline and not ended():
        try:
            opener.open(f"{url}/health", timeout=2).close()
            return True
        except OSError:
            time.sleep(0.2)
    return False
