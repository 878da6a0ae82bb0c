"""The oracle: a planner that knows the truth, the noise to come and the formulas.

Owns the proof that a mission can be flown, the ceiling of every table and the traces of a perfect pilot.
A phase-plane law picks the rates that should be; one pulse a decision takes the worst axis towards them,
and the drift after it lasts until the next pulse is needed: found on a copy of the flight, exactly, since
noise is part of the mission.

The law is the classic one of thruster control (B. Wie, *Space Vehicle Dynamics and Control*, 2nd edition, 2008,
section 7.3): far from the target turn at a constant rate, near it let the rate fall with the error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flightrules.directives.formula import Always, And, Atom, Eventually, Formula
from flightrules.directives.monitor import MonitorSet, Verdict
from flightrules.flight.command import AXES, COAST_MAX_S, COAST_MIN_S, Command
from flightrules.flight.simulation import Simulation
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


@dataclass(frozen=True, slots=True)
class Goals:
    """What the formulas ask, as the planner needs it.

    Attributes:
        rate_deg_s: Tightest rate limit to settle under.
        error_deg: Tightest pointing limit to settle under, or infinity.
        deadline_s: Latest second at which the hold must have begun.
        quiet: Windows (first, last second) in which no thruster may fire.
    """

    rate_deg_s: float
    error_deg: float
    deadline_s: int
    quiet: tuple[tuple[int, int], ...]


def goals(formulas: Sequence[Formula]) -> Goals:
    """Read the goals off the formulas: settle limits, and windows without burning."""
    rate, error, deadline = math.inf, math.inf, 0
    quiet = []
    for formula in formulas:
        if isinstance(formula, Eventually):
            deadline = max(deadline, formula.b)
            for atom in _atoms(formula):
                if atom.signal == "rate_deg_s":
                    rate = min(rate, atom.threshold)
                elif atom.signal == "error_deg":
                    error = min(error, atom.threshold)
        elif (
            isinstance(formula, Always)
            and isinstance(formula.f, Atom)
            and formula.f.signal == "burning"
        ):
            quiet.append((formula.a, formula.b))
    return Goals(rate, error, deadline, tuple(quiet))


def _atoms(formula: Formula) -> list[Atom]:
    if isinstance(formula, Atom):
        return [formula]
    if isinstance(formula, And):
        return _atoms(formula.f) + _atoms(formula.g)
    if isinstance(formula, Always | Eventually):
        return _atoms(formula.f)
    return []


class Oracle:
    """Plans one decision at a time on the true state of a flight."""

    def __init__(self, mission: Mission, formulas: Sequence[Formula] | None = None) -> None:
        """Read the goals.

        Args:
            mission: The mission; it needs no proof.
            formulas: What to fly for, where that is not all of the mission's directives.
        """
        if formulas is None:
            formulas = [directive.formula for directive in mission.directives]
        self.goals = goals(formulas)
        self.reached = MonitorSet(
            [formula for formula in formulas if isinstance(formula, Eventually)]
        )
        self.target_N = mission.target_N
        self.aimed = math.isfinite(self.goals.error_deg)
        self.step = np.diag(mission.vehicle.pulse_torque_B) / np.diag(mission.vehicle.inertia)
        """(3,) rate that one second of firing gives each axis, rad/s."""

    def decide(self, flight: Simulation) -> Command:
        """The next command: at most one pulse, then a drift until the next one is needed.

        Args:
            flight: The flight so far; it is not changed.
        """
        self.reached.update(flight.truth[self.reached.seconds : flight.clock_s])
        if np.all(
            self.reached.verdicts == Verdict.SATISFIED
        ):  # also where there is nothing to reach
            return Command("idle", "detumble", COAST_MAX_S)
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

    def _wanted(self, flight: Simulation) -> Vector:
        """The rate (3,) that should be, rad/s: zero to settle, towards the target to turn."""
        wanted = np.zeros(3)
        if not self.aimed:
            return wanted
        error = np.empty(2)
        angle = pointing(flight.state[0:4], self.target_N, error)
        if angle > AIM_SHARE * math.radians(self.goals.error_deg):
            rest = max(self.goals.deadline_s - flight.clock_s, 1)
            cruise = max(CRUISE_SHARE * angle / rest, math.radians(CRUISE_DEG_S))
            wanted[1:] = min(cruise / angle, 1.0 / APPROACH_S) * error
        return wanted

    def _pulse(self, flight: Simulation) -> tuple[str, str] | None:
        """Burn and mode that the worst axis needs now, or None where a drift is as good."""
        now = flight.clock_s
        if any(first - 4 < now <= last for first, last in self.goals.quiet):
            return None
        wanted = self._wanted(flight)
        change = wanted - flight.state[4:7]
        axis = int(np.argmax(np.abs(change)))
        tolerance = RATE_SHARE * math.radians(self.goals.rate_deg_s) + TURN_SHARE * float(
            np.abs(wanted).max()
        )
        if abs(change[axis]) < tolerance:
            return None
        sign = "+" if change[axis] > 0.0 else "-"
        left = {pulse: abs(abs(change[axis]) - pulse[2] * self.step[axis]) for pulse in PULSES}
        size, mode, _ = min(left, key=left.__getitem__)
        return f"{AXES[axis]}{sign}{size}", mode
