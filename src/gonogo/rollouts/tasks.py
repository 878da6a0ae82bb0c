"""The reset options of a numbered task."""

from __future__ import annotations

from gonogo.wire import TaskOptions

__all__ = ["numbered"]


def numbered(options: TaskOptions, number: int) -> TaskOptions:
    """Reset options of one task: ``index`` counts within a split, ``seed`` where there is none."""
    return {**options, "index" if "split" in options else "seed": number}
