"""The compiled numbers of a decision against the plain ones that they stand for."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from flightrules.flight.reckoning import PLACES, READ, read, reckon
from flightrules.physics.coast import DEGREES

rates = st.floats(-4.0, 4.0)
ties = st.integers(-40_000, 40_000).map(lambda n: (n + 0.5) / 10_000 / DEGREES)


def reading(rate_B: list[float], propellant: float, gauge_error: float) -> tuple[bool, list[float]]:
    """Whether it is sure, and the readings of a spacecraft that turns at a rate, rad/s."""
    state, readings = np.zeros(21), np.empty(2 * READ)
    state[7] = 1.0
    state[17:20], state[20] = rate_B, propellant
    sure = read(state, np.array([0.6, 0.8, 0.0]), 60.0, gauge_error, readings)
    return bool(sure), readings.tolist()


@settings(max_examples=500, deadline=None)
@given(st.lists(rates | ties, min_size=3, max_size=3), st.floats(-5.0, 120.0), st.floats(-9.0, 9.0))
def test_what_is_sure_is_rounded_as_python_rounds(
    rate_B: list[float], propellant: float, gauge_error: float
) -> None:
    sure, values = reading(rate_B, propellant, gauge_error)
    assert values[7] == min(max(propellant + gauge_error, 0.0), 100.0)
    if sure:
        expected = list(map(round, values[:READ], PLACES))
        assert list(map(str, values[READ:])) == list(map(str, expected))  # -0.0 is another text


def test_hardly_a_reading_is_not_sure_and_a_tie_is_not() -> None:
    rng = np.random.default_rng(0)
    drawn = [reading(rng.uniform(-1.0, 1.0, 3).tolist(), 50.0, 0.0)[0] for _ in range(2000)]
    assert sum(drawn) > 1980
    assert not reading([0.0, 0.0, 0.0], 50.0005, 0.0)[0]
    assert not reading([math.nan, 0.0, 0.0], 50.0, 0.0)[0]
    assert not reading([1e9, 0.0, 0.0], 50.0, 0.0)[0]


def test_orders_come_to_the_shares_of_their_definition() -> None:
    """Of A one of three is met, one is broken and one half gained; of K one of two is kept, none is broken."""
    verdicts = np.array([1, 0, -1, 0, 1])
    lower = np.array([0.1, -np.inf, -3.0, -np.inf, 2.0])
    state = np.array([9.0, -1.0, 9.0, 1.0, 2.0])
    idle = np.array([-2.0, -2.0, -2.0, 1.0, 1.0])
    needed = np.array([2.0, 2.0, 2.0, 1.0, 1.0])
    active, kept = np.array([0, 1, 2]), np.array([3, 4])
    asked = (verdicts, lower, state, active, kept, idle, needed)
    f, q, progress = reckon(*asked, True)
    assert (f, q, progress) == (1 / 3 * (1 / 2), 1.0 / 3, (1.0 + 0.5) / 3)
    assert reckon(*asked, False) == (f, q, 0.0)
    verdicts[3] = -1
    assert reckon(*asked, True) == (1 / 3 * (1 / 2), 1.0 / 3, (1.0 + 0.5) / 3 * (1 / 2))
    nothing = np.array([], np.int64)
    assert reckon(verdicts, lower, state, active, nothing, idle, needed, True)[0] == 1 / 3
