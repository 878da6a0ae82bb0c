"""The law that flies for demands: which goal counts now, and which pulse the worst axis needs.

Owns the law, compiled, and the plan it reads. It knows times, rates and angles only, not where they come from: the
oracle feeds it the truth, a pilot with nothing but telemetry what it measures.

The law is the classic one of thruster control (B. Wie, *Space Vehicle Dynamics and Control*, 2nd edition, 2008,
section 7.3): far from the target turn at a constant rate, near it let the rate fall with the error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from flightrules.flight.command import AXES
from flightrules.missions.demands import Demands
from flightrules.physics.rotation import Vector

Table = NDArray[np.float64]
Flags = NDArray[np.bool_]

PULSES = (("large", "detumble", 4.0), ("small", "detumble", 1.0), ("small", "trim", 1.0 / 3.0))
"""The three pulses: size, mode, firing time in seconds."""
RATE_SHARE = 0.35
"""Share of the rate limit that a rate may be off before a pulse is worth it."""
TURN_SHARE = 0.25
"""Share of the wanted turning rate by which a rate may be off as well."""
AIM_SHARE = 0.4
"""Share of the pointing limit inside which the law stops turning."""
CRUISE_SHARE, CRUISE_RAD_S, APPROACH_S = 2.0, math.radians(0.25), 60.0
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
"""Share of a forbidden rate that the law turns at."""
VALVES_S = 4
"""No pulse is begun this close to silence, s: the longest one fires for so long."""

_FIRING_S = tuple(firing_s for _, _, firing_s in PULSES)


@dataclass(frozen=True, slots=True)
class Plan:
    """Demands as the compiled law reads them.

    Attributes:
        states: (n, 6) a row a state: ``given_s``, ``start_s``, ``begin_by_s``, ``hold_s``, ``rate_deg_s``,
            ``error_deg``; what is not limited is infinite.
        caps: (c, 4) a row a cap: ``given_s``, first and last second, deg/s.
        silent: (m, 2) first and last second of each silent window.
        step: (3,) rate that one second of firing gives each axis, rad/s.
    """

    states: Table
    caps: Table
    silent: Table
    step: Vector

    @staticmethod
    def of(asked: Demands, step: Vector) -> Plan:
        """The plan for demands, flown with rate steps (3,) rad/s."""
        states = [
            (each.given_s, each.start_s, each.begin_by_s, each.hold_s, each.rate_deg_s, each.error_deg)
            for each in asked.states
        ]  # fmt: skip
        caps = [(cap.given_s, *cap.window, cap.rate_deg_s) for cap in asked.caps]
        return Plan(
            np.array(states, float).reshape(-1, 6),
            np.array(caps, float).reshape(-1, 4),
            np.array(asked.silent, float).reshape(-1, 2),
            step,
        )


def command_words(pulse: int) -> tuple[str, str]:
    """Burn and mode of a pulse as :func:`choose` numbers them; ``idle`` where it says that none is needed."""
    if pulse < 0:
        return "idle", "detumble"
    axis, sign, kind = pulse // 6, pulse // 3 % 2, pulse % 3
    size, mode, _ = PULSES[kind]
    return f"{AXES[axis]}{'-+'[sign]}{size}", mode


@njit(cache=True)
def choose(
    now: int,
    rate_B: Vector,
    error_B: Vector,
    angle: float,
    open_states: Flags,
    states: Table,
    caps: Table,
    silent: Table,
    step: Vector,
) -> int:
    """The pulse that the worst axis needs now.

    Args:
        now: Mission clock, s.
        rate_B: (3,) rad/s.
        error_B: (2,) turn about pitch and about yaw that brings the boresight onto the target, rad.
        angle: Its size, rad.
        open_states: (n,) states of the plan that are still to be reached.
        states: See :class:`Plan`, as the other three.
        caps: Likewise.
        silent: Likewise.
        step: Likewise.

    Returns:
        ``6 axis + 3 (1 where the burn is positive) + place in PULSES``, or -1 where a drift is as good.
    """
    for k in range(len(silent)):
        if silent[k, 0] - VALVES_S < now <= silent[k, 1]:
            return -1
    cap = math.inf
    for k in range(len(caps)):
        if caps[k, 0] <= now and caps[k, 1] - SLOW_S <= now <= caps[k, 2]:
            cap = min(cap, caps[k, 3])
    cap = CAP_SHARE * math.radians(cap)

    # The states that are asked for now or have to be prepared, taken together: the tightest limits of any.
    first, longest = -1, 0.0
    rate_deg_s, error_deg = LOOSE_RATE_DEG_S, math.inf
    for k in range(len(states)):
        if not open_states[k] or not _is_live(now, angle, states[k], silent):
            continue
        if first < 0 or states[k, 2] < states[first, 2]:
            first = k
        longest = max(longest, states[k, 3])
        rate_deg_s = min(rate_deg_s, states[k, 4])
        error_deg = min(error_deg, states[k, 5])

    wanted = np.zeros(3)
    tolerance = cap
    if first >= 0:
        tolerance = _tolerance(rate_deg_s, longest, step)
        # What comes first and asks for no pointing is not to be turned through.
        if math.isfinite(states[first, 5]) and angle > AIM_SHARE * math.radians(error_deg):
            left_s = max(states[first, 2] - now, 1.0)
            cruise = min(max(CRUISE_SHARE * angle / left_s, CRUISE_RAD_S), cap)
            gain = min(cruise / angle, 1.0 / APPROACH_S)
            wanted[1] = gain * error_B[0]
            wanted[2] = gain * error_B[1]
            tolerance += TURN_SHARE * max(abs(wanted[1]), abs(wanted[2]))
    return _pulse(wanted - rate_B, tolerance, step)


@njit(cache=True)
def _is_live(now: int, angle: float, state: Vector, silent: Table) -> bool:
    """Whether a state is asked for now, or soon enough that it has to be prepared."""
    if state[0] > now:
        return False
    if state[1] <= now:
        return True
    lead_s = float(SLOW_S)
    if math.isfinite(state[5]):
        lead_s = TURN_S + angle / (TURN_SHARE_OF_CRUISE * CRUISE_RAD_S)
    for k in range(len(silent)):  # nothing can be prepared in silence
        lead_s += max(min(silent[k, 1], state[1]) - max(silent[k, 0], now), 0.0)
    return bool(state[1] - now <= lead_s)


@njit(cache=True)
def _tolerance(rate_deg_s: float, hold_s: float, step: Vector) -> float:
    """By how much a rate may be off before a pulse is worth it, rad/s."""
    if hold_s <= LONG_S:
        return RATE_SHARE * math.radians(rate_deg_s)
    finest = HALF_PULSE * _FIRING_S[-1] * step.max()
    return max(LONG_RATE_SHARE * math.radians(rate_deg_s), finest)


@njit(cache=True)
def _pulse(change: Vector, tolerance: float, step: Vector) -> int:
    """The pulse nearest to what the worst axis is off by, or -1 where that is tolerable."""
    axis = int(np.argmax(np.abs(change)))
    size = abs(change[axis])
    if size < tolerance:
        return -1
    best, least = 0, math.inf
    for kind in range(len(_FIRING_S)):
        left = abs(size - _FIRING_S[kind] * step[axis])
        if left < least:
            best, least = kind, left
    return 6 * axis + (3 if change[axis] > 0.0 else 0) + best
