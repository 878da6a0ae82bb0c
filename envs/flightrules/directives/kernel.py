"""The compiled core of the monitor: one pass over the nodes of a program for new samples.

It owns the arithmetic and knows arrays of floats and integers only; ``monitor`` builds the program
and checks what comes in. A *program* is a table with one row a formula node, children before their
parent, so that no formula ever needs compiling anew.

Each node has a *domain*: the seconds ``lo .. lo + size - 1`` at which its parent will ask for it.
Over its domain it holds an interval ``[lower, upper]`` of the robustness that it can still take
(Deshmukh et al., "Robust Online Monitoring of Signal Temporal Logic", 2017): a future atom is
``[-inf, +inf]``. After ``n`` samples a node's values are

* *final* (``lower == upper``) below index ``n - horizon - lo``: they never change again;
* a *band* up to index ``n - onset - lo``: some samples seen, recomputed at each update;
* unknown beyond.

An update therefore costs the new samples plus the bands, whatever came before. Window minima and
maxima use the monotone queue of Lemire ("Streaming Maximum-Minimum Filter", 2006), run from the
latest second to the earliest. Bounded until is rewritten over the unbounded one (Donze, Ferrere and
Maler, "Efficient Robust Monitoring for STL", 2013):
``f U[a,b] g  =  F[a,b] g  and  G[0,a-1] f  and  at second a: f U g``.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ATOM_BELOW, ATOM_ABOVE, NOT, AND, OR, ALWAYS, EVENTUALLY, UNTIL = range(8)

# Columns of a program row. F and G: the children's rows. A and B: bounds of a temporal node (s).
# LOWER and UPPER: where the node's bounds start in `values` (the same place if its horizon is 0).
# EXTRA: an atom's signal; a temporal node of size 1 keeps its running extreme at that place.
OP, F, G, A, B, LO, SIZE, HORIZON, ONSET, LOWER, UPPER, EXTRA = range(12)
COLUMNS = 12

OPEN, SATISFIED, VIOLATED = 0, 1, -1

INF = np.inf


@njit(cache=True)
def _count(n: int, delay: int, row: Ints) -> int:
    """How many seconds of the domain lie more than ``delay`` before the end of ``n`` samples."""
    return int(min(max(n - delay - row[LO], 0), row[SIZE]))


@njit(cache=True)
def _slide(
    values: Floats,
    source: int,
    known: int,
    out: Floats,
    target: int,
    first: int,
    stop: int,
    width: int,
    sign: float,
    unknown: float,
    queue: Ints,
) -> None:
    """Extremes of ``values[source + i .. source + i + width - 1]`` for ``first <= i < stop``.

    Values from index ``known`` on count as ``unknown``. ``sign`` is 1 for minima, -1 for maxima.
    """
    absorbing = sign * unknown < 0.0
    last = stop - 1
    while last >= first and (last >= known or (absorbing and last + width > known)):
        out[target + last] = unknown
        last -= 1
    head = 0
    tail = 0
    for j in range(min(last + width, known) - 1, first - 1, -1):
        value = sign * values[source + j]
        while tail > head and sign * values[source + queue[tail - 1]] >= value:
            tail -= 1
        queue[tail] = j
        tail += 1
        if j <= last:
            while queue[head] >= j + width:
                head += 1
            out[target + j] = values[source + queue[head]]


@njit(cache=True)
def _atom(row: Ints, threshold: float, n_old: int, samples: Floats, values: Floats) -> None:
    """Robustness of an atom at the new samples inside its domain."""
    sign = 1.0 if row[OP] == ATOM_ABOVE else -1.0
    column = row[EXTRA]
    base = row[LOWER] - row[LO]
    for t in range(max(n_old, row[LO]), min(n_old + samples.shape[0], row[LO] + row[SIZE])):
        values[base + t] = sign * (samples[t - n_old, column] - threshold)


@njit(cache=True)
def _not(row: Ints, f: Ints, first: int, stop: int, values: Floats) -> None:
    """Negation turns the interval over."""
    for i in range(first, stop):
        values[row[LOWER] + i] = -values[f[UPPER] + i]
    if row[UPPER] != row[LOWER]:
        for i in range(first, stop):
            values[row[UPPER] + i] = -values[f[LOWER] + i]


@njit(cache=True)
def _join(
    is_and: bool,
    target: int,
    source_f: int,
    known_f: int,
    source_g: int,
    known_g: int,
    first: int,
    stop: int,
    unknown: float,
    values: Floats,
) -> None:
    """One bound of a conjunction or a disjunction for ``first <= i < stop``."""
    for i in range(first, stop):
        left = values[source_f + i] if i < known_f else unknown
        right = values[source_g + i] if i < known_g else unknown
        if (left < right) == is_and:
            values[target + i] = left
        else:
            values[target + i] = right


@njit(cache=True)
def _extreme_at_one_second(row: Ints, f: Ints, n_old: int, n: int, values: Floats) -> None:
    """A window operator asked for at one second only: a running extreme, no queue."""
    sign = 1.0 if row[OP] == ALWAYS else -1.0
    extreme = INF
    start = _count(n_old, f[HORIZON], f)
    final = _count(n, f[HORIZON], f)
    known = _count(n, f[ONSET], f)
    if start > 0:
        extreme = values[row[EXTRA]]
    for i in range(start, final):
        extreme = min(extreme, sign * values[f[LOWER] + i])
    values[row[EXTRA]] = extreme
    lower = extreme
    upper = extreme
    for i in range(final, known):
        lower = min(lower, sign * values[f[LOWER] + i])
        upper = min(upper, sign * values[f[UPPER] + i])
    if known < f[SIZE]:
        if sign > 0.0:
            lower = -INF
        else:
            upper = -INF
    values[row[LOWER]] = sign * lower
    values[row[UPPER]] = sign * upper


@njit(cache=True)
def _window(
    row: Ints, f: Ints, first: int, final: int, stop: int, n: int, values: Floats, queue: Ints
) -> None:
    """Always and eventually over a domain of several seconds."""
    known = _count(n, f[ONSET], f)
    width = row[B] - row[A] + 1
    if row[OP] == ALWAYS:
        sign, plain, other = 1.0, UPPER, LOWER
    else:
        sign, plain, other = -1.0, LOWER, UPPER
    # In `plain` an unknown second changes nothing; in `other` it decides the whole window.
    unknown = sign * INF
    _slide(values, f[plain], known, values, row[plain], first, stop, width, sign, unknown, queue)
    for i in range(first, final):
        values[row[other] + i] = values[row[plain] + i]
    start = max(first, final)
    _slide(values, f[other], known, values, row[other], start, stop, width, sign, -unknown, queue)


@njit(cache=True)
def _until(
    row: Ints,
    f: Ints,
    g: Ints,
    bound: int,
    unknown: float,
    first: int,
    stop: int,
    n: int,
    values: Floats,
    scratch: Floats,
    queue: Ints,
) -> None:
    """One bound (column LOWER or UPPER) of a bounded until for ``first <= i < stop``."""
    a = row[A]
    target = row[bound]
    span = row[SIZE] + row[B] + 1
    known_f = _count(n, f[ONSET], f)
    known_g = _count(n, g[ONSET], g)
    width = row[B] - a + 1
    # scratch: [unbounded until | always f before a | eventually g], each `span` long.
    _slide(values, g[bound], known_g, scratch, 2 * span, first, stop, width, -1.0, unknown, queue)
    if a > 0:
        _slide(values, f[bound], known_f, scratch, span, first, stop, a, 1.0, unknown, queue)
    end = max(known_f, known_g + a)
    reached = unknown
    for i in range(end, stop + a):
        scratch[i] = unknown
    for i in range(end - 1, first + a - 1, -1):
        keep = values[f[bound] + i] if i < known_f else unknown
        goal = values[g[bound] + i - a] if i - a < known_g else unknown
        reached = max(goal, min(keep, reached))
        scratch[i] = reached
    for i in range(first, stop):
        value = min(scratch[i + a], scratch[2 * span + i])
        if a > 0:
            value = min(value, scratch[span + i])
        values[target + i] = value


@njit(cache=True)
def _node(
    program: Ints,
    k: int,
    n_old: int,
    n: int,
    values: Floats,
    scratch: Floats,
    queue: Ints,
) -> None:
    """Bring the values of a node that is not an atom up to date."""
    row = program[k]
    op = row[OP]
    f = program[row[F]]
    g = program[row[G]]
    first = _count(n_old, row[HORIZON], row)
    final = _count(n, row[HORIZON], row)
    stop = _count(n, row[ONSET], row)
    if first >= stop:
        return
    if op == NOT:
        _not(row, f, first, stop, values)
    elif op in (AND, OR):
        known_f = _count(n, f[ONSET], f)
        known_g = _count(n, g[ONSET], g)
        is_and = op == AND
        _join(is_and, row[LOWER], f[LOWER], known_f, g[LOWER], known_g, first, stop, -INF, values)
        if row[UPPER] != row[LOWER]:
            _join(
                is_and, row[UPPER], f[UPPER], known_f, g[UPPER], known_g, first, stop, INF, values
            )
    elif op == UNTIL:
        _until(row, f, g, LOWER, -INF, first, stop, n, values, scratch, queue)
        _until(row, f, g, UPPER, INF, first, stop, n, values, scratch, queue)
    elif row[SIZE] == 1:
        _extreme_at_one_second(row, f, n_old, n, values)
    else:
        _window(row, f, first, final, stop, n, values, queue)


@njit(cache=True)
def _states(program: Ints, thresholds: Floats, sample: Floats, states: Floats) -> None:
    """Each node's value at one sample with the temporal operators dropped."""
    for k in range(program.shape[0]):
        row = program[k]
        op = row[OP]
        if op == ATOM_BELOW:
            states[k] = thresholds[k] - sample[row[EXTRA]]
        elif op == ATOM_ABOVE:
            states[k] = sample[row[EXTRA]] - thresholds[k]
        elif op == NOT:
            states[k] = -states[row[F]]
        elif op == AND:
            states[k] = min(states[row[F]], states[row[G]])
        elif op == OR:
            states[k] = max(states[row[F]], states[row[G]])
        elif op == UNTIL:
            states[k] = states[row[G]]
        else:
            states[k] = states[row[F]]


