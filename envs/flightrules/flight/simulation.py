"""The spacecraft in flight: state, clock, noise, and the 1 Hz signals that directives are judged on.

Owns the truth. Knows nothing of directives, telemetry or reward, so that a planner can copy it and look ahead. All
noise is drawn from the mission's own seed when the flight begins: the same commands give the same bits.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from flightrules.directives.formula import SIGNALS
from flightrules.flight.command import MODES, Command
from flightrules.flight.happenings import (
    GAUGE,
    GYRO_BIAS,
    THRUSTER_WEAK,
    TRACKER_BLIND,
    mark,
)
from flightrules.physics.coast import NOISE, STATE, Samples, coast
from flightrules.physics.rotation import Vector

if TYPE_CHECKING:
    from flightrules.missions.mission import Mission

PROPELLANT = SIGNALS.index("propellant_pct")
"""Column of the propellant in the signals."""
CALIBRATION_S = 60
"""Seconds of stars that a recalibration of the gyro needs."""
_NO_TORQUE = np.zeros(3)


class Simulation:
    """One flight's physics.

    Attributes:
        state: (21,) see :data:`flightrules.physics.coast.STATE`.
        clock_s: Mission clock, s.
        decisions: Commands flown.
        truth: (horizon, signals) true signals at 1 Hz, filled up to ``clock_s``; row k is the end of second k. Events
            are not caused by flying, so their columns are filled to the end.
        measured: (horizon, signals) the same signals as telemetry has them.
    """

    def __init__(self, mission: Mission) -> None:
        """Start a mission: draw all its noise, align the estimates with one star tracker fix."""
        self.mission = mission
        self.horizon_s = mission.horizon_s
        self.params = mission.vehicle.packed()
        self.pulse_torque_B = mission.vehicle.pulse_torque_B
        rng = np.random.default_rng(mission.noise_seed)
        self.noise = rng.standard_normal((mission.horizon_s, NOISE))
        self.thrust_noise = mission.vehicle.thrust_noise * rng.standard_normal(mission.decisions)
        self.calibration_noise = mission.vehicle.gyro_noise * rng.standard_normal(
            (mission.decisions, 3)
        )
        self._begin()

    def _begin(self) -> None:
        mission = self.mission
        self.clock_s = 0
        self.decisions = 0
        self.pulses = 0
        self.calibrations = 0
        self.truth: Samples = np.zeros((mission.horizon_s, len(SIGNALS)))
        mark(mission.events, self.truth)
        self.measured: Samples = self.truth.copy()
        self.state: Vector = np.zeros(STATE)
        self.state[0:4] = mission.q_BN
        self.state[4:7] = mission.omega_BN_B
        self.state[7:11] = mission.q_BN
        self.state[11:14] = mission.vehicle.bias
        self.state[17:20] = self.state[4:7] + self.state[11:14]
        self.state[20] = 100.0

    def rewound(self) -> Simulation:
        """A second flight of the mission from its start; the noise, which costs most, is not drawn again."""
        other = object.__new__(Simulation)
        other.__dict__.update(self.__dict__)
        other._begin()
        return other

    def fly(self, command: Command) -> tuple[int, int]:
        """Fly a legal command, cut at the end of the mission.

        Returns:
            First and one past the last second flown: the new rows of ``truth`` and ``measured``.
        """
        mode = MODES[command.mode]
        torque_B, burn_s = self.thrust(command)
        self.pulses += burn_s > 0.0
        first = self.clock_s
        last = min(first + command.coast_s, self.horizon_s)
        seen = 0
        for start, stop in pairwise(self._cuts(first, last)):
            self._break(start)
            seen += coast(
                self.state, start, torque_B, max(burn_s - (start - first), 0.0),
                mode.tracker_on and not self._is(TRACKER_BLIND, start), self.params,
                self.mission.target_N, self.noise[start:stop], self.truth[start:stop],
                self.measured[start:stop],
            )  # fmt: skip
            error_pct = self.gauge_error_pct(start)
            if error_pct:
                self.measured[start:stop, PROPELLANT] += error_pct
        self.clock_s = last
        self.decisions += 1
        if command.mode == "recover" and seen >= CALIBRATION_S:
            self.state[14:17] = self.state[11:14] + self.calibration_noise[self.calibrations]
            self.calibrations += 1
            # The measured rate that is shown next is read again with the new calibration.
            self.state[17:20] = self.state[4:7] + self.state[11:14] - self.state[14:17]
        return first, last

    def thrust(self, command: Command) -> tuple[Vector, float]:
        """Torque (3,) N m of the burn that a command would fire now, and for how long, s; zeros for ``idle``."""
        axis, sign, burn_s = command.pulse()
        if burn_s == 0.0:
            return _NO_TORQUE, 0.0
        force = sign * (1.0 + float(self.thrust_noise[self.pulses]))
        torque_B: Vector = force * self.pulse_torque_B[axis]
        if self.mission.anomalies:
            torque_B *= self._thrust_share(axis)
        return torque_B, burn_s

    def _cuts(self, first: int, last: int) -> list[int]:
        """``first``, the seconds in between at which an anomaly comes or goes, and ``last``."""
        if not self.mission.anomalies:
            return [first, last]
        inner: set[int] = set()
        for anomaly in self.mission.anomalies:
            inner |= {
                second for second in (anomaly.start_s, anomaly.end_s + 1) if first < second < last
            }
        return [first, *sorted(inner), last]

    def _break(self, second: int) -> None:
        """Let the anomalies that begin at a second happen."""
        for anomaly in self.mission.anomalies:
            if anomaly.kind == GYRO_BIAS and anomaly.start_s == second:
                self.state[11 + anomaly.axis] += anomaly.size

    def _is(self, kind: str, second: int) -> bool:
        return bool(self.mission.anomalies) and any(
            anomaly.kind == kind and anomaly.at(second) for anomaly in self.mission.anomalies
        )

    def _thrust_share(self, axis: int) -> float:
        """Share of its thrust that an axis' pair has now."""
        share = 1.0
        for anomaly in self.mission.anomalies:
            if anomaly.kind == THRUSTER_WEAK and anomaly.axis == axis and anomaly.at(self.clock_s):
                share *= anomaly.size
        return share

    def gauge_error_pct(self, second: int) -> float:
        """By how much the propellant gauge is off at a second, percent of the load."""
        if not self.mission.anomalies:
            return 0.0
        return sum(
            anomaly.size
            for anomaly in self.mission.anomalies
            if anomaly.kind == GAUGE and anomaly.at(second)
        )
