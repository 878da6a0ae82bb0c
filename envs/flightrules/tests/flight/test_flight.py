"""Flights: the rules of an episode, verdicts on the truth, telemetry that keeps it hidden, the outcome."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flightrules.directives.monitor import robustness
from flightrules.errors import MissionError
from flightrules.flight.command import BURNS, MODES, Command
from flightrules.flight.flight import Flight
from flightrules.flight.simulation import Simulation
from flightrules.missions.generator import generate
from flightrules.missions.mission import Mission
from flightrules.missions.oracle import Oracle

DETUMBLE = generate("detumble", "train", 0)[0]
RETARGET = generate("retarget", "train", 0)[0]
commands = st.builds(
    Command, st.sampled_from(BURNS), st.sampled_from(list(MODES)), st.integers(10, 600), st.just("")
)


def fly_oracle(mission: Mission) -> Flight:
    """A flight flown to its end by the oracle."""
    flight, oracle = Flight(mission), Oracle(mission)
    while not flight.done:
        flight.execute(oracle.decide(flight.simulation))
    return flight


@pytest.mark.parametrize("mission", [DETUMBLE, RETARGET], ids=["detumble", "retarget"])
def test_the_oracle_earns_full_marks(mission: Mission) -> None:
    """Success, everything legal, and its own propellant and decisions as the measure of efficiency."""
    flight = fly_oracle(mission)
    outcome = flight.outcome()
    assert flight.success
    assert not flight.timeout
    assert (outcome.f, outcome.q, outcome.legal_share, outcome.efficiency) == (1.0, 1.0, 1.0, 1.0)


@pytest.mark.parametrize("mission", [DETUMBLE, RETARGET], ids=["detumble", "retarget"])
def test_idling_earns_nothing(mission: Mission) -> None:
    """Idling gains no robustness beyond itself and satisfies nothing that counts."""
    flight = Flight(mission)
    while not flight.done:
        flight.execute(Command("idle", "safe_hold", 600))
    outcome = flight.outcome()
    assert flight.success is False
    assert (outcome.f, outcome.q) == (0.0, 0.0)


@settings(max_examples=40, deadline=None)
@given(st.lists(commands, min_size=1, max_size=40))
def test_verdicts_are_those_of_the_true_trace(plan: list[Command]) -> None:
    """Whatever is commanded, the flight's verdicts are the offline robustness of the whole true trace."""
    flight = Flight(DETUMBLE)
    for command in plan:
        if flight.done:
            break
        flight.execute(command)
    assert flight.decisions <= DETUMBLE.decisions
    truth = flight.simulation.truth[: flight.simulation.clock_s]
    expected = [float(robustness(item.formula, truth)[0]) for item in DETUMBLE.directives]
    np.testing.assert_array_equal(flight._true.lower, expected)
    if flight.done:
        assert flight.success is all(value > 0.0 for value in expected)


def test_ending_early_never_satisfies() -> None:
    """Decisions burnt on the shortest coast cut every open window: nothing is kept, nothing earned."""
    flight = Flight(DETUMBLE)
    while not flight.done:
        flight.execute(Command("idle", "detumble", 10))
    assert flight.timeout
    assert flight.success is False
    assert flight.outcome().f == 0.0


def test_an_illegal_command_costs_a_decision_and_is_explained() -> None:
    """It is not flown: the spacecraft drifts, the telemetry says why, and the share of legal commands falls."""
    flight = Flight(DETUMBLE)
    flight.execute(Command("roll+large", "trim", 60))
    telemetry = flight.telemetry()
    assert telemetry.last_command == "refused: mode trim allows small burns, got roll+large"
    assert telemetry.last_command in telemetry.text
    assert telemetry.clock_s == 10
    assert telemetry.propellant_pct == 100.0
    assert telemetry.decisions_left == DETUMBLE.decisions - 1
    assert flight.outcome().legal_share == 0.0
    flight.execute(Command("idle", "hold", 60))
    assert flight.outcome().legal_share == 0.5


def test_directives_come_in_full_once() -> None:
    """The words arrive with the first observation; afterwards only id, status and time left."""
    flight = Flight(RETARGET)
    first = flight.telemetry()
    flight.execute(Command("idle", "hold", 60))
    second = flight.telemetry()
    for item in RETARGET.directives:
        assert f"{item.id}: {item.text}" in first.text
        assert item.text not in second.text
        assert f"{item.id} open {(item.end_s - 60) // 60:02d} min" in second.text
    assert second.messages == []


