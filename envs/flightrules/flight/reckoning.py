"""The numbers of a decision, compiled: what the telemetry reads, and what the orders come to.

Owns their arithmetic. A decision asks for a few dozen numbers; each costs Python more than all of them cost here.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from flightrules.directives import kernel
from flightrules.directives.monitor import Floats, Ints
from flightrules.physics.coast import DEGREES, predict
from flightrules.physics.rotation import Vector, pointing

READ = 8
"""Readings: measured pitch and yaw error and the same predicted (deg), roll, pitch and yaw rate (deg/s), propellant
(percent)."""
PLACES = (3, 3, 3, 3, 4, 4, 4, 3)
"""Decimal places that each of them is shown with."""
_SCALES = tuple(10.0**places for places in PLACES)
_TIE, _EXACT = 0.49999, 1e9


@njit(cache=True)
def read(
    state: Vector, target_N: Vector, ahead_s: float, gauge_error_pct: float, readings: Vector
) -> bool:
    """Write the readings, and behind them the same rounded to their decimal places as Python's ``round`` does.

    A decimal of so few places is a whole number over a power of ten, and dividing the two gives the float next to it.
    Only the whole number may be in doubt: next to a tie, where the scaled value has itself been rounded.

    Args:
        state: (21,) state; only estimates, the measured rate and the propellant are read.
        target_N: (3,) unit vector to the target, or zeros: the errors mean nothing then.
        ahead_s: Length of the coast that is predicted, s.
        gauge_error_pct: By how much the gauge of the propellant is off, percent.
        readings: (16,) output.

    Returns:
        Whether every rounded reading is sure; if not, ``round`` has to be asked.
    """
    pointing(state[7:11], target_N, readings[0:2])
    predict(state, target_N, ahead_s, readings[2:4])
    for k in range(4):
        readings[k] = DEGREES * readings[k]
    for k in range(3):
        readings[4 + k] = DEGREES * state[17 + k]
    readings[7] = min(max(state[20] + gauge_error_pct, 0.0), 100.0)
    sure = True
    for k in range(READ):
        scaled = readings[k] * _SCALES[k]
        whole = np.rint(scaled)
        readings[READ + k] = whole / _SCALES[k]
        sure = sure and abs(scaled - whole) < _TIE and abs(whole) < _EXACT
    return sure


@njit(cache=True)
def reckon(
    verdicts: Ints,
    lower: Floats,
    state_robustness: Floats,
    active: Ints,
    kept: Ints,
    idle: Floats,
    needed: Floats,
    begun: bool,
) -> tuple[float, float, float]:
    """What orders come to if the flight ends now, see :class:`~flightrules.reward.outcome.Outcome`.

    Args:
        verdicts: (k,) verdicts of the orders; one that is open counts as violated.
        lower: (k,) their robustness.
        state_robustness: (k,) that of the last sample alone.
        active: Orders that idling fails.
        kept: Orders that idling satisfies.
        idle: (k,) robustness when idling.
        needed: (k,) how much more satisfaction needs.
        begun: Whether a decision was taken; there is no progress before.

    Returns:
        f, q and progress.
    """
    met, held, unbroken = 0, 0, 0
    gained, near = 0.0, 0.0
    for k in active:
        if verdicts[k] == kernel.SATISFIED:
            met += 1
            gained += 1.0
            near += 1.0
            continue
        gained += _share_of(lower[k] - idle[k], needed[k])
        if verdicts[k] != kernel.VIOLATED:
            near += _share_of(state_robustness[k] - idle[k], needed[k])
    for k in kept:
        held += verdicts[k] == kernel.SATISFIED
        unbroken += verdicts[k] != kernel.VIOLATED
    most = len(active)
    f = met / most * (held / len(kept) if len(kept) else 1.0)
    progress = near / most * (unbroken / len(kept) if len(kept) else 1.0) if begun else 0.0
    return f, gained / most, progress


@njit(cache=True)
def _share_of(gain: float, needed: float) -> float:
    """A gain as a share of what is needed, in [0, 1]; what is not a number stays so, and is refused as an outcome."""
    share = gain / needed
    if share < 0.0:
        return 0.0
    return 1.0 if share > 1.0 else share
