"""The reset options of a numbered task."""

from __future__ import annotations

from gonogo.rollout.types import Json

__all__ = ["numbered"]


def numbered(options: Json, number: int) -> Json:
    """Reset options of one task: ``index`` counts within a split, ``seed`` where there is none."""
    return {**options, "index" if "split" in options else "seed": number}