@njit(cache=True)
def _finite(samples: Floats) -> bool:
    """Whether no sample is a nan or an infinity."""
    for i in range(samples.shape[0]):
        for j in range(samples.shape[1]):
            if not np.isfinite(samples[i, j]):
                return False
    return True


@njit(cache=True)
def advance(
    program: Ints,
    thresholds: Floats,
    roots: Ints,
    n_old: int,
    values: Floats,
    scratch: Floats,
    queue: Ints,
    samples: Floats,
    verdicts: Ints,
    results: Floats,
) -> bool:
    """Read new samples into every node and write what each root says now.

    Args:
        program: (nodes, COLUMNS) rows, children first.
        thresholds: (nodes,) thresholds of the atoms.
        roots: (k,) rows of the formulas.
        n_old: samples read so far.
        values: bounds of all nodes; changed.
        scratch: room for until: three times its span.
        queue: room for the monotone queue: the largest domain.
        samples: (m, signals) new samples, one a second.
        verdicts: (k,) written: OPEN, SATISFIED or VIOLATED.
        results: (3, k) written: lower, upper, state robustness.

    Returns:
        False, and nothing changed, if a sample is not finite.
    """
    if not _finite(samples):
        return False
    m = samples.shape[0]
    n = n_old + m
    for k in range(program.shape[0]):
        if program[k, OP] <= ATOM_ABOVE:
            _atom(program[k], thresholds[k], n_old, samples, values)
        else:
            _node(program, k, n_old, n, values, scratch, queue)
    for r in range(roots.shape[0]):
        row = program[roots[r]]
        lower = -INF
        upper = INF
        if _count(n, row[ONSET], row) > 0:
            lower = values[row[LOWER]]
            upper = values[row[UPPER]]
        results[0, r] = lower
        results[1, r] = upper
        verdicts[r] = SATISFIED if lower > 0.0 else (VIOLATED if upper <= 0.0 else OPEN)
    if m > 0:
        states = scratch[: program.shape[0]]
        _states(program, thresholds, samples[m - 1], states)
        for r in range(roots.shape[0]):
            results[2, r] = states[roots[r]]
    return True


@njit(cache=True)
def advance_both(
    program: Ints,
    thresholds: Floats,
    roots: Ints,
    n_old: int,
    scratch: Floats,
    queue: Ints,
    values: Floats,
    samples: Floats,
    verdicts: Ints,
    results: Floats,
    other_values: Floats,
    other_samples: Floats,
    other_verdicts: Ints,
    other_results: Floats,
) -> bool:
    """`advance` for two traces of the same seconds, each with its values and results, in one call.

    Returns:
        False, and nothing changed, if a sample of either is not finite.
    """
    if not (_finite(samples) and _finite(other_samples)):
        return False
    advance(
        program, thresholds, roots, n_old, values, scratch, queue, samples, verdicts, results,
    )  # fmt: skip
    advance(
        program, thresholds, roots, n_old, other_values, scratch, queue, other_samples,
        other_verdicts, other_results,
    )  # fmt: skip
    return True
