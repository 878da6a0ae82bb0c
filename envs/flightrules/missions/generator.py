"""Draws a mission from a level, a split and an index.

Owns what a level is. The same arguments give the same mission, in any process; a candidate that is not fair is drawn
again with the next attempt number, and the share of candidates that pass is the generator's acceptance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.random import Generator, SeedSequence

from flightrules.directives.directive import Directive, keep_reserve, reach_and_settle, stay_quiet
from flightrules.directives.language import phrasings
from flightrules.errors import MissionError
from flightrules.missions.mission import Mission
from flightrules.missions.proofs import prove
from flightrules.missions.splits import LEVELS, SPLITS, require_split, vehicle_ranges
from flightrules.physics.rotation import Vector, rotate
from flightrules.physics.vehicle import Vehicle, draw_vehicle, unit

GENERATOR_VERSION = 2
"""Part of the cache's key: raise it with every change that changes a mission or its proof."""
MAX_ATTEMPTS = 50
"""Candidates drawn before a mission is given up."""


def generate(level: str, split: str, index: int) -> tuple[Mission, int]:
    """The mission at an index, proved fair, and the number of candidates that were drawn for it.

    Raises:
        IndexError: If the split is unknown or the index negative.
        MissionError: If the level is unknown, or no candidate was fair.
    """
    for attempt in range(MAX_ATTEMPTS):
        mission = candidate(level, split, index, attempt)
        proof = prove(mission)
        if proof is not None:
            return replace(mission, proof=proof), attempt + 1
    raise MissionError(f"no fair {level} mission in {MAX_ATTEMPTS} candidates at {split} {index}")


def candidate(level: str, split: str, index: int, attempt: int) -> Mission:
    """One candidate, not proved.

    Raises:
        IndexError: If the split is unknown or the index negative.
        MissionError: If the level is unknown.
    """
    require_split(split)
    if index < 0:
        raise IndexError(f"index must be at least 0, got {index}")
    if level not in LEVELS:
        raise MissionError(f"level must be one of {', '.join(LEVELS)}, got {level!r:.60}")
    key = (SPLITS.index(split), LEVELS.index(level), index, attempt)
    rng = np.random.default_rng(SeedSequence(key))
    return _DRAW[level](rng, split, index)


def _attitude(rng: Generator) -> Vector:
    """A unit quaternion (4,) drawn evenly."""
    q = rng.normal(size=4)
    return np.asarray(q / np.linalg.norm(q))


def _reserve_pct(vehicle: Vehicle, change: Vector, factor: float, spare_pct: float) -> int:
    """What should be left, percent, after rate changes of ``change`` (3,) rad/s flown ``factor`` times as dearly."""
    step = np.diag(vehicle.pulse_torque_B) / np.diag(vehicle.inertia)
    used = float(np.sum(np.abs(change) / step)) * vehicle.flow_pct_s
    return 100 - math.ceil(factor * used + spare_pct)


class _Orders:
    """Numbers directives and picks their words from the split's phrasings."""

    def __init__(self, rng: Generator, split: str) -> None:
        self.rng = rng
        self.held_out = split == "test_phrasings"
        self.directives: list[Directive] = []

    def give(self, build: Callable[..., Directive], kind: str, **limits: object) -> None:
        """Append a directive built with the next id and one of the phrasings of its kind."""
        phrasing = int(self.rng.choice(phrasings(kind, self.held_out)))
        self.directives.append(build(f"D{len(self.directives) + 1}", phrasing=phrasing, **limits))


def _draw_detumble(rng: Generator, split: str, index: int) -> Mission:
    """Level 1: stop a tumble and keep it stopped, with propellant to spare.

    The gyro's bias is as large as the rate that is allowed: who believes the gyro fails a mission in three, who
    recalibrates it (mode ``recover``) does not.
    """
    vehicle = draw_vehicle(rng, vehicle_ranges(split, gyro_bias_deg_s=0.10))
    omega = np.radians(rng.uniform(-1.0, 1.0, 3))
    horizon_s, hold_s = 900, 120
    orders = _Orders(rng, split)
    deadline_s = 10 * int(rng.integers(70, 86))
    limit = float(rng.choice([0.080, 0.085, 0.090, 0.095, 0.100]))
    orders.give(
        reach_and_settle, "reach_and_settle", deadline_s=deadline_s, hold_s=hold_s, rate_deg_s=limit
    )
    if split == "test_compositions":
        start_s = 10 * int(rng.integers(2, 9))
        orders.give(stay_quiet, "stay_quiet", start_s=start_s, end_s=start_s + 60)
    reserve = _reserve_pct(vehicle, omega, rng.uniform(1.4, 1.7), 6.0)
    orders.give(keep_reserve, "keep_reserve", end_s=horizon_s - 1, propellant_pct=reserve)
    return Mission(
        "detumble", split, index, vehicle, _attitude(rng), omega, np.zeros(3), horizon_s, 24,
        tuple(orders.directives), int(rng.integers(2**63)),
    )  # fmt: skip


def _draw_retarget(rng: Generator, split: str, index: int) -> Mission:
    """Level 2: turn by 90 to 180 degrees onto a target and settle there, silent for a while on the way."""
    vehicle = draw_vehicle(rng, vehicle_ranges(split, gyro_bias_deg_s=0.03))
    omega = np.radians(rng.uniform(-0.05, 0.05, 3))
    attitude = _attitude(rng)
    horizon_s, hold_s = 1800, 90
    orders = _Orders(rng, split)
    deadline_s = 10 * int(rng.integers(150, 178))
    error_deg = float(rng.choice([2.0, 2.5, 3.0]))
    rate_deg_s = float(rng.choice([0.09, 0.10, 0.11, 0.12]))
    quiet = [10 * int(rng.integers(3, 60))]
    if split == "test_compositions":
        quiet.append(quiet[0] + 10 * int(rng.integers(40, 55)))
    for start_s in quiet:
        orders.give(
            stay_quiet,
            "stay_quiet",
            start_s=start_s,
            end_s=start_s + 10 * int(rng.integers(12, 30)),
        )
    orders.give(
        reach_and_settle, "reach_and_settle",
        deadline_s=deadline_s, hold_s=hold_s, rate_deg_s=rate_deg_s, error_deg=error_deg,
    )  # fmt: skip
    reserve = _reserve_pct(vehicle, np.radians([0.1, 0.5, 0.5]), rng.uniform(2.0, 2.6), 6.0)
    orders.give(keep_reserve, "keep_reserve", end_s=horizon_s - 1, propellant_pct=reserve)
    return Mission(
        "retarget", split, index, vehicle, attitude, omega, _target(rng, attitude), horizon_s, 32,
        tuple(orders.directives), int(rng.integers(2**63)),
    )  # fmt: skip


def _target(rng: Generator, q_BN: Vector) -> Vector:
    """A direction (3,) in N, 90 to 180 degrees away from the boresight (+x of B)."""
    boresight_N, inverse = np.empty(3), q_BN * np.array([1.0, -1.0, -1.0, -1.0])
    rotate(inverse, np.array([1.0, 0.0, 0.0]), boresight_N)
    side_N = np.cross(boresight_N, unit(rng))
    side_N /= np.linalg.norm(side_N)
    angle = math.radians(rng.uniform(90.0, 180.0))
    return np.asarray(math.cos(angle) * boresight_N + math.sin(angle) * side_N)


_DRAW: dict[str, Callable[[Generator, str, int], Mission]] = {
    "detumble": _draw_detumble,
    "retarget": _draw_retarget,
}
