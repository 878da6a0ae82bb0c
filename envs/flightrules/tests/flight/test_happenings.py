"""Events are told, anomalies are not: both on real flights of a real mission."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, replace

import numpy as np
import pytest

from flightrules.directives.directive import burn_only_in_contact, respond
from flightrules.directives.formula import SIGNALS
from flightrules.flight.command import Command
from flightrules.flight.flight import Flight
from flightrules.flight.happenings import (
    ANOMALIES,
    GAUGE,
    GYRO_BIAS,
    THRUSTER_WEAK,
    TRACKER_BLIND,
    Anomaly,
    Event,
)
from flightrules.flight.simulation import Simulation
from flightrules.missions.generator import generate
from flightrules.missions.mission import Mission

DRAWN = generate("retarget", "train", 0)[0]
CALM = replace(
    DRAWN,
    vehicle=replace(DRAWN.vehicle, bias=np.zeros(3), tracker_limits=np.array([2.0, 2.0, 1.0])),
)
"""A sound gyro, and stars wherever the spacecraft looks."""
END = CALM.horizon_s - 1
GYRO_JUMP = Anomaly(GYRO_BIAS, 150, END, 1, float(np.radians(0.3)))
BLIND = Anomaly(TRACKER_BLIND, 150, 400)
WEAK_PITCH = Anomaly(THRUSTER_WEAK, 150, END, 1, 0.6)
WRONG_GAUGE = Anomaly(GAUGE, 150, END, 0, -5.0)
DRIFT, RECOVER = Command("idle", "brake", 100), Command("idle", "recover", 120)
NOISE = 3.0 * float(np.degrees(CALM.vehicle.gyro_noise))
"""What a gyro cannot tell from nothing, deg/s; shares and percentages are as sharp here."""


def having(*anomalies: Anomaly) -> Mission:
    return replace(CALM, anomalies=anomalies)


def test_a_gyro_jump_is_measured_and_not_turned() -> None:
    jump = np.radians(0.3)
    sound, broken = Simulation(CALM), Simulation(having(Anomaly(GYRO_BIAS, 150, END, 1, jump)))
    for flight in (sound, broken):
        flight.fly(DRIFT)
    assert sound.state.tobytes() == broken.state.tobytes()
    for flight in (sound, broken):
        flight.fly(DRIFT)
    assert broken.state[4:7].tobytes() == sound.state[4:7].tobytes()
    assert broken.state[18] - sound.state[18] == pytest.approx(jump)


def gyro_off_deg_s(flight: Simulation) -> float:
    """How wrong the gyro is about pitch."""
    return float(np.degrees(flight.state[12] - flight.state[15]))


def thrust_lost(flight: Simulation) -> float:
    """Share of a pitch pulse that does not arrive."""
    trial = deepcopy(flight)
    trial.fly(Command("pitch+large", "detumble", 10))
    vehicle = flight.mission.vehicle
    impulse = 4.0 * (1.0 + flight.thrust_noise[flight.pulses]) * vehicle.pulse_torque_B[1]
    whole = np.linalg.solve(vehicle.inertia, impulse)
    return 1.0 - float((trial.state[5] - flight.state[5]) / whole[1])


def gauge_off_pct(flight: Simulation) -> float:
    """How wrong the propellant gauge is."""
    trial = deepcopy(flight)
    _, last = trial.fly(Command("idle", "detumble", 10))
    column = SIGNALS.index("propellant_pct")
    return float(trial.measured[last - 1, column] - trial.truth[last - 1, column])


def calibration_missed(flight: Simulation) -> float:
    """Whether a recalibration that is tried now would fail."""
    trial = deepcopy(flight)
    trial.fly(RECOVER)
    return 1.0 - (trial.calibrations - flight.calibrations)


@pytest.mark.parametrize(
    ("broken", "fault", "before", "after", "remark"),
    [
        (GYRO_JUMP, gyro_off_deg_s, 0.3, 0.0, "gyro recalibrated"),
        (BLIND, calibration_missed, 1.0, 1.0, "not recalibrated, too few stars seen"),
        (WEAK_PITCH, thrust_lost, 0.4, 0.4, "gyro recalibrated"),
        (WRONG_GAUGE, gauge_off_pct, -5.0, -5.0, "gyro recalibrated"),
    ],
    ids=ANOMALIES,
)
def test_what_recovering_cures(
    broken: Anomaly, fault: Callable[[Simulation], float], before: float, after: float, remark: str
) -> None:
    """The jump of a gyro, down to its noise, and nothing else; the time is gone in any case."""
    flight = Flight(having(broken))
    assert fault(flight.simulation) == pytest.approx(0.0, abs=NOISE)
    flight.execute(DRIFT)
    flight.execute(DRIFT)
    assert fault(flight.simulation) == pytest.approx(before, abs=NOISE)
    flight.execute(RECOVER)
    assert fault(flight.simulation) == pytest.approx(after, abs=NOISE)
    told = flight.telemetry()
    assert told.last_command == f"idle, 120 s flown, {remark}"
    assert (told.clock_s, told.decisions_left) == (320, CALM.decisions - 3)


def test_a_gyro_stays_wrong_while_the_tracker_is_blind() -> None:
    """And is cured once there are stars again: trying earlier was a waste of time."""
    flight = Flight(having(GYRO_JUMP, BLIND))
    off_deg_s = []
    for command in (DRIFT, DRIFT, RECOVER, DRIFT, RECOVER):
        flight.execute(command)
        off_deg_s.append(gyro_off_deg_s(flight.simulation))
    assert off_deg_s == pytest.approx([0.0, 0.3, 0.3, 0.3, 0.0], abs=NOISE)


@pytest.mark.parametrize("axis", range(3))
def test_a_weak_thruster_gives_its_share(axis: int) -> None:
    names = ("roll", "pitch", "yaw")
    weak = having(Anomaly(THRUSTER_WEAK, 0, END, axis, 0.5))
    for fired, name in enumerate(names):
        change = []
        for mission in (CALM, weak):
            flight = Simulation(mission)
            before = flight.state[4 + fired]
            flight.fly(Command(f"{name}+large", "detumble", 10))
            change.append(flight.state[4 + fired] - before)
        share = change[1] / change[0]
        assert share == pytest.approx(0.5 if fired == axis else 1.0, abs=0.02)


def test_a_wrong_gauge_is_shown_and_not_judged() -> None:
    flight = Flight(having(Anomaly(GAUGE, 150, END, 0, -5.0)))
    flight.execute(DRIFT)
    assert flight.telemetry().propellant_pct == 100.0
    flight.execute(DRIFT)
    assert flight.telemetry().propellant_pct == 95.0
    column = SIGNALS.index("propellant_pct")
    assert flight.simulation.truth[149:151, column].tolist() == [100.0, 100.0]
    assert flight.simulation.measured[149:151, column].tolist() == [100.0, 95.0]


def test_cutting_a_coast_at_an_anomaly_changes_nothing_else() -> None:
    """A jump of nothing in the middle of a burn leaves the same bits."""
    plain, cut = Simulation(CALM), Simulation(having(Anomaly(GYRO_BIAS, 2, END, 0, 0.0)))
    for flight in (plain, cut):
        flight.fly(Command("pitch+large", "slew", 60))
    assert plain.state.tobytes() == cut.state.tobytes()
    assert plain.truth.tobytes() == cut.truth.tobytes()


@pytest.mark.parametrize(
    ("broken", "symptom"),
    [
        (GYRO_JUMP, "rate_deg_s"),
        (BLIND, "error_deg"),
        (WEAK_PITCH, "rate_deg_s"),
        (WRONG_GAUGE, "propellant_pct"),
    ],
    ids=ANOMALIES,
)
def test_an_anomaly_shows_and_is_told_to_nobody(broken: Anomaly, symptom: str) -> None:
    """Nothing but measured numbers differs from the same flight without it, and those only from then on."""
    told = []
    for mission in (having(), having(broken)):
        flight = Flight(mission)
        for command in (DRIFT, DRIFT, Command("pitch+large", "brake", 60)):
            flight.execute(command)
            told.append(asdict(flight.telemetry()))
    sound, sick = told[:3], told[3:]
    assert sick[0] == sound[0]
    differing = {name for name in sound[2] if sick[2][name] != sound[2][name]}
    assert symptom in differing
    measured = {"rate_deg_s", "error_deg", "error_predicted_deg", "propellant_pct", "text"}
    assert differing <= measured


def test_an_alarm_is_told_once_and_contact_at_every_decision() -> None:
    orders = (
        *CALM.directives,
        respond("D8", phrasing=0, start_s=0, end_s=400, within_s=200, hold_s=60, rate_deg_s=0.1),
        burn_only_in_contact("D9", phrasing=0, start_s=0, end_s=400),
    )
    events = (Event("alarm", 130, 130), Event("contact", 0, 210))
    flight = Flight(
        replace(
            CALM,
            directives=orders,
            events=events,
            proof=replace(
                CALM.proof,
                idle_robustness=(*CALM.proof.idle_robustness, 1.0, 1.0),  # type: ignore[union-attr]
            ),
        )
    )
    seen = []
    for _ in range(4):
        telemetry = flight.telemetry()
        alarms = [message for message in telemetry.messages if message.startswith("alarm")]
        seen.append((telemetry.clock_s, alarms, telemetry.contact, "no contact" in telemetry.text))
        flight.execute(DRIFT)
    assert seen == [
        (0, [], True, False),
        (100, [], True, False),
        (200, ["alarm at 130 s"], True, False),
        (300, [], False, True),
    ]


def test_an_order_arrives_in_full_once_and_is_an_id_afterwards() -> None:
    late = CALM.directives[0].later(150)
    mission = replace(CALM, directives=(late, *CALM.directives[1:]))
    flight = Flight(mission)
    words = f"{late.id}: {late.text}"
    told = []
    for _ in range(4):
        telemetry = flight.telemetry()
        ids = [item["id"] for item in telemetry.directives]
        told.append((words in telemetry.messages, late.id in ids, late.text in telemetry.text))
        flight.execute(DRIFT)
    assert told == [
        (False, False, False),
        (False, False, False),
        (True, True, True),
        (False, True, False),
    ]


@pytest.mark.parametrize(
    ("build", "rule"),
    [
        (lambda: Event("burning", 0, 1), "signal must be one of alarm, contact, got 'burning'"),
        (lambda: Event("alarm", 5, 4), "0 <= start_s <= end_s, got 5 and 4"),
        (lambda: Anomaly("gremlins", 0, 1), "kind must be one of .*, got 'gremlins'"),
        (lambda: Anomaly(GAUGE, -1, 1), "0 <= start_s <= end_s, got -1 and 1"),
        (lambda: Anomaly(GYRO_BIAS, 0, 1, 3), "axis must be 0, 1 or 2, got 3"),
        (
            lambda: Anomaly(THRUSTER_WEAK, 0, 1, 0, 1.5),
            r"weak thruster must be in \(0, 1\], got 1.5",
        ),
    ],
)
def test_what_cannot_happen_is_refused(build: object, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        build()  # type: ignore[operator]
