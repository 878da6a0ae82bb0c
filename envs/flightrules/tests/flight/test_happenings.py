"""Events are told, anomalies are not: both on real flights of a real mission."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest

from flightrules.directives.directive import burn_only_in_contact, respond
from flightrules.directives.formula import SIGNALS
from flightrules.flight.command import Command
from flightrules.flight.flight import Flight
from flightrules.flight.happenings import (
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

CALM = generate("retarget", "train", 0)[0]
END = CALM.horizon_s - 1
DRIFT = Command("idle", "brake", 100)


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


def test_recovering_cures_a_gyro_jump() -> None:
    """And is a waste of time while the tracker is blind."""
    seeing = np.array([2.0, 2.0, 1.0])
    jump = Anomaly(GYRO_BIAS, 50, END, 2, np.radians(0.3))
    errors = {}
    for name, mission in (
        ("seeing", having(jump)),
        ("blind", having(jump, Anomaly(TRACKER_BLIND, 90, 400))),
    ):
        vehicle = replace(mission.vehicle, tracker_limits=seeing)
        flight = Flight(replace(mission, vehicle=vehicle))
        flight.execute(DRIFT)
        flight.execute(Command("idle", "recover", 120))
        state = flight.simulation.state
        errors[name] = float(np.degrees(abs(state[13] - state[16])))
        assert ("too few stars" in flight.telemetry().text) is (name == "blind")
    assert errors["seeing"] < 0.02
    assert errors["blind"] > 0.2


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


def test_nobody_is_told_of_an_anomaly() -> None:
    """Nothing but measured numbers may differ."""
    told = []
    for mission in (CALM, having(Anomaly(GYRO_BIAS, 50, END, 0, 0.1))):
        flight = Flight(mission)
        flight.execute(DRIFT)
        telemetry = asdict(flight.telemetry())
        for measured in ("rate_deg_s", "error_deg", "error_predicted_deg", "text"):
            del telemetry[measured]
        told.append(telemetry)
    assert told[0] == told[1]


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
