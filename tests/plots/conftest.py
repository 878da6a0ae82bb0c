"""The figures that plots save."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from gonogo.plots import evaluation_plots as before_after
from gonogo.plots import evaluation_plots as reward_curve
from gonogo.plots import style


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that were saved."""
    figures: list[Figure] = []

    def save(figure: Figure, path: Path, source: str) -> None:
        figures.append(figure)
        style.save(figure, path, source)

    monkeypatch.setattr(before_after, "save", save)
    monkeypatch.setattr(reward_curve, "save", save)
    return figures
