"""Random formulas and traces, shared by the property tests and the corpus script."""

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

LEVELS = 16
"""Signals and thresholds are small whole numbers over 4: exact in floats, ties are common."""


def random_formula(rng: np.random.Generator, depth: int, longest: int) -> Formula:
    """A formula of at most ``depth`` operators deep with bounds of at most ``longest`` seconds."""
    if depth == 0 or rng.random() < 0.15:
        signal = SIGNALS[rng.integers(len(SIGNALS))]
        op = "<" if rng.random() < 0.5 else ">"
        return Atom(signal, op, float(rng.integers(LEVELS)) / 4)
    kind = rng.integers(6)
    f = random_formula(rng, depth - 1, longest)
    if kind == 0:
        return Not(f)
    a, b = sorted(int(x) for x in rng.integers(0, longest + 1, 2))
    if kind == 1:
        return Always(a, b, f)
    if kind == 2:
        return Eventually(a, b, f)
    g = random_formula(rng, depth - 1, longest)
    if kind == 3:
        return And(f, g)
    if kind == 4:
        return Or(f, g)
    return Until(a, b, f, g)


def random_trace(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """(n, signals) random walks that stay among the thresholds of ``random_formula``."""
    steps = rng.integers(-2, 3, (n, len(SIGNALS)))
    walk = rng.integers(LEVELS, size=len(SIGNALS)) + np.cumsum(steps, axis=0)
    return np.abs((walk % (2 * LEVELS)) - LEVELS).astype(np.float64) / 4
