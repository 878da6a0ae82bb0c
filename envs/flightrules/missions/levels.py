"""What a level is: which spacecraft, which orders, what happens on the way.

Owns the draw of each level. A draw is a candidate and no more: whether it is fair is for
:mod:`flightrules.missions.proofs` to say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from flightrules.directives.directive import (
    Directive,
    burn_only_in_contact,
    hold,
    keep_reserve,
    never_faster,
    reach_and_settle,
    respond,
    stay_quiet,
)
from flightrules.directives.language import HOLD, KEEP_RESERVE, NEVER, phrasings
from flightrules.flight.happenings import (
    ANOMALIES,
    GYRO_BIAS,
    THRUSTER_WEAK,
    TRACKER_BLIND,
    Anomaly,
    Event,
)
from flightrules.missions.mission import Mission
from flightrules.missions.splits import COMPOSED, vehicle_ranges
from flightrules.physics.rotation import Vector, rotate
from flightrules.physics.vehicle import Vehicle, draw_vehicle, unit

LEFT_OUT = (KEEP_RESERVE, NEVER, HOLD)
"""Kinds of order of which a mission of ``train_compositions`` lacks one of the whole combination."""


def _attitude(rng: Generator) -> Vector:
    """A unit quaternion (4,) drawn evenly."""
    q = rng.normal(size=4)
    return np.asarray(q / np.linalg.norm(q))


def _target(rng: Generator, q_BN: Vector, least_deg: float, most_deg: float) -> Vector:
    """A direction (3,) in N, so many degrees away from the boresight (+x of B)."""
    boresight_N, inverse = np.empty(3), q_BN * np.array([1.0, -1.0, -1.0, -1.0])
    rotate(inverse, np.array([1.0, 0.0, 0.0]), boresight_N)
    side_N = np.cross(boresight_N, unit(rng))
    side_N /= np.linalg.norm(side_N)
    angle = math.radians(rng.uniform(least_deg, most_deg))
    return np.asarray(math.cos(angle) * boresight_N + math.sin(angle) * side_N)


def _reserve_pct(vehicle: Vehicle, change: Vector, factor: float, spare_pct: float) -> int:
    """What should be left, percent, after rate changes of ``change`` (3,) rad/s flown ``factor`` times as dearly."""
    step = np.diag(vehicle.pulse_torque_B) / np.diag(vehicle.inertia)
    used = float(np.sum(np.abs(change) / step)) * vehicle.flow_pct_s
    return 100 - math.ceil(factor * used + spare_pct)


def _tens(rng: Generator, first_s: int, last_s: int) -> int:
    """A multiple of ten seconds from ``first_s`` to ``last_s``, both included."""
    return 10 * int(rng.integers(first_s // 10, last_s // 10 + 1))


class _Orders:
    """Numbers directives and picks their words from the split's phrasings."""

    def __init__(self, rng: Generator, split: str) -> None:
        self.rng = rng
        self.held_out = split == "test_phrasings"
        self.directives: list[Directive] = []

    def give(
        self,
        build: Callable[..., Directive],
        *,
        at_s: int = 0,
        replaces: str | None = None,
        **limits: object,
    ) -> str:
        """Append a directive built with the next id and one of the phrasings of its kind; answers the id."""
        name = f"D{len(self.directives) + 1}"
        kind = build(name, phrasing=0, **limits).kind
        phrasing = int(self.rng.choice(phrasings(kind, self.held_out)))
        order = build(name, phrasing=phrasing, **limits)
        self.directives.append(order.later(at_s, replaces) if at_s else order)
        return name


