"""The one place of the worker process where any error may come through: the boundary to foreign code.

Loaded by its path from :mod:`gonogo.adapters.worker_main`, and like it imports nothing of gonogo. An environment,
its client or a reward given from outside may raise whatever it likes; it is kept here and always reported.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

__all__ = ["Boundary"]


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
