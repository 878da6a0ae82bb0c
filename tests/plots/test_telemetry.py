"""What an episode can be drawn by: panels, clocks, and what stands for a directive."""

from __future__ import annotations

import numpy as np
from tests.plots.drawing import flight

from gonogo.plots.telemetry import (
    clock_label,
    observations,
    orders_of,
    panels_of,
    read_order,
    series,
)
from gonogo.rollouts.episodes import Episode, Turn


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
