"""The oracle: a planner that knows the truth, the noise to come, the orders and the events.

Owns the proof that a mission can be flown, the ceiling of every table and the traces of a perfect pilot. It plans for
any set of orders of the language (see :mod:`flightrules.missions.demands`) by the law of
:mod:`flightrules.missions.guidance`: one pulse a decision, and after it a drift until the next one is needed, which is
found on a copy of the flight, exactly, since noise is part of the mission.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from flightrules.directives.directive import Directive
from flightrules.directives.formula import SIGNALS
from flightrules.directives.monitor import MonitorSet, Verdict
from flightrules.flight.command import COAST_MAX_S, COAST_MIN_S, Command
from flightrules.flight.simulation import Simulation
from flightrules.missions.demands import demands
from flightrules.missions.guidance import Flags, Plan, Table, choose, command_words
from flightrules.missions.mission import Mission
from flightrules.physics.coast import Samples, coast
from flightrules.physics.rotation import Vector, pointing

_SIGNALS = len(SIGNALS)


class Oracle:
    """Plans one decision at a time on the true state of a flight."""

    def __init__(self, mission: Mission, orders: Sequence[Directive] | None = None) -> None:
        """Read the orders.

        Args:
            mission: The mission; it needs no proof.
            orders: What to fly for, where that is not all of the mission's directives.
        """
        self.asked = demands(mission.directives if orders is None else orders, mission.events)
        self.reached = MonitorSet([demand.formula for demand in self.asked.states])
        self.target_N = mission.target_N
        self.plan = Plan.of(
            self.asked, np.diag(mission.vehicle.pulse_torque_B) / np.diag(mission.vehicle.inertia)
        )

    def decide(self, flight: Simulation) -> Command:
        """The next command: at most one pulse, then a drift until the next one is needed.

        Args:
            flight: The flight so far; it is not changed.
        """
        self.reached.update(flight.truth[self.reached.seconds : flight.clock_s])
        verdicts = self.reached.verdicts
        if np.all(verdicts == Verdict.SATISFIED) and not self._capped(flight.clock_s):
            return Command("idle", "detumble", COAST_MAX_S)  # also where nothing is to be reached
        plan = self.plan
        asked = (verdicts == Verdict.OPEN, plan.states, plan.caps, plan.silent, plan.step)
        pulse = _choose(flight.state, flight.clock_s, self.target_N, *asked)
        burn, mode = command_words(pulse)
        torque_B, burn_s = flight.thrust(Command(burn, mode, COAST_MIN_S))
        coast_s = _drift_s(
            flight.state.copy(), flight.clock_s, torque_B, burn_s, flight.params, self.target_N,
            flight.noise[flight.clock_s : flight.clock_s + COAST_MAX_S], *asked,
        )  # fmt: skip
        return Command(burn, mode, coast_s)

    def _capped(self, now: int) -> bool:
        """Whether a forbidden rate is still ahead or in force."""
        return any(now <= cap.window[1] for cap in self.asked.caps)


@njit(cache=True)
def _choose(
    state: Vector,
    now: int,
    target_N: Vector,
    open_states: Flags,
    states: Table,
    caps: Table,
    silent: Table,
    step: Vector,
) -> int:
    """The law on the true state (21,) of a flight."""
    error_B = np.empty(2)
    angle = pointing(state[0:4], target_N, error_B)
    return int(choose(now, state[4:7], error_B, angle, open_states, states, caps, silent, step))


@njit(cache=True)
def _drift_s(
    state: Vector,
    start_s: int,
    torque_B: Vector,
    burn_s: float,
    params: Vector,
    target_N: Vector,
    noise: Samples,
    open_states: Flags,
    states: Table,
    caps: Table,
    silent: Table,
    step: Vector,
) -> int:
    """How long to drift after a pulse until the law wants the next, s, in steps of the shortest coast.

    Anomalies that begin on the way are not needed here: none but the thrust's, which the torque has in it, touches the
    true state.

    Args:
        state: (21,) true state; it is flown on.
        start_s: Mission clock, s.
        torque_B: (3,) torque of the pulse, N m.
        burn_s: How long it fires, s; less than the shortest coast.
        params: (50,) packed vehicle.
        target_N: (3,) unit vector to the target, or zeros.
        noise: (n, 9) of the seconds to come: n is what is left of the mission, or the longest coast.
        open_states: (n,) see :func:`flightrules.missions.guidance.choose`, as the rest.
        states: Likewise.
        caps: Likewise.
        silent: Likewise.
        step: Likewise.
    """
    truth = np.empty((COAST_MIN_S, _SIGNALS))
    measured = np.empty((COAST_MIN_S, _SIGNALS))
    drifted_s = 0
    while True:
        ahead = noise[drifted_s : drifted_s + COAST_MIN_S]
        firing_s = burn_s if drifted_s == 0 else 0.0
        coast(
            state, start_s + drifted_s, torque_B, firing_s, False, params, target_N, ahead,
            truth, measured,
        )  # fmt: skip
        drifted_s += COAST_MIN_S
        if drifted_s >= len(noise):
            return drifted_s
        now = start_s + drifted_s
        if _choose(state, now, target_N, open_states, states, caps, silent, step) >= 0:
            return drifted_s
