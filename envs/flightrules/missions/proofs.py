"""The fairness proof of a mission: the oracle succeeds, and nobody who does not look does.

Owns the panel of blind policies. Everything is flown on the mission's own physics and noise; nothing is assumed.
"""

from __future__ import annotations

import numpy as np

from flightrules.directives.monitor import MonitorSet, Verdict
from flightrules.flight.command import BURNS, COAST_MAX_S, MODES, Command, CommandError
from flightrules.flight.simulation import Simulation
from flightrules.missions.mission import Mission, Proof
from flightrules.missions.oracle import Oracle

COAST_GRID_S = (10, 20, 30, 60, 120, 300, 600)
"""Coasts at which idling and repeated burns are tried, s."""


def prove(mission: Mission) -> Proof | None:
    """Prove a candidate fair.

    Returns:
        The proof, or None where the mission is not fair: the oracle fails, or idling or a repeated burn succeeds, or
        ignoring a directive that idling fails succeeds all the same.
    """
    formulas = [directive.formula for directive in mission.directives]
    idle = _drift(mission)
    monitors = MonitorSet(formulas)
    monitors.update(idle.truth)
    active = monitors.lower <= 0.0
    # Drifting is the same flight at every coast; a mission cut short by its decisions can only lose windows.
    if not active.any():
        return None
    oracle = _succeeds(mission, tuple(range(len(formulas))))
    if oracle is None:
        return None
    for ignored in np.flatnonzero(active).tolist():
        others = tuple(k for k in range(len(formulas)) if k != ignored)
        if _satisfied_without(mission, others):
            return None
    if any(_blind_succeeds(mission, burn, mode, coast_s) for burn, mode, coast_s in _PANEL):
        return None
    return Proof(tuple(monitors.lower.tolist()), 100.0 - float(oracle.state[20]), oracle.decisions)


def _drift(mission: Mission) -> Simulation:
    """Drift through the whole mission."""
    flight = Simulation(mission)
    while flight.clock_s < mission.horizon_s:
        flight.fly(Command("idle", "safe_hold", COAST_MAX_S))
    return flight


def _fly_oracle(mission: Mission, wanted: tuple[int, ...]) -> Simulation:
    """Fly by an oracle that knows only the directives at ``wanted``."""
    oracle = Oracle(mission, [mission.directives[k].formula for k in wanted])
    flight = Simulation(mission)
    while flight.decisions < mission.decisions and flight.clock_s < mission.horizon_s:
        flight.fly(oracle.decide(flight))
    return flight


def _all_satisfied(mission: Mission, flight: Simulation) -> bool:
    monitors = MonitorSet([directive.formula for directive in mission.directives])
    monitors.update(flight.truth[: flight.clock_s])
    return bool(np.all(monitors.verdicts == Verdict.SATISFIED))


def _succeeds(mission: Mission, wanted: tuple[int, ...]) -> Simulation | None:
    flight = _fly_oracle(mission, wanted)
    return flight if _all_satisfied(mission, flight) else None


def _satisfied_without(mission: Mission, wanted: tuple[int, ...]) -> bool:
    """Whether an oracle that ignores the rest satisfies every directive all the same."""
    return _succeeds(mission, wanted) is not None


def _panel() -> tuple[tuple[str, str, int], ...]:
    """Every burn in every mode where it is legal, at each coast; flights that would be the same fly once."""
    seen: dict[tuple[str, float, int], tuple[str, str, int]] = {}
    for burn in BURNS[1:]:
        for mode in MODES:
            for coast_s in COAST_GRID_S:
                command = Command(burn, mode, coast_s)
                try:
                    command.check()
                except CommandError:
                    continue
                seen.setdefault((burn, command.pulse()[2], coast_s), (burn, mode, coast_s))
    return tuple(seen.values())


_PANEL = _panel()


def _blind_succeeds(mission: Mission, burn: str, mode: str, coast_s: int) -> bool:
    """Whether repeating one command to the end satisfies every directive.

    Stops as soon as a directive is violated: from there on nothing can succeed.
    """
    flight, command = Simulation(mission), Command(burn, mode, coast_s)
    monitors = MonitorSet([directive.formula for directive in mission.directives])
    while flight.decisions < mission.decisions and flight.clock_s < mission.horizon_s:
        first, last = flight.fly(command)
        if np.any(monitors.update(flight.truth[first:last]) == Verdict.VIOLATED):
            return False
    return bool(np.all(monitors.verdicts == Verdict.SATISFIED))
