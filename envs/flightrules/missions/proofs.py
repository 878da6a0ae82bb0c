"""The fairness proof of a mission: the oracle succeeds, and nobody who does not look does.

Owns the panel of blind policies. Everything is flown on the mission's own physics and noise; nothing is assumed.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

import numpy as np

from flightrules.directives.formula import Always, Atom, Formula
from flightrules.directives.monitor import Verdict
from flightrules.directives.orders import Orders
from flightrules.flight.command import BURNS, COAST_MAX_S, MODES, Command, CommandError
from flightrules.flight.simulation import Simulation
from flightrules.missions.mission import Mission, Proof
from flightrules.missions.oracle import Oracle

BURN_COASTS_S = (60, 300)
"""Coasts at which every burn is repeated, s. Idling needs no grid: drifting is the same flight at every coast, and one
that its decisions cut short can only lose windows."""
RANDOM_FLIGHTS = 4
"""Flights of commands drawn at random."""


def prove(mission: Mission) -> Proof | None:
    """Prove a candidate fair.

    Returns:
        The proof, or None where the mission is not fair: the oracle fails, or idling, a repeated burn or a random
        flight succeeds, or ignoring a directive that idling fails succeeds all the same.
    """
    replaced = {directive.replaces for directive in mission.directives}
    standing = [item.formula for item in mission.directives if item.id not in replaced]
    idle = _drift(mission)
    monitors = Orders(mission.directives)
    monitors.update(idle.truth)
    active = monitors.lower <= 0.0
    if not active.any():
        return None
    oracle = _succeeds(mission, tuple(range(len(mission.directives))))
    if oracle is None:
        return None
    for ignored in np.flatnonzero(active).tolist():
        others = tuple(k for k in range(len(mission.directives)) if k != ignored)
        if _succeeds(mission, others) is not None:
            return None
    if any(_blind_succeeds(mission, command, standing) for command in _PANEL):
        return None
    if any(_random_succeeds(mission, number) for number in range(RANDOM_FLIGHTS)):
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
    oracle = Oracle(mission, [mission.directives[k] for k in wanted])
    flight = Simulation(mission)
    while flight.decisions < mission.decisions and flight.clock_s < mission.horizon_s:
        flight.fly(oracle.decide(flight))
    return flight


def _all_satisfied(mission: Mission, flight: Simulation) -> bool:
    monitors = Orders(mission.directives)
    monitors.update(flight.truth[: flight.clock_s])
    return bool(np.all(monitors.verdicts == Verdict.SATISFIED))


def _succeeds(mission: Mission, wanted: tuple[int, ...]) -> Simulation | None:
    flight = _fly_oracle(mission, wanted)
    return flight if _all_satisfied(mission, flight) else None


def _panel() -> tuple[Command, ...]:
    """Every burn in every mode where it is legal, at each coast; flights that would be the same fly once."""
    seen: dict[tuple[str, float, int], Command] = {}
    for burn in BURNS[1:]:
        for mode in MODES:
            for coast_s in BURN_COASTS_S:
                command = Command(burn, mode, coast_s)
                try:
                    command.check()
                except CommandError:
                    continue
                seen.setdefault((burn, command.pulse()[2], coast_s), command)
    return tuple(seen.values())


_PANEL = _panel()
_DRAWN = (*_PANEL, *(Command("idle", "safe_hold", coast_s) for coast_s in BURN_COASTS_S))


def _blind_succeeds(mission: Mission, command: Command, standing: list[Formula]) -> bool:
    """Whether repeating one command to the end satisfies every directive.

    Where arithmetic settles it for one of the ``standing`` orders, which nothing supersedes, nothing is flown.
    """
    if _cut_short(mission, command, standing) or _overspends(mission, command, standing):
        return False
    return _commands_succeed(mission, repeat(command))


def _random_succeeds(mission: Mission, number: int) -> bool:
    """Whether one flight of burns and drifts, drawn evenly from a stream of the mission's own, succeeds."""
    rng = np.random.default_rng([mission.noise_seed, number])
    drawn = rng.integers(len(_DRAWN), size=mission.decisions)
    return _commands_succeed(mission, (_DRAWN[place] for place in drawn.tolist()))


def _commands_succeed(mission: Mission, commands: Iterable[Command]) -> bool:
    """Whether commands flown blindly satisfy every directive; stops as soon as one is violated."""
    flight, monitors = Simulation(mission), Orders(mission.directives)
    for command in commands:
        if flight.decisions >= mission.decisions or flight.clock_s >= mission.horizon_s:
            break
        first, last = flight.fly(command)
        if np.any(monitors.update(flight.truth[first:last]) == Verdict.VIOLATED):
            return False
    return bool(np.all(monitors.verdicts == Verdict.SATISFIED))


def _cut_short(mission: Mission, command: Command, formulas: list[Formula]) -> bool:
    """Whether the decisions end before the last second that an ``always`` at the root reads: then it is violated."""
    flown_s = min(mission.decisions * command.coast_s, mission.horizon_s)
    return any(isinstance(formula, Always) and formula.b >= flown_s for formula in formulas)


def _overspends(mission: Mission, command: Command, formulas: list[Formula]) -> bool:
    """Whether the pulses alone break a reserve: the valves' flow is the same in every pulse."""
    burns = min(mission.decisions, -(-mission.horizon_s // command.coast_s))
    left = 100.0 - burns * command.pulse()[2] * mission.vehicle.flow_pct_s
    return any(
        isinstance(formula, Always)
        and formula.b >= mission.horizon_s - 1
        and isinstance(formula.f, Atom)
        and formula.f.signal == "propellant_pct"
        and formula.f.op == ">"
        and left < formula.f.threshold - 1e-6
        for formula in formulas
    )
