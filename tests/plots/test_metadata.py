"""A plot's metadata: its record, and its axes with the labels that they share."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from gonogo.errors import MissingRecord, RecordError
from gonogo.plots.metadata import AXES, SOURCE, PlotAxes, axes_of, described, read_axes, read_texts


def test_what_a_figure_says_is_read_back(tmp_path: Path) -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], label="score → 1")
    axes.set_xlabel("Step")
    axes.set_ylabel("Reward")
    axes.set_title("Curve")
    figure.savefig(tmp_path / "a.png", metadata=described(figure, "0123"))
    assert read_texts(tmp_path / "a.png")[SOURCE] == "0123"
    expected = PlotAxes(title="Curve", x="Step", y="Reward", series=("score → 1",))
    assert read_axes(tmp_path / "a.png") == [expected]


def test_shared_axes_share_their_labels() -> None:
    figure = Figure()
    upper, lower = figure.subfigures(2, 1)
    grid = upper.subplots(2, 2, sharex="col", sharey="row", squeeze=False)
    grid[1][0].set_xlabel("Step")
    grid[0][0].set_ylabel("Reward")
    lower.subplots().set_xlabel("Score")
    labels = [(axes.x, axes.y) for axes in axes_of(figure)]
    assert labels == [("Step", "Reward"), ("", "Reward"), ("Step", ""), ("", ""), ("Score", "")]


def test_a_picture_that_says_nothing_or_nonsense(tmp_path: Path) -> None:
    picture = Image.new("RGB", (2, 2))
    picture.save(tmp_path / "plain.png")
    assert read_axes(tmp_path / "plain.png") is None
    for text in ("no json", '{"x": 1}', '[{"x": "Step"}]'):
        told = PngInfo()
        told.add_text(AXES, text)
        picture.save(tmp_path / "odd.png", pnginfo=told)
        with pytest.raises(RecordError, match="Axes"):
            read_axes(tmp_path / "odd.png")
    with pytest.raises(MissingRecord, match="no plot there"):
        read_axes(tmp_path / "none.png")