def draw_detumble(rng: Generator, split: str, index: int) -> Mission:
    """Level 1: stop a tumble and keep it stopped, with propellant to spare.

    The gyro's bias is as large as the rate that is allowed: who believes the gyro fails often, who recalibrates it
    (mode ``recover``) seldom. `tests/validation/test_policies.py` holds the level to that.
    """
    vehicle = draw_vehicle(rng, vehicle_ranges(split, gyro_bias_deg_s=0.10))
    omega = np.radians(rng.uniform(-1.0, 1.0, 3))
    horizon_s, hold_s = 900, 120
    orders = _Orders(rng, split)
    deadline_s = _tens(rng, 700, 850)
    limit = float(rng.choice([0.080, 0.085, 0.090, 0.095, 0.100]))
    orders.give(reach_and_settle, deadline_s=deadline_s, hold_s=hold_s, rate_deg_s=limit)
    if split in COMPOSED:
        start_s = _tens(rng, 20, 80)
        orders.give(stay_quiet, start_s=start_s, end_s=start_s + 60)
    reserve = _reserve_pct(vehicle, omega, rng.uniform(1.4, 1.7), 6.0)
    orders.give(keep_reserve, end_s=horizon_s - 1, propellant_pct=reserve)
    return Mission(
        "detumble", split, index, vehicle, _attitude(rng), omega, np.zeros(3), horizon_s, 24,
        tuple(orders.directives), int(rng.integers(2**63)),
    )  # fmt: skip


def draw_retarget(rng: Generator, split: str, index: int) -> Mission:
    """Level 2: turn by 90 to 180 degrees onto a target and settle there, silent for a while on the way."""
    vehicle = draw_vehicle(rng, vehicle_ranges(split, gyro_bias_deg_s=0.03))
    omega = np.radians(rng.uniform(-0.05, 0.05, 3))
    attitude = _attitude(rng)
    horizon_s, hold_s = 1800, 90
    orders = _Orders(rng, split)
    deadline_s = _tens(rng, 1500, 1770)
    error_deg = float(rng.choice([2.0, 2.5, 3.0]))
    rate_deg_s = float(rng.choice([0.09, 0.10, 0.11, 0.12]))
    quiet = [_tens(rng, 30, 590)]
    if split in COMPOSED:
        quiet.append(quiet[0] + _tens(rng, 400, 540))
    for start_s in quiet:
        end_s = start_s + _tens(rng, 120, 290)
        orders.give(stay_quiet, start_s=start_s, end_s=end_s)
    orders.give(
        reach_and_settle,
        deadline_s=deadline_s, hold_s=hold_s, rate_deg_s=rate_deg_s, error_deg=error_deg,
    )  # fmt: skip
    reserve = _reserve_pct(vehicle, np.radians([0.1, 0.5, 0.5]), rng.uniform(2.0, 2.6), 6.0)
    orders.give(keep_reserve, end_s=horizon_s - 1, propellant_pct=reserve)
    return Mission(
        "retarget", split, index, vehicle, attitude, omega, _target(rng, attitude, 90.0, 180.0),
        horizon_s, 32, tuple(orders.directives), int(rng.integers(2**63)),
    )  # fmt: skip


def draw_anomaly(
    rng: Generator, start_s: int, end_s: int, kinds: tuple[str, ...] = ANOMALIES
) -> Anomaly:
    """An anomaly of one of the kinds, from a second on, to the end of the mission at the latest."""
    axis = int(rng.integers(3))
    sign = 1.0 if rng.random() < 0.5 else -1.0
    kind = str(rng.choice(kinds))
    if kind == GYRO_BIAS:
        return Anomaly(kind, start_s, end_s, axis, sign * math.radians(rng.uniform(0.06, 0.10)))
    if kind == TRACKER_BLIND:
        return Anomaly(kind, start_s, min(start_s + _tens(rng, 300, 500), end_s))
    if kind == THRUSTER_WEAK:
        return Anomaly(kind, start_s, end_s, axis, rng.uniform(0.5, 0.7))
    return Anomaly(kind, start_s, end_s, 0, sign * rng.uniform(3.0, 6.0))