def test_a_note_is_kept_and_shown_until_the_next() -> None:
    """What the agent writes comes back, and an empty note leaves it standing."""
    flight = Flight(DETUMBLE)
    flight.execute(Command("idle", "hold", 60, "first roll, then yaw"))
    assert "note: first roll, then yaw" in flight.telemetry().text
    flight.execute(Command("idle", "hold", 60))
    assert flight.telemetry().note == "first roll, then yaw"


def test_telemetry_never_reads_the_truth() -> None:
    """Two flights that differ only in the truth behind equal estimates show the same telemetry."""
    flight, other = Flight(RETARGET), Flight(RETARGET)
    other.simulation.state[0:7] += 0.1
    other.simulation.state[11:14] += 1e-3
    assert asdict(flight.telemetry()) == asdict(other.telemetry())


def test_recover_calibrates_the_gyro_where_stars_are_seen() -> None:
    """With stars the bias goes, without it stays; the telemetry says which."""
    vehicle = DETUMBLE.vehicle
    seeing = replace(vehicle, tracker_limits=np.array([2.0, 2.0, 1.0]))
    blind = replace(vehicle, tracker_limits=np.array([-2.0, -2.0, 1.0]))
    for tracker, remark in (
        (seeing, "gyro recalibrated"),
        (blind, "not recalibrated, too few stars seen"),
    ):
        flight = Flight(replace(DETUMBLE, vehicle=tracker))
        flight.execute(Command("idle", "recover", 120))
        state = flight.simulation.state
        error = float(np.degrees(np.abs(state[11:14] - state[14:17]).max()))
        assert remark in flight.telemetry().text
        assert (error < 0.02) is (tracker is seeing)


def test_the_tracker_is_off_in_detumble_mode() -> None:
    """Under the same stars the attitude estimate drifts in one mode and not in the other."""
    vehicle = replace(RETARGET.vehicle, tracker_limits=np.array([2.0, 2.0, 1.0]))
    errors = {}
    for mode in ("detumble", "slew"):
        flight = Simulation(replace(RETARGET, vehicle=vehicle))
        flight.fly(Command("idle", mode, 600))
        errors[mode] = abs(float(flight.state[0:4] @ flight.state[7:11]))
    assert errors["slew"] > 1.0 - 1e-6
    assert errors["detumble"] < errors["slew"]


def test_trim_fires_a_third_of_a_small_pulse() -> None:
    """The mode sets the firing time, so propellant and impulse follow it."""
    used = {}
    for mode in ("detumble", "trim"):
        flight = Simulation(DETUMBLE)
        flight.fly(Command("roll+small", mode, 10))
        used[mode] = 100.0 - flight.state[20]
    assert used["trim"] == pytest.approx(used["detumble"] / 3.0)


def test_an_empty_tank_fires_nothing() -> None:
    """Propellant stops at zero and the rate stays as it was."""
    flight = Simulation(replace(DETUMBLE, decisions=60, horizon_s=3600))
    for _ in range(40):
        flight.fly(Command("roll+large", "slew", 10))
    assert flight.state[20] == pytest.approx(0.0, abs=1e-9)
    before = flight.state[4]
    flight.fly(Command("roll+large", "slew", 10))
    assert flight.truth[flight.clock_s - 1, 3] == 0.0
    assert flight.state[4] == pytest.approx(before, rel=0.2)


def test_a_flight_needs_a_proof() -> None:
    """The reward's reference points come from it."""
    with pytest.raises(MissionError, match="proved fair"):
        Flight(replace(DETUMBLE, proof=None))


def test_a_rewound_flight_is_the_mission_flown_anew() -> None:
    """To the bit, and on its own: the flight it comes from stays where it is."""
    flight = Simulation(DETUMBLE)
    plan = [Command("roll+small", "detumble", 30), Command("idle", "recover", 200)]
    for command in plan:
        flight.fly(command)
    truth, measured, state = flight.truth.copy(), flight.measured.copy(), flight.state.copy()
    again = flight.rewound()
    assert (again.clock_s, again.decisions, again.pulses, again.calibrations) == (0, 0, 0, 0)
    for command in plan:
        again.fly(command)
    again.fly(Command("yaw+large", "detumble", 600))
    np.testing.assert_array_equal(again.truth[:230], truth[:230])
    np.testing.assert_array_equal(again.measured[:230], measured[:230])
    np.testing.assert_array_equal(flight.state, state)
    np.testing.assert_array_equal(flight.truth, truth)
    assert flight.clock_s == 230
