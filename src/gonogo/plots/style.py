"""How gonogo's plots look, legible at the width of a README, and what each says of itself in its PNG's metadata.

A picture alone cannot be checked by a program. So whoever draws one writes beside it what a reader sees: the record it
was drawn from, the labels of the axes, the titles and the names of the series. Who shares an axis with another shares
its label.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image
from pydantic import TypeAdapter, ValidationError

from gonogo.errors import MissingRecord, RecordError
from gonogo.records.record import Part

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
SOURCE = "Source"
"""Key of the PNG's metadata that names the record which the plot was drawn from."""
AXES = "Axes"
"""Key of the PNG's metadata with the axes, as a JSON list of objects with ``title``, ``x``, ``y`` and ``series``."""


def style() -> Any:
    """A context in which figures have gonogo's style."""
    return mpl.rc_context(RC)


def save(figure: Figure, path: Path, source: str) -> None:
    """Write a figure as PNG, with the digest of its record and the labels of its axes inside."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A plot is made again from the record if it is torn, so it needs no atomic write.
    figure.savefig(path, metadata=described(figure, source))


class PlotAxes(Part):
    """What a reader sees of one of a figure's axes."""

    title: str
    x: str
    """Label of the axis."""
    y: str
    series: tuple[str, ...]
    """Names of what is drawn."""


LISTED = TypeAdapter(list[PlotAxes])


def described(figure: Figure, source: str) -> dict[str, str]:
    """A figure's metadata: the digest of its record, and its axes."""
    return {SOURCE: source, AXES: json.dumps(LISTED.dump_python(axes_of(figure)))}


def axes_of(figure: Figure) -> list[PlotAxes]:
    """Each of a figure's axes."""
    return [
        PlotAxes(
            title=axes.get_title(),
            x=label_of(axes, "x"),
            y=label_of(axes, "y"),
            series=tuple(axes.get_legend_handles_labels()[1]),
        )
        for axes in figure.get_axes()
    ]


def label_of(axes: Axes, which: str) -> str:
    """The label of an axis, or of one that it is shared with; empty where none has any."""
    shared = axes.get_shared_x_axes() if which == "x" else axes.get_shared_y_axes()
    for each in [axes, *shared.get_siblings(axes)]:
        label = each.get_xlabel() if which == "x" else each.get_ylabel()
        if label:
            return label
    return ""


def read_texts(path: Path) -> dict[str, str]:
    """The texts of a picture's metadata.

    Raises:
        MissingRecord: There is no picture.
    """
    try:
        with Image.open(path) as image:
            return {str(key): text for key, text in image.info.items() if isinstance(text, str)}
    except OSError as error:
        raise MissingRecord(f"{path}: no plot there: {error}") from error


def read_axes(path: Path) -> list[PlotAxes] | None:
    """What a plot's metadata says of its axes; None where it says nothing.

    Raises:
        MissingRecord: There is no plot.
        RecordError: What it says is not what :func:`axes_of` gives.
    """
    text = read_texts(path).get(AXES)
    if text is None:
        return None
    try:
        return LISTED.validate_python(json.loads(text))
    except ValidationError as error:
        raise RecordError(
            f"{path}: its metadata's {AXES} must be a list of axes, not {text[:80]}"
        ) from error
    except ValueError as error:
        raise RecordError(f"{path}: its metadata's {AXES} is not JSON: {error}") from error
