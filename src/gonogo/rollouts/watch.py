"""The clock of a command, and a line now and then for whoever waits for it where no terminal shows a bar."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from gonogo.records.terminal import Terminal

FIRST_S, SOON_S, EVERY_S = 5.0, 1.0, 10.0
"""Seconds from a command's beginning to the first line, at least from a later part's, and between two lines."""


@dataclass(slots=True)
class Watch:
    """The clock of one command: when it began, and when it is to end.

    Attributes:
        seconds: How long it may take; None without end.
        began: When it began, by this machine's monotonic clock.
    """

    seconds: float | None = None
    began: float = field(default_factory=time.monotonic)

    @property
    def gone(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began

    @property
    def left(self) -> float:
        """Seconds that are left; infinite without end, never below zero."""
        return math.inf if self.seconds is None else max(0.0, self.seconds - self.gone)

    @property
    def out(self) -> bool:
        """Whether its time is up."""
        return self.left == 0.0

    @property
    def shown(self) -> str:
        """How much of it is gone, as in ``12 of 120 s``."""
        of = "" if self.seconds is None else f" of {self.seconds:.0f}"
        return f"{self.gone:.0f}{of} s"

    def within(self, seconds: float) -> Watch:
        """A watch that ends so many seconds from now, or with this one, whichever is sooner."""
        now = self.gone
        end = now + seconds
        if math.isinf(end):
            return Watch(self.seconds, self.began)
        return Watch(end if self.seconds is None else min(end, self.seconds), self.began)


class Heartbeat:
    """Lines on stderr about how far a command is, until it is closed; none at a terminal, which shows bars.

    Args:
        said: What a line says now; asked in a thread of its own.
        console: Where the lines go.
        watch: The command's clock, by whose beginning the first line comes.
    """

    def __init__(
        self, said: Callable[[], str], console: Terminal, watch: Watch | None = None
    ) -> None:
        self._said, self._console = said, console
        self._first_s = max(SOON_S, FIRST_S - (0.0 if watch is None else watch.gone))
        self._closed = threading.Event()
        self._teller = threading.Thread(target=self._tell, daemon=True)
        if not console.is_terminal and not console.quiet:
            self._teller.start()

    def close(self) -> None:
        """Say no more."""
        self._closed.set()
        if self._teller.is_alive():
            self._teller.join()

    def _tell(self) -> None:
        pause = self._first_s
        while not self._closed.wait(pause):
            pause = EVERY_S
            self._console.print(self._said(), markup=False, highlight=False, soft_wrap=True)
