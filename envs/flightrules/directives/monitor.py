"""Monitors: what a formula says of a trace, while it grows and when it has ended.

This module owns the meaning of a verdict; ``kernel`` owns the arithmetic. After some samples the
robustness of a formula at second 0 lies in an interval ``[lower, upper]`` (see ``kernel``):

* **satisfied** iff ``lower > 0``: no continuation can change it;
* **violated** iff ``upper <= 0``: a limit that is touched is a limit broken (robustness exactly 0
  is a violation, under negation too; rtamt gives the number 0 and leaves the reading to its user);
* **open** otherwise.

``lower`` never falls and ``upper`` never rises, so a verdict once given stays.

**Strong ending.** If the trace stops now, its robustness is ``lower``: every second that was never
flown counts as the worst there could be, under a negation too. So a window cut short is violated,
never satisfied. (rtamt and most monitors let an empty rest of an ``always`` count as satisfied.)
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flightrules.directives import kernel
from flightrules.directives.formula import (
    SIGNALS,
    Always,
    And,
    Atom,
    Formula,
    Not,
    Or,
    Until,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Verdict(IntEnum):
    """What is known of a formula."""

    OPEN = kernel.OPEN
    SATISFIED = kernel.SATISFIED
    VIOLATED = kernel.VIOLATED

    @property
    def word(self) -> str:
        """``open``, ``satisfied`` or ``violated``, as on the wire."""
        return self.name.lower()


class _Program:
    """Rows for ``kernel.advance`` and the sizes of the memory that they need."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, ...]] = []
        self.thresholds: list[float] = []
        self.values = 0
        self.queue = 1
        self.scratch = 1

    def add(self, formula: Formula, lo: int, size: int) -> int:
        """Append a formula asked for at seconds ``lo .. lo + size - 1``; returns its row."""
        if isinstance(formula, Atom):
            op = kernel.ATOM_BELOW if formula.op == "<" else kernel.ATOM_ABOVE
            signal = SIGNALS.index(formula.signal)
            return self._row(op, 0, 0, 0, 0, lo, size, 0, 0, signal, float(formula.threshold))
        if isinstance(formula, Not):
            f = self.add(formula.f, lo, size)
            return self._row(kernel.NOT, f, f, 0, 0, lo, size, *self._reach(f, f))
        if isinstance(formula, And | Or):
            op = kernel.AND if isinstance(formula, And) else kernel.OR
            f, g = self.add(formula.f, lo, size), self.add(formula.g, lo, size)
            return self._row(op, f, g, 0, 0, lo, size, *self._reach(f, g))
        if isinstance(formula, Until):
            return self._add_until(formula, lo, size)
        a, b = formula.a, formula.b
        f = self.add(formula.f, lo + a, size + b - a)
        if b == 0:
            return f
        op = kernel.ALWAYS if isinstance(formula, Always) else kernel.EVENTUALLY
        last, first = self._reach(f, f)
        return self._row(op, f, f, a, b, lo, size, b + last, a + first)

    def _add_until(self, formula: Until, lo: int, size: int) -> int:
        a, b = formula.a, formula.b
        g = self.add(formula.g, lo + a, size + b - a)
        if b == 0:
            return g
        f = self.add(formula.f, lo, size + b)
        (last_f, first_f), (last_g, first_g) = self._reach(f, f), self._reach(g, g)
        last, first = max(b - 1 + last_f, b + last_g), min(first_f, a + first_g)
        self.scratch = max(self.scratch, 3 * (size + b + 1))
        return self._row(kernel.UNTIL, f, g, a, b, lo, size, last, first)

    def _reach(self, f: int, g: int) -> tuple[int, int]:
        """Horizon and onset of what reads rows ``f`` and ``g`` at the same second."""
        rows = self.rows
        return (
            max(rows[f][kernel.HORIZON], rows[g][kernel.HORIZON]),
            min(rows[f][kernel.ONSET], rows[g][kernel.ONSET]),
        )

    def _row(
        self,
        op: int,
        f: int,
        g: int,
        a: int,
        b: int,
        lo: int,
        size: int,
        last: int,
        first: int,
        signal: int = 0,
        threshold: float = 0.0,
    ) -> int:
        lower = self.values
        upper = lower if last == 0 else lower + size
        self.values = upper + size
        extra = signal
        if size == 1 and op in (kernel.ALWAYS, kernel.EVENTUALLY):
            extra = self.values
            self.values += 1
        self.queue = max(self.queue, size)
        self.rows.append((op, f, g, a, b, lo, size, last, first, lower, upper, extra))
        self.thresholds.append(threshold)
        return len(self.rows) - 1


