"""The fairness proof of a mission: the oracle succeeds, and nobody who does not look does.

Owns the panel of blind policies. Everything is flown on the mission's own physics and noise; nothing is assumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat

import numpy as np

from flightrules.directives.directive import Directive
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
    start = Simulation(mission)
    idle = _drift(start.rewound())
    monitors = Orders(mission.directives)
    monitors.update(idle.truth)
    active = monitors.lower <= 0.0
    if not active.any():
        return None
    oracle = _fly_oracle(start, mission.directives)
    if oracle is None:
        return None
    for ignored in np.flatnonzero(active).tolist():
        others = [item for k, item in enumerate(mission.directives) if k != ignored]
        if _fly_oracle(start, others) is not None:
            return None
    if any(_blind_succeeds(start, command, standing) for command in _PANEL):
        return None
    for number in range(RANDOM_FLIGHTS):
        if _succeeds(start.rewound(), random_commands(mission, number)):
            return None
    return Proof(tuple(monitors.lower.tolist()), 100.0 - float(oracle.state[20]), oracle.decisions)


def _drift(flight: Simulation) -> Simulation:
    """Drift through the whole mission."""
    while flight.clock_s < flight.horizon_s:
        flight.fly(Command("idle", "safe_hold", COAST_MAX_S))
    return flight


def _fly_oracle(start: Simulation, wanted: Sequence[Directive]) -> Simulation | None:
    """The flight of an oracle that knows only the directives ``wanted``, if it satisfies all of the mission's."""
    oracle, flight = Oracle(start.mission, wanted), start.rewound()
    return flight if _succeeds(flight, (oracle.decide(flight) for _ in repeat(None))) else None


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


def _blind_succeeds(start: Simulation, command: Command, standing: list[Formula]) -> bool:
    """Whether repeating one command to the end satisfies every directive.

    Where arithmetic settles it for one of the ``standing`` orders, which nothing supersedes, nothing is flown.
    """
    mission = start.mission
    if _cut_short(mission, command, standing) or _overspends(mission, command, standing):
        return False
    return _succeeds(start.rewound(), repeat(command))


def random_commands(mission: Mission, number: int) -> list[Command]:
    """Burns and drifts of one of the mission's random flights, drawn evenly from a stream of the mission's own.

    Args:
        mission: The mission; its noise seed names the stream.
        number: 0 up to :data:`RANDOM_FLIGHTS`, exclusive.
    """
    rng = np.random.default_rng([mission.noise_seed, number])
    return [_DRAWN[place] for place in rng.integers(len(_DRAWN), size=mission.decisions).tolist()]


def _succeeds(flight: Simulation, commands: Iterable[Command]) -> bool:
    """Whether commands satisfy every directive; flies them, and stops as soon as one is violated."""
    mission, monitors = flight.mission, Orders(flight.mission.directives)
    for command in commands:
        first, last = flight.fly(command)
        if np.any(monitors.update(flight.truth[first:last]) == Verdict.VIOLATED):
            return False
        if flight.decisions >= mission.decisions or flight.clock_s >= mission.horizon_s:
            break
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
