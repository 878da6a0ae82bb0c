"""Plots from episodes and logs: what is drawn, how axes are called, and what stands for a directive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.records_made import estimate, evaluation_report, policy_result

from gonogo.plots import before_after, reward_curve, style
from gonogo.plots.metadata import read_axes
from gonogo.plots.telemetry import (
    clock_label,
    observations,
    orders_of,
    panels_of,
    read_order,
    series,
)
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.training import TrainingRow
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.summary import choose_pair

ORDERS = [
    "D1: Between 100 s and 200 s all thrusters stay silent.",
    "D2: You have until 300 s to hold pointing within 4.5 deg and every axis under 0.1 deg/s for 90 s.",
    "D3: At no time up to 400 s may propellant fall to 61 %.",
]


def telemetry(clock: float, status: str = "open", **fields: Any) -> dict[str, Any]:
    return {
        "clock_s": clock,
        "error_deg": None,
        "rate_deg_s": [0.1, -0.2, clock / 1000],
        "propellant_pct": 100.0 - clock / 10,
        "directives": [
            {"id": f"D{n}", "status": status, "time_left_s": end - clock}
            for n, end in ((1, 200), (2, 300), (3, 400))
        ],
        "messages": [] if clock else ORDERS,
        **fields,
    }


def flight(score: float = 0.5, **fields: Any) -> Episode:
    """A flight of four decisions with telemetry."""
    return Episode(
        0,
        {"split": "test", "index": 0},
        "x",
        "someone",
        turns=[Turn("", telemetry(100.0 * n, **fields), reward=0.0) for n in range(4)],
        episode_return=score,
        success=score > 0.5,
        final_observation=telemetry(400.0, "satisfied", **fields),
    )


def record(**policies: tuple[float, float | None]) -> EvaluationReport:
    given = {name: policy_result(estimate(*score)) for name, score in policies.items()}
    return evaluation_report(given, episodes=200)


OVERALL = "reward/overall"


def row(stage: str, step: int, **numbers: float) -> TrainingRow:
    return TrainingRow(stage=stage, step=step, numbers={**numbers})


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


def test_without_models_the_first_and_the_last_stand_in() -> None:
    assert choose_pair(["idle", "random", "oracle"]) == ("idle", "oracle")
    assert choose_pair(["a", "trained", "untrained"]) == ("untrained", "trained")


def test_the_task_shown_is_the_right_one_s_median_of_tasks_flown_by_both() -> None:
    right = [flight(score) for score in (0.9, 0.1, 0.5, 0.6, 1.0)]
    left = [flight(0.0) for _ in right]
    assert before_after.choose_task({"untrained": left, "trained": right}) == 3
    left[3].error = "lost"
    assert before_after.choose_task({"untrained": left, "trained": right}) == 2
    assert before_after.choose_task({"a": left[3:4], "b": right[3:4]}) is None


def test_directives_are_read_from_their_messages_and_statuses() -> None:
    quiet, settle, reserve = orders_of(flight())
    assert (quiet.start, quiet.end, quiet.quiet, quiet.limits) == (100, 200, True, {})
    assert (settle.end, settle.quiet) == (300, False)
    assert settle.limits == {"deg": 4.5, "deg/s": 0.1}
    assert (reserve.end, reserve.limits, reserve.status) == (400, {"%": 61.0}, "satisfied")


def test_words_without_numbers_give_a_window_alone() -> None:
    order = read_order("X", "Be good.", 0.0, 50.0, "open")
    assert (order.end, order.limits, order.quiet) == (50.0, {}, False)


def test_a_field_that_is_never_there_gets_no_panel() -> None:
    assert [p.field for p in panels_of([flight()])] == ["rate_deg_s", "propellant_pct"]
    pointed = flight(error_deg=[3.0, 4.0])
    assert panels_of([flight(), pointed])[0].field == "error_deg"
    clock, values = series(flight(), panels_of([pointed])[0])
    assert list(clock) == [0, 100, 200, 300, 400]
    assert np.isnan(values).all()
    assert values.shape == (5, 2)


def test_any_other_environment_is_drawn_by_reward_and_numbers() -> None:
    turns = [Turn("", {"word": "x", "left": n, "step_reward": 1.0}, reward=0.5) for n in range(3)]
    walk = Episode(0, {}, "x", "someone", turns=turns, final_observation={"left": 3})
    assert [p.field for p in panels_of([walk])] == ["reward", "left"]
    assert clock_label([walk]) == "Turn"
    assert len(observations(walk)) == 4
    assert orders_of(walk) == []