def draw_precision_hold(rng: Generator, split: str, index: int) -> Mission:
    """Level 3: turn onto a target, then keep still on it while the camera is open, with something broken on the way."""
    vehicle = draw_vehicle(rng, vehicle_ranges(split, gyro_bias_deg_s=0.03))
    omega = np.radians(rng.uniform(-0.05, 0.05, 3))
    attitude = _attitude(rng)
    horizon_s = 2700
    orders = _Orders(rng, split)
    orders.give(
        reach_and_settle, deadline_s=_tens(rng, 1200, 1400), hold_s=60,
        rate_deg_s=float(rng.choice([0.09, 0.10, 0.11])), error_deg=float(rng.choice([2.0, 2.5, 3.0])),
    )  # fmt: skip
    reserve = _reserve_pct(vehicle, np.radians([0.1, 0.5, 0.5]), rng.uniform(2.4, 2.8), 5.0)
    orders.give(keep_reserve, end_s=horizon_s - 1, propellant_pct=reserve)
    orders.give(
        never_faster, start_s=0, end_s=horizon_s - 1, rate_deg_s=float(rng.choice([0.45, 0.5, 0.55]))
    )  # fmt: skip
    start_s = _tens(rng, 1900, 2100)
    orders.give(
        hold, at_s=_tens(rng, 900, 1200), start_s=start_s, end_s=start_s + _tens(rng, 300, 400),
        rate_deg_s=float(rng.choice([0.05, 0.06, 0.07])), error_deg=float(rng.choice([1.2, 1.5, 1.8])),
    )  # fmt: skip
    if split in COMPOSED:
        quiet_s = _tens(rng, 1420, 1500)
        orders.give(
            stay_quiet, at_s=_tens(rng, 1220, 1300), start_s=quiet_s, end_s=quiet_s + 150
        )  # fmt: skip
    broken = draw_anomaly(rng, _tens(rng, 1100, 1600), horizon_s - 1)
    return Mission(
        "precision_hold", split, index, vehicle, attitude, omega, _target(rng, attitude, 40.0, 100.0),
        horizon_s, 48, tuple(orders.directives), int(rng.integers(2**63)), (), (broken,),
    )  # fmt: skip


