"""The two plots of an evaluation, on data made up for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from tests.plots.drawing import flight, record

from gonogo.plots import evaluation_plots as before_after
from gonogo.plots import evaluation_plots as reward_curve
from gonogo.plots.style import read_axes
from gonogo.records.training import TrainingRow

OVERALL = "reward/overall"


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


def row(stage: str, step: int, **numbers: float) -> TrainingRow:
    return TrainingRow(stage=stage, step=step, numbers={**numbers})


def test_the_reward_curve_shows_both_parts_components_and_baseline(
    drawn: list[Figure], tmp_path: Path
) -> None:
    rows = [row("sft", 10 * n, **{"validation/score": 0.1 * n}) for n in range(5)]
    rows += [row("grpo", n, **{OVERALL: 0.5, "reward/primary": 0.9}) for n in range(9)]
    reward_curve.draw_reward_curve(rows, record(untrained=(0.05, 0.01)), tmp_path / "c.png")
    sft, grpo = drawn[0].axes
    assert [axes.get_xlabel() for axes in (sft, grpo)] == ["Training step"] * 2
    assert sft.get_ylabel() == "Reward"
    assert sft.get_title() != grpo.get_title()
    lines = {str(line.get_label()): line for line in grpo.get_lines()}
    assert lines["overall"].get_linestyle() == "-"
    assert lines["primary"].get_linestyle() == "--"
    assert list(np.atleast_1d(lines["untrained"].get_ydata())) == [0.05, 0.05]
    low, high = sft.get_ylim()
    assert low <= 0
    assert high > 0.9
    assert "level easy, split test, n = 200" in drawn[0].get_suptitle()
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_the_losses_stand_below_the_rewards(drawn: list[Figure], tmp_path: Path) -> None:
    rows = [
        row(stage, n, **{OVERALL: 0.1 * n, "loss": 1.0 / (n + 1)})
        for stage in ("sft", "grpo")
        for n in range(4)
    ]
    reward_curve.draw_reward_curve(rows, record(idle=(0.0, None)), tmp_path / "c.png")
    assert len(drawn[0].axes) == 4
    for rewards, losses in zip(drawn[0].axes[:2], drawn[0].axes[2:], strict=True):
        assert losses.get_ylabel() == "Loss"
        assert losses.get_xlabel() == "Training step"
        assert list(losses.get_lines()[0].get_ydata()) == [1.0, 1 / 2, 1 / 3, 1 / 4]
        assert losses.get_shared_x_axes().joined(rewards, losses)
    said = read_axes(tmp_path / "c.png") or []
    assert [(axes.x, axes.y) for axes in said] == [
        ("Training step", label) for label in ("Reward", "Reward", "Loss", "Loss")
    ]


def test_a_log_of_one_part_has_one_panel(drawn: list[Figure], tmp_path: Path) -> None:
    rows = [row("grpo", n, **{OVERALL: 0.5}) for n in range(3)]
    reward_curve.draw_reward_curve(rows, record(idle=(0.0, None)), tmp_path / "c.png")
    assert len(drawn[0].axes) == 1
