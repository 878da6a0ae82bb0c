"""The training curve: parts side by side, components, baseline, losses below."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from tests.plots.drawing import record

from gonogo.plots import reward_curve
from gonogo.plots.metadata import read_axes
from gonogo.records.training import TrainingRow

OVERALL = "reward/overall"


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