def draw_mission_ops(rng: Generator, split: str, index: int) -> Mission:
    """Level 4: detumble, coast in silence, retarget, notice that the gyro has jumped, hold precisely.

    The camera's order comes once, early, and is due twenty decisions later.
    """
    vehicle = draw_vehicle(rng, vehicle_ranges(split, gyro_bias_deg_s=0.05))
    omega = np.radians(rng.uniform(-0.6, 0.6, 3))
    attitude = _attitude(rng)
    horizon_s = 3600
    orders = _Orders(rng, split)
    orders.give(
        reach_and_settle, deadline_s=_tens(rng, 650, 750), hold_s=90,
        rate_deg_s=float(rng.choice([0.09, 0.10, 0.11])),
    )  # fmt: skip
    change = np.abs(omega) + np.radians([0.1, 0.5, 0.5])
    reserve = _reserve_pct(vehicle, change, rng.uniform(1.9, 2.2), 6.0)
    orders.give(keep_reserve, end_s=horizon_s - 1, propellant_pct=reserve)
    quiet_s = _tens(rng, 800, 900)
    silence = orders.give(stay_quiet, start_s=quiet_s, end_s=quiet_s + _tens(rng, 300, 400))
    start_s = _tens(rng, 2900, 3050)
    orders.give(
        hold, at_s=_tens(rng, 300, 500), start_s=start_s, end_s=start_s + _tens(rng, 300, 400),
        rate_deg_s=float(rng.choice([0.06, 0.07, 0.08])), error_deg=float(rng.choice([1.5, 1.8, 2.0])),
    )  # fmt: skip
    moved_s = quiet_s + _tens(rng, 30, 60)
    orders.give(
        stay_quiet, at_s=_tens(rng, 600, 700), replaces=silence,
        start_s=moved_s, end_s=moved_s + _tens(rng, 150, 200),
    )  # fmt: skip
    given_s = _tens(rng, 1000, 1100)
    orders.give(
        reach_and_settle, at_s=given_s, since_s=given_s,
        deadline_s=_tens(rng, 2200, 2350), hold_s=90,
        rate_deg_s=float(rng.choice([0.09, 0.10, 0.11])), error_deg=float(rng.choice([2.5, 3.0, 3.5])),
    )  # fmt: skip
    events: tuple[Event, ...] = ()
    if split in COMPOSED:
        first_s = _tens(rng, 2380, 2450)
        events = (
            Event("contact", 0, first_s + _tens(rng, 60, 120)),
            Event("contact", first_s + _tens(rng, 200, 260), horizon_s - 1),
        )
        orders.give(
            burn_only_in_contact,
            at_s=given_s + 100,
            start_s=first_s,
            end_s=first_s + 300,
        )
    else:
        sounded_s = given_s + _tens(rng, 150, 220)  # while it turns
        events = (Event("alarm", sounded_s, sounded_s),)
        orders.give(
            respond, at_s=_tens(rng, 850, 950), start_s=given_s, end_s=given_s + 600,
            within_s=_tens(rng, 160, 190), hold_s=60, rate_deg_s=float(rng.choice([0.10, 0.11, 0.12])),
        )  # fmt: skip
    jump = math.radians(rng.uniform(0.08, 0.12)) * (1.0 if rng.random() < 0.5 else -1.0)
    broken = Anomaly(GYRO_BIAS, _tens(rng, 2360, 2600), horizon_s - 1, int(rng.integers(3)), jump)
    return Mission(
        "mission_ops", split, index, vehicle, attitude, omega, _target(rng, attitude, 90.0, 150.0),
        horizon_s, 64, tuple(orders.directives), int(rng.integers(2**63)), events, (broken,),
    )  # fmt: skip


DRAW: dict[str, Callable[[Generator, str, int], Mission]] = {
    "detumble": draw_detumble,
    "retarget": draw_retarget,
    "precision_hold": draw_precision_hold,
    "mission_ops": draw_mission_ops,
}
"""The draw of each level."""


def in_part(mission: Mission, rng: Generator) -> Mission:
    """A part of a combination: the mission without one of its orders, drawn among those of :data:`LEFT_OUT`.

    What is to be reached and what makes the combination another one stay, so that training shows each order of a
    combination of ``test_compositions`` beside others of it, and never all together. Where the combination has no
    limit of the rates, one stands in the place of what is left out: a mission of as many orders is nothing new then.
    """
    orders = mission.directives
    places = [place for place, order in enumerate(orders) if order.kind in LEFT_OUT]
    gone = places[int(rng.integers(len(places)))]
    stand_in: tuple[Directive, ...] = ()
    if all(order.kind != NEVER for order in orders):
        fastest_deg_s = float(np.degrees(np.max(np.abs(mission.omega_BN_B))))
        stand_in = (
            never_faster(
                orders[gone].id, phrasing=int(rng.choice(phrasings(NEVER, held_out=False))),
                start_s=0, end_s=mission.horizon_s - 1,
                rate_deg_s=round(fastest_deg_s + float(rng.choice([0.45, 0.5, 0.55])), 2),
            ),
        )  # fmt: skip
    return replace(
        mission, directives=numbered_again((*orders[:gone], *stand_in, *orders[gone + 1 :]))
    )


def numbered_again(orders: Sequence[Directive]) -> tuple[Directive, ...]:
    """What is left of a mission's orders, numbered from 1; one whose forerunner is gone replaces nothing."""
    number = {order.id: f"D{place}" for place, order in enumerate(orders, 1)}
    return tuple(
        order.revised(
            id=number[order.id],
            replaces=None if order.replaces is None else number.get(order.replaces),
        )
        for order in orders
    )