class MonitorSet:
    """Monitors of several formulas over one growing trace, in one compiled call.

    Attributes (a fresh array after each update, so that a kept one never changes):
        seconds: samples read so far.
        verdicts: (k,) int64, values of ``Verdict``.
        lower: (k,) robustness at second 0 if the trace stopped now (the strong ending).
        upper: (k,) the best robustness that a continuation could still reach.
        state_robustness: (k,) the formula at the last sample alone, temporal operators dropped
            (of ``Until``, its ``g``): how near the present state is; nan before any sample.
    """

    def __init__(self, formulas: Sequence[Formula]) -> None:
        """Monitors at second 0 of each formula; a set may be empty."""
        program = _Program()
        roots = [program.add(formula, 0, 1) for formula in formulas]
        self._allocate(program, roots)

    def _allocate(self, program: _Program, roots: list[int]) -> None:
        rows = len(program.rows)
        self._program: Ints = np.array(program.rows, np.int64).reshape(rows, kernel.COLUMNS)
        self._thresholds: Floats = np.array(program.thresholds, np.float64)
        self._roots: Ints = np.array(roots, np.int64)
        self.seconds = 0
        self._values: Floats = np.empty(program.values)
        self._scratch: Floats = np.empty(max(program.scratch, rows))
        self._queue: Ints = np.empty(program.queue, np.int64)
        count = len(roots)
        self.verdicts: Ints = np.zeros(count, np.int64)
        self._results: Floats = np.empty((3, count))
        self._results[0] = -np.inf
        self._results[1] = np.inf
        self._results[2] = np.nan

    @property
    def lower(self) -> Floats:
        """(k,) robustness if the trace stopped now."""
        row: Floats = self._results[0]
        return row

    @property
    def upper(self) -> Floats:
        """(k,) the best robustness still possible."""
        row: Floats = self._results[1]
        return row

    @property
    def state_robustness(self) -> Floats:
        """(k,) robustness of the last sample alone."""
        row: Floats = self._results[2]
        return row

    @property
    def final_verdicts(self) -> Ints:
        """(k,) the verdicts if the trace stops now: what is open is violated."""
        final: Ints = np.where(self.verdicts == Verdict.OPEN, Verdict.VIOLATED, self.verdicts)
        return final

    def update(self, samples: ArrayLike) -> Ints:
        """Read the next seconds of the trace.

        Args:
            samples: (m, signals) float64, one row a second, columns as in ``SIGNALS``; m may be 0.

        Returns:
            (k,) verdicts.

        Raises:
            ValueError: if the shape is wrong or a value is not finite; nothing is read then.
        """
        array = _rows(samples)
        verdicts = self.verdicts.copy()
        results = self._results.copy()
        if not kernel.advance(
            self._program,
            self._thresholds,
            self._roots,
            self.seconds,
            self._values,
            self._scratch,
            self._queue,
            array,
            verdicts,
            results,
        ):
            raise ValueError(_NOT_FINITE)
        self.seconds += len(array)
        self.verdicts = verdicts
        self._results = results
        return verdicts

    def update_with(self, other: MonitorSet, samples: ArrayLike, other_samples: ArrayLike) -> None:
        """Read the next seconds of this trace, and of another one into a copy of these monitors, in one call.

        Args:
            other: A copy of these monitors that has read as many seconds.
            samples: (m, signals), as in `update`.
            other_samples: (m, signals) the same seconds of the other trace.

        Raises:
            ValueError: As `update`, or if `other` is no such copy; nothing is read then.
        """
        rows, other_rows = _rows(samples), _rows(other_samples)
        if (
            self._program is not other._program
            or self.seconds != other.seconds
            or len(rows) != len(other_rows)
        ):
            raise ValueError("other must be a copy of these monitors at the same second")
        verdicts, other_verdicts = self.verdicts.copy(), other.verdicts.copy()
        results, other_results = self._results.copy(), other._results.copy()
        if not kernel.advance_both(
            self._program, self._thresholds, self._roots, self.seconds, self._scratch, self._queue,
            self._values, rows, verdicts, results,
            other._values, other_rows, other_verdicts, other_results,
        ):  # fmt: skip
            raise ValueError(_NOT_FINITE)
        self.seconds = other.seconds = self.seconds + len(rows)
        self.verdicts, self._results = verdicts, results
        other.verdicts, other._results = other_verdicts, other_results

    def copy(self) -> MonitorSet:
        """An independent monitor in the same state, without compiling the formulas again."""
        other = object.__new__(MonitorSet)
        other._program = self._program
        other._thresholds = self._thresholds
        other._roots = self._roots
        other.seconds = self.seconds
        other._values = self._values.copy()
        other._scratch = np.empty_like(self._scratch)
        other._queue = np.empty_like(self._queue)
        other.verdicts = self.verdicts
        other._results = self._results
        return other


