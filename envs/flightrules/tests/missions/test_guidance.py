"""The law, case by case."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flightrules.directives.directive import (
    Directive,
    burn_only_in_contact,
    hold,
    never_faster,
    reach_and_settle,
    stay_quiet,
)
from flightrules.flight.command import COAST_MAX_S, Command
from flightrules.flight.happenings import Event
from flightrules.flight.simulation import Simulation
from flightrules.missions.demands import demands
from flightrules.missions.generator import candidate
from flightrules.missions.guidance import PULSES, Plan, choose, command_words
from flightrules.missions.oracle import Oracle

STEP = np.radians([0.05, 0.04, 0.03])
SETTLE = reach_and_settle("D1", phrasing=0, deadline_s=700, hold_s=90, rate_deg_s=0.1)
AIM = reach_and_settle("D1", phrasing=0, deadline_s=700, hold_s=90, rate_deg_s=0.1, error_deg=2.0)


def words(
    *orders: Directive,
    now: int = 0,
    rate_deg_s: tuple[float, float, float] = (0.0, 0.0, 0.0),
    error_deg: tuple[float, float] = (0.0, 0.0),
    events: tuple[Event, ...] = (),
) -> tuple[str, str]:
    """Burn and mode that the law chooses for orders that are all still open."""
    plan = Plan.of(demands(orders, events), STEP)
    error = np.radians(error_deg)
    pulse = choose(
        now, np.radians(rate_deg_s), error, float(np.hypot(*error)),
        np.ones(len(plan.states), bool), plan.states, plan.caps, plan.silent, plan.step,
    )  # fmt: skip
    return command_words(pulse)


@pytest.mark.parametrize(
    ("rate_deg_s", "expected"),
    [
        ((0.5, 0.1, 0.0), ("roll-large", "detumble")),
        ((0.0, -0.06, 0.0), ("pitch+small", "detumble")),
        ((0.0, 0.0, 0.036), ("yaw-small", "detumble")),
        ((0.036, 0.0, 0.0), ("roll-small", "detumble")),
        ((0.01, 0.01, -0.02), ("idle", "detumble")),
    ],
)
def test_the_worst_axis_gets_the_pulse_that_fits(
    rate_deg_s: tuple[float, float, float], expected: tuple[str, str]
) -> None:
    assert words(SETTLE, rate_deg_s=rate_deg_s) == expected


def test_a_third_of_a_pulse_is_a_trim() -> None:
    tight = hold("D1", phrasing=0, start_s=0, end_s=100, rate_deg_s=0.03)
    assert words(tight, rate_deg_s=(0.016, 0.0, 0.0)) == ("roll-small", "trim")


def test_it_turns_towards_the_target_and_stops_there() -> None:
    assert words(AIM, error_deg=(90.0, 0.0)) == ("pitch+large", "detumble")
    assert words(AIM, error_deg=(0.0, -90.0)) == ("yaw-large", "detumble")
    assert words(AIM, error_deg=(0.5, 0.0)) == ("idle", "detumble")
    assert words(SETTLE, error_deg=(90.0, 0.0)) == ("idle", "detumble")


def test_nothing_fires_in_silence_nor_just_before_it() -> None:
    spinning = (0.9, 0.0, 0.0)
    quiet = stay_quiet("D2", phrasing=0, start_s=100, end_s=200)
    for now, burns in ((90, True), (97, False), (150, False), (200, False), (201, True)):
        assert (words(SETTLE, quiet, now=now, rate_deg_s=spinning)[0] != "idle") is burns, now
    contact = burn_only_in_contact("D2", phrasing=0, start_s=100, end_s=200)
    events = (Event("contact", 120, 140),)
    for now, burns in ((110, False), (130, True), (150, False)):
        found = words(SETTLE, contact, now=now, rate_deg_s=spinning, events=events)
        assert (found[0] != "idle") is burns, now


def test_a_state_is_prepared_before_it_is_due_and_not_long_before() -> None:
    late = hold("D1", phrasing=0, start_s=3000, end_s=3100, rate_deg_s=0.1)
    spinning = (0.3, 0.0, 0.0)
    assert words(late, now=2000, rate_deg_s=spinning) == ("idle", "detumble")
    assert words(late, now=2800, rate_deg_s=spinning)[0] == "roll-large"
    unknown = late.later(2900)
    assert words(unknown, now=2800, rate_deg_s=spinning) == ("idle", "detumble")
    assert words(unknown, now=2900, rate_deg_s=spinning)[0] == "roll-large"


def test_a_forbidden_rate_slows_the_turn() -> None:
    """At 0.25 deg/s the turn is as fast as it should be, unless 0.2 deg/s are forbidden."""
    turning, far = (0.0, 0.25, 0.0), (30.0, 0.0)
    assert words(AIM, rate_deg_s=turning, error_deg=far) == ("idle", "detumble")
    never = never_faster("D2", phrasing=0, start_s=0, end_s=900, rate_deg_s=0.2)
    assert words(AIM, never, rate_deg_s=turning, error_deg=far)[0] == "pitch-large"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3))
def test_a_pulse_never_makes_the_worst_axis_worse(rate_deg_s: list[float]) -> None:
    burn, mode = words(SETTLE, rate_deg_s=(rate_deg_s[0], rate_deg_s[1], rate_deg_s[2]))
    if burn == "idle":
        assert np.abs(rate_deg_s).max() < 0.1
        return
    axis, sign, firing_s = Command(burn, mode, 10).pulse()
    after = math.radians(rate_deg_s[axis]) + sign * firing_s * STEP[axis]
    assert abs(after) < abs(math.radians(rate_deg_s[axis]))
    assert axis == int(np.argmax(np.abs(rate_deg_s)))


def test_every_pulse_is_a_legal_command() -> None:
    for number in range(6 * len(PULSES)):
        burn, mode = command_words(number)
        Command(burn, mode, 10).check()
    assert len({command_words(number) for number in range(18)}) == 18


def test_the_oracle_looks_ahead_without_touching_the_flight() -> None:
    """And what it foresees comes true: when a coast ends a pulse is due, unless a hold was completed meanwhile."""
    mission = candidate("precision_hold", "validation", 0, 0)
    flight, oracle = Simulation(mission), Oracle(mission)
    oracle.decide(flight)
    coast_s, foreseen = COAST_MAX_S, 0
    while flight.clock_s < flight.horizon_s:
        reached = oracle.reached.verdicts
        before = flight.state.copy(), flight.truth.copy(), flight.clock_s, flight.pulses
        command = oracle.decide(flight)
        after = flight.state, flight.truth, flight.clock_s, flight.pulses
        for old, new in zip(before, after, strict=True):
            np.testing.assert_array_equal(old, new)
        if coast_s < COAST_MAX_S and np.array_equal(reached, oracle.reached.verdicts):
            assert command.burn != "idle", flight.clock_s
            foreseen += 1
        coast_s = command.coast_s
        flight.fly(command)
    assert foreseen > 5
