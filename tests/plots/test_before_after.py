"""Before and after: both flights, everybody's results, and which task is shown."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
from tests.plots.drawing import flight, record

from gonogo.plots import before_after
from gonogo.plots.metadata import read_axes


def test_before_after_shows_both_flights_and_everybody_s_results(
    drawn: list[Figure], tmp_path: Path
) -> None:
    episodes = {"idle": [flight(0.0)], "untrained": [flight(0.1)], "trained": [flight(0.9)]}
    record_ = record(idle=(0.0, None), untrained=(0.1, 0.05), trained=(0.9, 0.05))
    before_after.draw_before_after(episodes, record_, tmp_path / "b.png")
    axes = drawn[0].axes
    assert [a.get_ylabel() for a in axes[:4]] == ["Rate (deg/s)", "", "Propellant (%)", ""]
    assert [a.get_xlabel() for a in axes[2:4]] == ["Clock (s)", "Clock (s)"]
    assert axes[0].get_title() == "untrained: score 0.10, no success"
    assert axes[1].get_title() == "trained: score 0.90, success"
    assert axes[4].get_xlabel() == "Score, 95 % interval, n = 200 tasks (hollow: all equal)"
    assert axes[5].get_xlabel() == "Success, 95 % interval, n = 200 tasks"
    assert [label.get_text() for label in axes[4].get_yticklabels()] == list(episodes)
    said = {text.get_text() for a in axes for text in a.texts}
    assert {"D1 satisfied", "D2 satisfied", "D3 satisfied"} <= said
    labels = [(each.x, each.y) for each in read_axes(tmp_path / "b.png") or []]
    assert len(labels) == 6
    assert all(x and y for x, y in labels)


def test_the_task_shown_is_the_right_one_s_median_of_tasks_flown_by_both() -> None:
    right = [flight(score) for score in (0.9, 0.1, 0.5, 0.6, 1.0)]
    left = [flight(0.0) for _ in right]
    assert before_after.choose_task({"untrained": left, "trained": right}) == 3
    left[3].error = "lost"
    assert before_after.choose_task({"untrained": left, "trained": right}) == 2
    assert before_after.choose_task({"a": left[3:4], "b": right[3:4]}) is None