_NOT_FINITE = "samples must be finite, got a nan or an infinity"


def _rows(samples: ArrayLike) -> Floats:
    """Samples as the kernel reads them.

    Raises:
        ValueError: If the shape is wrong.
    """
    array = np.ascontiguousarray(samples, np.float64)
    if array.ndim != 2 or array.shape[1] != len(SIGNALS):
        raise ValueError(f"samples must have shape (m, {len(SIGNALS)}), got {array.shape}")
    return array


class Monitor:
    """The monitor of one formula: ``MonitorSet`` with plain numbers."""

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self._set = MonitorSet((formula,))

    def update(self, samples: ArrayLike) -> Verdict:
        """Read the next seconds, (m, signals); see ``MonitorSet.update``."""
        return Verdict(self._set.update(samples)[0])

    @property
    def verdict(self) -> Verdict:
        """What is known by now."""
        return Verdict(self._set.verdicts[0])

    @property
    def final_verdict(self) -> Verdict:
        """The verdict if the trace stops now: satisfied or violated."""
        return Verdict(self._set.final_verdicts[0])

    @property
    def robustness(self) -> float:
        """Robustness at second 0 if the trace stopped now (the lower bound)."""
        return float(self._set.lower[0])

    @property
    def upper(self) -> float:
        """The best robustness at second 0 that a continuation could still reach."""
        return float(self._set.upper[0])

    @property
    def state_robustness(self) -> float:
        """Robustness of the last sample alone; nan before any sample."""
        return float(self._set.state_robustness[0])


def robustness_interval(formula: Formula, trace: ArrayLike) -> tuple[Floats, Floats]:
    """Lower and upper robustness of a formula at every second of a whole trace.

    Args:
        formula: what to judge.
        trace: (n, signals) samples, columns as in ``SIGNALS``.

    Returns:
        Two (n,) arrays; they agree at every second ``t`` with ``t + horizon(formula) < n``.

    Raises:
        ValueError: as ``MonitorSet.update``.
    """
    array = np.ascontiguousarray(trace, np.float64)
    n = array.shape[0] if array.ndim else 0
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    program = _Program()
    root = program.add(formula, 0, max(n, 1))
    monitor = object.__new__(MonitorSet)
    monitor._allocate(program, [root])
    monitor.update(array)
    row = monitor._program[root]
    known = min(max(n - int(row[kernel.ONSET]), 0), n)
    lower[:known] = monitor._values[row[kernel.LOWER] :][:known]
    upper[:known] = monitor._values[row[kernel.UPPER] :][:known]
    return lower, upper


def robustness(formula: Formula, trace: ArrayLike) -> Floats:
    """(n,) robustness of a formula at every second of a whole trace, with the strong ending.

    Where the window is complete this is rtamt's discrete-time offline robustness; where the trace
    cuts it short, the lower bound. Arguments and errors as ``robustness_interval``.
    """
    return robustness_interval(formula, trace)[0]
