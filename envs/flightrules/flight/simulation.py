"""The spacecraft in flight: state, clock, noise, and the 1 Hz signals that directives are judged on.

Owns the truth. Knows nothing of directives, telemetry or reward, so that a planner can copy it and look ahead. All
noise is drawn from the mission's own seed when the flight begins: the same commands give the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flightrules.flight.command import MODES, Command
from flightrules.physics.coast import NOISE, STATE, Samples, coast
from flightrules.physics.rotation import Vector

if TYPE_CHECKING:
    from flightrules.missions.mission import Mission

SIGNAL_COUNT = 4
"""Signals at 1 Hz: pointing error (deg), largest rate (deg/s), propellant (%), burning (0 or 1)."""
CALIBRATION_S = 60
"""Seconds of stars that a recalibration of the gyro needs."""
_NO_TORQUE = np.zeros(3)


class Simulation:
    """One flight's physics.

    Attributes:
        state: (21,) see :data:`flightrules.physics.coast.STATE`.
        clock_s: Mission clock, s.
        decisions: Commands flown.
        truth: (horizon, 4) true signals, filled up to ``clock_s``; row k is the end of second k.
        measured: (horizon, 4) the same signals as telemetry has them.
    """

    def __init__(self, mission: Mission) -> None:
        """Start a mission: draw all its noise, align the estimates with one star tracker fix."""
        self.mission = mission
        self.clock_s = 0
        self.horizon_s = mission.horizon_s
        self.params = mission.vehicle.packed()
        self.pulse_torque_B = mission.vehicle.pulse_torque_B
        rng = np.random.default_rng(mission.noise_seed)
        self.noise = rng.standard_normal((mission.horizon_s, NOISE))
        self.thrust_noise = mission.vehicle.thrust_noise * rng.standard_normal(mission.decisions)
        self.calibration_noise = mission.vehicle.gyro_noise * rng.standard_normal(
            (mission.decisions, 3)
        )
        self.decisions = 0
        self.pulses = 0
        self.calibrations = 0
        self.truth: Samples = np.zeros((mission.horizon_s, SIGNAL_COUNT))
        self.measured: Samples = np.zeros((mission.horizon_s, SIGNAL_COUNT))
        self.state: Vector = np.zeros(STATE)
        self.state[0:4] = mission.q_BN
        self.state[4:7] = mission.omega_BN_B
        self.state[7:11] = mission.q_BN
        self.state[11:14] = mission.vehicle.bias
        self.state[17:20] = self.state[4:7] + self.state[11:14]
        self.state[20] = 100.0

    def copy(self) -> Simulation:
        """A second flight that goes on from here on its own, to look ahead.

        Noise and parameters are shared, they never change; the signals of the past are not copied.
        """
        other = object.__new__(Simulation)
        other.__dict__.update(self.__dict__)
        other.state = self.state.copy()
        other.truth = np.empty_like(self.truth)
        other.measured = np.empty_like(self.measured)
        return other

    def fly(self, command: Command) -> tuple[int, int]:
        """Fly a legal command, cut at the end of the mission.

        Returns:
            First and one past the last second flown: the new rows of ``truth`` and ``measured``.
        """
        mode = MODES[command.mode]
        axis, sign, burn_s = command.pulse()
        torque_B = _NO_TORQUE
        if burn_s > 0.0:
            torque_B = (sign * (1.0 + self.thrust_noise[self.pulses])) * self.pulse_torque_B[axis]
            self.pulses += 1
        first = self.clock_s
        last = min(first + command.coast_s, self.horizon_s)
        seen = coast(
            self.state, first, torque_B, burn_s, mode.tracker_on, self.params, self.mission.target_N,
            self.noise[first:last], self.truth[first:last], self.measured[first:last],
        )  # fmt: skip
        self.clock_s = last
        self.decisions += 1
        if command.mode == "recover" and seen >= CALIBRATION_S:
            self.state[14:17] = self.state[11:14] + self.calibration_noise[self.calibrations]
            self.calibrations += 1
            # The measured rate that is shown next is read again with the new calibration.
            self.state[17:20] = self.state[4:7] + self.state[11:14] - self.state[14:17]
        return first, last
