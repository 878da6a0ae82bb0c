"""What breaks, as the telemetry shows it: each anomaly flown, and measured before, after, and after a ``recover``.

Nothing here is told to an agent. The spacecraft drifts, so that what changes between two measurements is the anomaly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np

from flightrules.flight.command import AXES, COAST_MAX_S, MODES, Command
from flightrules.flight.flight import Flight
from flightrules.flight.happenings import (
    ANOMALIES,
    GAUGE,
    GYRO_BIAS,
    THRUSTER_WEAK,
    TRACKER_BLIND,
    Anomaly,
)
from flightrules.missions.mission import Mission
from flightrules.missions.store import MissionStore

LEVEL, SPLIT = "precision_hold", "validation"
"""Where missions are looked for: this level draws every kind of anomaly."""
BEFORE_S, AFTER_S, RECOVER_S = 60, 100, 180
"""Measured so long before the anomaly begins, so long after, and after a recalibration of this length, s: a tracker is
blind for longer."""
CURED = 0.5
"""A symptom is cured where less than this share of the change is left."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """An anomaly's mark in the telemetry.

    Attributes:
        kind: One of `flightrules.flight.happenings.ANOMALIES`.
        mission: Address of the mission that was flown.
        anomaly: What happened there.
        before: The measure of the kind before it began.
        after: The same afterwards.
        recovered: The same after ``recover``.
        answer: What the telemetry said of that ``recover``.
    """

    kind: str
    mission: str
    anomaly: Anomaly
    before: float
    after: float
    recovered: float
    answer: str

    @property
    def cured(self) -> bool:
        """Whether ``recover`` brought the measure back."""
        return abs(self.recovered - self.before) < CURED * abs(self.after - self.before)


def in_words(anomaly: Anomaly) -> str:
    """What happened, with its size."""
    axis = AXES[anomaly.axis]
    words = {
        GYRO_BIAS: f"the {axis} gyro's bias jumps by {math.degrees(anomaly.size):+.3f} deg/s",
        TRACKER_BLIND: f"the star tracker sees nothing for {anomaly.end_s + 1 - anomaly.start_s} s",
        THRUSTER_WEAK: f"the {axis} thrusters keep {100.0 * anomaly.size:.0f} % of their thrust",
        GAUGE: f"the propellant gauge is off by {anomaly.size:+.1f} % of the load",
    }
    return words[anomaly.kind]


def gyro_error_deg_s(flight: Flight, anomaly: Anomaly) -> float:
    """Measured minus true rate about the anomaly's axis, deg/s."""
    true = math.degrees(flight.simulation.state[4 + anomaly.axis])
    return flight.telemetry().rate_deg_s[anomaly.axis] - true


def pointing_error_deg(flight: Flight, anomaly: Anomaly) -> float:
    """Measured minus true pointing error, deg."""
    last = flight.simulation.clock_s - 1
    measured, true = flight.simulation.measured[last, 0], flight.simulation.truth[last, 0]
    return float(measured - true)


def pulse_share(flight: Flight, anomaly: Anomaly) -> float:
    """Measured rate change of one large burn about the anomaly's axis, as a share of the nominal one; fires it."""
    axis, vehicle = anomaly.axis, flight.mission.vehicle
    nominal = np.diag(vehicle.pulse_torque_B)[axis] / np.diag(vehicle.inertia)[axis]
    before = flight.telemetry().rate_deg_s[axis]
    # Against the present rate, so that the spacecraft stays slow enough to see stars.
    sign = "-" if before > 0.0 else "+"
    flight.execute(Command(f"{AXES[axis]}{sign}large", "slew", 10))
    change = math.radians(abs(flight.telemetry().rate_deg_s[axis] - before))
    return float(change / (nominal * MODES["slew"].burn_s["large"]))


def gauge_error_pct(flight: Flight, anomaly: Anomaly) -> float:
    """Shown minus true propellant, percent of the load."""
    return flight.telemetry().propellant_pct - float(flight.simulation.state[20])


MEASURED: dict[str, tuple[Callable[[Flight, Anomaly], float], str]] = {
    GYRO_BIAS: (gyro_error_deg_s, "measured minus true rate about the axis, deg/s"),
    TRACKER_BLIND: (pointing_error_deg, "measured minus true pointing error, deg"),
    THRUSTER_WEAK: (pulse_share, "measured rate change of a large burn, share of the nominal"),
    GAUGE: (gauge_error_pct, "shown minus true propellant, % of the load"),
}
"""What each kind is measured by, also in words."""


def answer_to(command: Command, flight: Flight) -> str:
    """What the telemetry says of the last command beside that it was flown; empty where it says no more."""
    flown = f"{command.burn}, {command.coast_s} s flown"
    return flight.telemetry().last_command.removeprefix(flown).removeprefix(", ")


def drift(flight: Flight, until_s: int) -> None:
    """Drift, with the star tracker on, up to a second of the clock (a multiple of ten)."""
    while flight.simulation.clock_s < until_s:
        coast_s = min(until_s - flight.simulation.clock_s, COAST_MAX_S)
        flight.execute(Command("idle", "slew", coast_s))


def mission_with(kind: str, store: MissionStore) -> Mission:
    """The first mission on which a kind of anomaly happens."""
    missions = (store.task(SPLIT, index, LEVEL) for index in count())
    return next(mission for mission in missions if mission.anomalies[0].kind == kind)


def symptom(kind: str, store: MissionStore) -> Symptom:
    """Fly one kind of anomaly and measure it."""
    mission, (measure, _) = mission_with(kind, store), MEASURED[kind]
    (anomaly,) = mission.anomalies
    flight = Flight(mission)
    # A gauge shows no more than a full tank: some propellant has to be gone. The second burn undoes the first.
    for burn in ("roll+large", "roll-large"):
        flight.execute(Command(burn, "slew", 10))
    drift(flight, anomaly.start_s - BEFORE_S)
    before = measure(flight, anomaly)
    drift(flight, anomaly.start_s + AFTER_S)
    after = measure(flight, anomaly)
    recover = Command("idle", "recover", RECOVER_S)
    flight.execute(recover)
    answer = answer_to(recover, flight)
    address = f"{mission.level} {mission.split} {mission.index}"
    return Symptom(kind, address, anomaly, before, after, measure(flight, anomaly), answer)


def symptoms(store: MissionStore) -> list[Symptom]:
    """Every kind of anomaly, flown."""
    return [symptom(kind, store) for kind in ANOMALIES]
