"""How gonogo's plots look: legible at the width of a README, without pyplot's global state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from gonogo.plots.metadata import described

__all__ = ["BAD", "COLORS", "GOOD", "OPEN", "save", "style"]

COLORS = ("#1f6fb4", "#d9601a", "#2e8b57", "#8a4fbf", "#b8860b", "#555555")
"""Series in order; told apart in grey too by their line styles where lines cross."""
GOOD, BAD, OPEN = "#2e7d32", "#c62828", "#757575"
RC: Any = {
    "font.size": 11,
    "axes.titlesize": 11,
    "axes.labelsize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.fontsize": 9,
    "legend.framealpha": 0.85,
    "figure.dpi": 110,
}


def style() -> Any:
    """A context in which figures have gonogo's style."""
    return mpl.rc_context(RC)


def save(figure: Figure, path: Path, source: str) -> None:
    """Write a figure as PNG, with the digest of its record and the labels of its axes inside."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A plot is made again from the record if it is torn, so it needs no atomic write.
    figure.savefig(path, metadata=described(figure, source))
