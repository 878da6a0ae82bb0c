"""The semantics written down as slowly and plainly as possible, to judge the compiled monitor by.

Nothing is shared with the package but the syntax: no domains, no bands, no queues.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flightrules.directives.formula import (
    SIGNALS,
    Always,
    And,
    Atom,
    Eventually,
    Formula,
    Not,
    Or,
    Until,
)

Interval = tuple[float, float]
UNKNOWN: Interval = (-np.inf, np.inf)


def interval(formula: Formula, trace: NDArray[np.float64], t: int) -> Interval:
    """Lower and upper robustness at second ``t``; a second after the trace is unknown."""
    if isinstance(formula, Atom):
        if t >= len(trace):
            return UNKNOWN
        x = float(trace[t, SIGNALS.index(formula.signal)])
        value = formula.threshold - x if formula.op == "<" else x - formula.threshold
        return value, value
    if isinstance(formula, Not):
        lower, upper = interval(formula.f, trace, t)
        return -upper, -lower
    if isinstance(formula, And):
        return _least([interval(formula.f, trace, t), interval(formula.g, trace, t)])
    if isinstance(formula, Or):
        return _greatest([interval(formula.f, trace, t), interval(formula.g, trace, t)])
    seconds = range(t + formula.a, t + formula.b + 1)
    if isinstance(formula, Always):
        return _least([interval(formula.f, trace, s) for s in seconds])
    if isinstance(formula, Eventually):
        return _greatest([interval(formula.f, trace, s) for s in seconds])
    assert isinstance(formula, Until)
    return _greatest(
        [
            _least(
                [interval(formula.g, trace, s)]
                + [interval(formula.f, trace, k) for k in range(t, s)]
            )
            for s in seconds
        ]
    )


def _least(parts: list[Interval]) -> Interval:
    return min(p[0] for p in parts), min(p[1] for p in parts)


def _greatest(parts: list[Interval]) -> Interval:
    return max(p[0] for p in parts), max(p[1] for p in parts)
