"""The boundary to foreign code, the one place of the worker process where any error may come through; and its clock.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. An environment,
its client or a reward given from outside may raise whatever it likes; it is kept here and always reported.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import TracebackType
from typing import Self

CLOSE_S = 4.0
"""Seconds that closing may take, whatever is closed: an instance, all of a worker's, a policy."""
AGAIN_S = 0.5


class Boundary:
    """A context in which foreign code runs; what it raises ends the context and no more.

    Attributes:
        error: What was raised; None where nothing was.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self.error = error if isinstance(error, Exception) else None
        return self.error is not None


class Unfound(LookupError):
    """Foreign code is no environment, and nothing of it is at fault: the message says what is not there."""


class Gone(ConnectionError):
    """A server that the worker speaks with does not answer: the episode is lost, and no action is at fault."""


class Late(BaseException):
    """Foreign code did not return in time. No Exception, so that what hangs does not take it for its own."""


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """A context in which foreign code runs no longer than it may; in the main thread only.

    Raises:
        Late: It did. Where it takes that and goes on, it is raised in it again.
    """

    def late(*_: object) -> None:
        raise Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
