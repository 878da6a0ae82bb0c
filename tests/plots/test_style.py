"""A plot says of itself what a reader sees, and no plot touches pyplot's state."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from gonogo.errors import MissingRecord, RecordError
from gonogo.plots.style import (
    AXES,
    BAD,
    COLORS,
    GOOD,
    OPEN,
    RC,
    SOURCE,
    PlotAxes,
    axes_of,
    described,
    read_axes,
    read_texts,
    save,
    style,
)


def test_a_style_ends_with_its_context() -> None:
    before = {name: mpl.rcParams[name] for name in RC}
    with style():
        assert {name: mpl.rcParams[name] for name in RC} == RC != before
    assert {name: mpl.rcParams[name] for name in RC} == before


def test_a_plot_is_written_where_there_is_no_folder_yet_and_names_its_record(
    tmp_path: Path,
) -> None:
    figure = Figure(figsize=(2, 2))
    figure.subplots().plot([0, 1])
    file = tmp_path / "plots" / "a.png"
    save(figure, file, "0123abcd")
    assert read_texts(file)[SOURCE] == "0123abcd"
    save(figure, file, "4567")
    assert read_texts(file)[SOURCE] == "4567"


def test_colours_differ() -> None:
    assert len({to_rgb(colour) for colour in COLORS}) == len(COLORS)
    assert len({to_rgb(colour) for colour in (GOOD, BAD, OPEN)}) == 3


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
