"""The oracle: a planner that knows the truth, the noise to come, the orders and the events.

Owns the proof that a mission can be flown, the ceiling of every table and the traces of a perfect pilot. It plans for
any set of orders of the language (see :mod:`flightrules.missions.demands`): the states that are asked for now, or soon
enough that they have to be prepared, are flown to together, under their tightest limits. A phase-plane law picks the
rates that should be; one pulse a decision takes the worst axis towards them, and the drift after it lasts until the
next pulse is needed: found on a copy of the flight, exactly, since noise is part of the mission.

The law is the classic one of thruster control (B. Wie, *Space Vehicle Dynamics and Control*, 2nd edition, 2008,
section 7.3): far from the target turn at a constant rate, near it let the rate fall with the error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flightrules.directives.directive import Directive
from flightrules.directives.monitor import MonitorSet, Verdict
from flightrules.flight.command import AXES, COAST_MAX_S, COAST_MIN_S, Command
from flightrules.flight.simulation import Simulation
from flightrules.missions.demands import Demand, demands
from flightrules.missions.mission import Mission
from flightrules.physics.rotation import Vector, pointing

PULSES = (("large", "detumble", 4.0), ("small", "detumble", 1.0), ("small", "trim", 1.0 / 3.0))
"""The three pulses: size, mode, firing time in seconds."""
RATE_SHARE = 0.35
"""Share of the rate limit that a rate may be off before a pulse is worth it."""
TURN_SHARE = 0.25
"""Share of the wanted turning rate by which a rate may be off as well."""
AIM_SHARE = 0.4
"""Share of the pointing limit inside which the planner stops turning."""
CRUISE_SHARE, CRUISE_DEG_S, APPROACH_S = 2.0, 0.25, 60.0
"""Turning rate: this many times what the deadline needs, at least this fast, and no faster than this time constant."""


LOOSE_RATE_DEG_S = 0.15
"""Rate limit to settle under where only pointing is asked for."""
SLOW_S, TURN_S, TURN_SHARE_OF_CRUISE = 250, 400, 0.75
"""How long before its start a state is prepared: to slow down, s; to turn as well, s, beside the turn at this share of
the cruise rate."""
LONG_S, LONG_RATE_SHARE, HALF_PULSE = 120, 0.2, 0.6
"""A hold over this many seconds is kept to this share of its rate limit, or, where that is less, to this share of the
smallest pulse: a finer rate cannot be set."""
CAP_SHARE = 0.6
"""Share of a forbidden rate that the planner turns at."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What is flown to now.

    Attributes:
        rate_deg_s: Tightest rate limit to settle under.
        error_deg: Tightest pointing limit to settle under, or infinity.
        deadline_s: Second at which the first of the holds must have begun.
        long: Whether it has to be kept for long, so that what is nearly outside has to be brought back.
    """

    rate_deg_s: float
    error_deg: float
    deadline_s: int
    long: bool


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
        self.step = np.diag(mission.vehicle.pulse_torque_B) / np.diag(mission.vehicle.inertia)
        """(3,) rate that one second of firing gives each axis, rad/s."""

    def decide(self, flight: Simulation) -> Command:
        """The next command: at most one pulse, then a drift until the next one is needed.

        Args:
            flight: The flight so far; it is not changed.
        """
        self.reached.update(flight.truth[self.reached.seconds : flight.clock_s])
        if np.all(self.reached.verdicts == Verdict.SATISFIED) and not self._capped(flight):
            return Command("idle", "detumble", COAST_MAX_S)  # also where nothing is to be reached
        burn, mode = self._pulse(flight) or ("idle", "detumble")
        coast_s = COAST_MIN_S
        trial = flight.copy()
        trial.fly(Command(burn, mode, coast_s))
        while (
            coast_s < COAST_MAX_S and trial.clock_s < trial.horizon_s and self._pulse(trial) is None
        ):
            trial.fly(Command("idle", "detumble", COAST_MIN_S))
            coast_s += COAST_MIN_S
        return Command(burn, mode, coast_s)

    def _goal(self, flight: Simulation) -> Goal | None:
        """The states that are asked for now or have to be prepared, taken together."""
        live = [
            demand
            for demand, verdict in zip(
                self.asked.states, self.reached.verdicts.tolist(), strict=True
            )
            if verdict == Verdict.OPEN and self._is_live(demand, flight)
        ]
        if not live:
            return None
        first = min(live, key=lambda demand: demand.begin_by_s)
        rate = min(LOOSE_RATE_DEG_S, *(demand.rate_deg_s for demand in live))
        # What comes first and asks for no pointing is not to be turned through.
        pointed = math.isfinite(first.error_deg)
        error = min(demand.error_deg for demand in live) if pointed else math.inf
        return Goal(rate, error, first.begin_by_s, max(demand.hold_s for demand in live) > LONG_S)

    def _is_live(self, demand: Demand, flight: Simulation) -> bool:
        now = flight.clock_s
        if demand.given_s > now:
            return False
        if demand.start_s <= now:
            return True
        lead = float(SLOW_S)
        if math.isfinite(demand.error_deg):
            angle = math.degrees(pointing(flight.state[0:4], self.target_N, np.empty(2)))
            lead = TURN_S + angle / (TURN_SHARE_OF_CRUISE * CRUISE_DEG_S)
        lead += sum(
            max(min(last, demand.start_s) - max(first, now), 0) for first, last in self.asked.silent
        )
        return demand.start_s - now <= lead

    def _cap(self, now: int) -> float:
        """The rate that is forbidden now or soon, deg/s, or infinity."""
        rates = [
            cap.rate_deg_s
            for cap in self.asked.caps
            if cap.given_s <= now and cap.window[0] - SLOW_S <= now <= cap.window[1]
        ]
        return min(rates, default=math.inf)

    def _capped(self, flight: Simulation) -> bool:
        """Whether a forbidden rate is still ahead or in force."""
        return any(flight.clock_s <= cap.window[1] for cap in self.asked.caps)

    def _wanted(self, flight: Simulation, goal: Goal) -> Vector:
        """The rate (3,) that should be, rad/s: zero to settle, towards the target to turn."""
        wanted = np.zeros(3)
        if not math.isfinite(goal.error_deg):
            return wanted
        error = np.empty(2)
        angle = pointing(flight.state[0:4], self.target_N, error)
        if angle > AIM_SHARE * math.radians(goal.error_deg):
            rest = max(goal.deadline_s - flight.clock_s, 1)
            cruise = max(CRUISE_SHARE * angle / rest, math.radians(CRUISE_DEG_S))
            cruise = min(cruise, CAP_SHARE * math.radians(self._cap(flight.clock_s)))
            wanted[1:] = min(cruise / angle, 1.0 / APPROACH_S) * error
        return wanted

    def _tolerance(self, goal: Goal) -> float:
        """By how much a rate may be off before a pulse is worth it, rad/s."""
        if not goal.long:
            return RATE_SHARE * math.radians(goal.rate_deg_s)
        finest = HALF_PULSE * PULSES[-1][2] * float(self.step.max())
        return max(LONG_RATE_SHARE * math.radians(goal.rate_deg_s), finest)

    def _pulse(self, flight: Simulation) -> tuple[str, str] | None:
        """Burn and mode that the worst axis needs now, or None where a drift is as good."""
        now = flight.clock_s
        if any(first - 4 < now <= last for first, last in self.asked.silent):
            return None
        goal = self._goal(flight)
        if goal is None:
            wanted, tolerance = np.zeros(3), CAP_SHARE * math.radians(self._cap(now))
        else:
            wanted = self._wanted(flight, goal)
            tolerance = self._tolerance(goal)
            tolerance += TURN_SHARE * float(np.abs(wanted).max())
        change = wanted - flight.state[4:7]
        axis = int(np.argmax(np.abs(change)))
        if abs(change[axis]) < tolerance:
            return None
        sign = "+" if change[axis] > 0.0 else "-"
        left = {pulse: abs(abs(change[axis]) - pulse[2] * self.step[axis]) for pulse in PULSES}
        size, mode, _ = min(left, key=left.__getitem__)
        return f"{AXES[axis]}{sign}{size}", mode
