"""How plots look, and what they say of their record."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from gonogo.plots.metadata import SOURCE, read_texts
from gonogo.plots.style import BAD, COLORS, GOOD, OPEN, RC, save, style


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
