"""The world, the modes and the orders as tables, read off the code: its constants, and missions that it draws."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from flightrules.directives.directive import Directive
from flightrules.directives.formula import formula_to_text
from flightrules.directives.language import KINDS, SUPERSEDE, phrase, phrasings
from flightrules.flight.command import MODES
from flightrules.missions.generator import candidate
from flightrules.missions.mission import Mission
from flightrules.missions.splits import LEVELS, SPLITS
from flightrules.physics.disturbances import disturbance
from flightrules.physics.vehicle import EARTH_RADIUS_M

DRAWN = 50
"""Missions drawn of each level and split."""


def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    head = list(columns)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def drawn_missions() -> list[Mission]:
    """Missions of every level and split, not proved: what is drawn, not what can be flown."""
    return [
        candidate(level, split, index, 0)
        for level in LEVELS
        for split in SPLITS
        for index in range(DRAWN)
    ]


def world_table(missions: Sequence[Mission]) -> str:
    """What differs between missions, from the smallest value drawn to the largest."""
    found: dict[str, list[float]] = {}
    for mission in missions:
        for name, values in _quantities(mission):
            found.setdefault(name, []).extend(values)
    rows = ([name, _range(min(values), max(values))] for name, values in found.items())
    return table(("quantity", "drawn"), rows)


def _quantities(mission: Mission) -> Iterator[tuple[str, Sequence[float]]]:
    """What a mission was given, in the units that people think in."""
    vehicle = mission.vehicle
    torque = np.diag(vehicle.pulse_torque_B)
    step = np.degrees(torque / np.diag(vehicle.inertia))
    yield "principal moments of inertia, kg m²", np.linalg.eigvalsh(vehicle.inertia).tolist()
    yield "torque of a thruster pair, N m", torque.tolist()
    off = np.clip(torque / np.linalg.norm(vehicle.pulse_torque_B, axis=1), -1.0, 1.0)
    yield "misalignment of a pair, deg", np.degrees(np.arccos(off)).tolist()
    yield "noise of one burn's impulse (standard deviation), %", [100.0 * vehicle.thrust_noise]
    for size, mode in (("large", "detumble"), ("small", "detumble"), ("small", "trim")):
        burn_s = MODES[mode].burn_s[size]
        name = f"{size} burn in {mode}, {burn_s:.3g} s: "
        yield name + "rate change, deg/s", (burn_s * step).tolist()
        yield name + "propellant, % of the load", [burn_s * vehicle.flow_pct_s]
    yield "gyro bias at the start, deg/s", np.degrees(vehicle.bias).tolist()
    yield "growth of the gyro bias, deg/s per √s", [math.degrees(vehicle.bias_walk)]
    yield "noise of a gyro reading, deg/s", [math.degrees(vehicle.gyro_noise)]
    yield "noise of a star tracker reading, deg", [math.degrees(vehicle.tracker_noise)]
    sun, earth, fastest = vehicle.tracker_limits
    yield "star tracker: least angle to the Sun, deg", [math.degrees(math.acos(sun))]
    yield "star tracker: least angle to the Earth's centre, deg", [math.degrees(math.acos(earth))]
    yield "star tracker: fastest rate, deg/s", [math.degrees(fastest)]
    yield "altitude, km", [(vehicle.orbit[0] - EARTH_RADIUS_M) / 1000.0]
    torque_B = np.empty(3)
    disturbance(mission.q_BN, 0.0, vehicle.inertia, vehicle.body, vehicle.orbit, torque_B)
    yield "disturbance torque at the start, µN m", [1e6 * float(np.linalg.norm(torque_B))]
    yield "rate at the start about each axis, deg/s", np.degrees(mission.omega_BN_B).tolist()


def modes_table() -> str:
    """What each mode allows."""
    rows = []
    for name, mode in MODES.items():
        burns = [f"{size} ({mode.burn_s[size]:.3g} s)" for size in mode.sizes]
        tracker = "on" if mode.tracker_on else "off"
        rows.append([f"`{name}`", ", ".join(burns) or "none", str(mode.least_coast_s), tracker])
    return table(("mode", "burns (firing time)", "least coast, s", "star tracker"), rows)


def orders_table(missions: Sequence[Mission]) -> str:
    """Each kind of order: the formula and words of the first that was drawn, in a training and a held-out phrasing."""
    rows = []
    for kind in KINDS:
        order = _first_order(kind, missions)
        words = [
            phrase(order.formula, phrasings(kind, held_out)[0], order.replaces)
            for held_out in (False, True)
        ]
        rows.append([f"`{kind}`", f"`{formula_to_text(order.formula)}`", *words])
    return table(("kind", "formula", "in training", "held out"), rows)


def _first_order(kind: str, missions: Sequence[Mission]) -> Directive:
    """The first order of a kind; for a supersession, the first that replaces another."""
    orders = (item for mission in missions for item in mission.directives)
    if kind == SUPERSEDE:
        return next(item for item in orders if item.replaces is not None)
    return next(item for item in orders if item.kind == kind and item.replaces is None)


def _range(low: float, high: float) -> str:
    first, last = f"{low:.3g}", f"{high:.3g}"
    return first if first == last else f"{first} to {last}"
