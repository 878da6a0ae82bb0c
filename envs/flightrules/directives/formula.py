"""Signal Temporal Logic formulas over the signals that a directive can speak of.

This module owns the abstract syntax, its validation and its JSON form. It evaluates nothing (see
``monitor``) and says nothing in words (see ``language``).

Time is discrete, one sample a second: sample ``i`` is mission second ``i``. A formula starts at
mission second 0, so a directive that begins later has later bounds. Temporal bounds ``a`` and
``b`` are whole seconds, both inclusive: ``Always(0, 60, f)`` reads 61 samples of ``f``.

The logic is the bounded future fragment of Signal Temporal Logic (Maler and Nickovic,
"Monitoring Temporal Properties of Continuous Signals", 2004) with the quantitative reading of
Donze and Maler ("Robust Satisfaction of Temporal Logic over Real-Valued Signals", 2010).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

SIGNALS = ("error_deg", "rate_deg_s", "propellant_pct", "burning", "alarm", "contact")
"""Columns of a trace, in order. The first four are what the spacecraft does, the last two what happens to it.

``error_deg``: angle between where the spacecraft points and where it should (deg).
``rate_deg_s``: largest absolute body rate of the three axes (deg/s).
``propellant_pct``: propellant left, in percent of the initial load.
``burning``: 1.0 in a second in which a thruster fires, else 0.0.
``alarm``: 1.0 in the second at which an alarm sounds, else 0.0.
``contact``: 1.0 while the spacecraft is in contact with the ground, else 0.0.
"""

EVENTS = ("alarm", "contact")
"""Signals outside the agent's control: no command changes them, so a condition on them cannot be dodged."""

MAX_BOUND_S = 86_400
"""Largest temporal bound accepted (s): one day; a monitor's memory grows with the bounds."""


@dataclass(frozen=True)
class Atom:
    """A signal below or above a threshold.

    Its robustness is ``threshold - x`` for ``<`` and ``x - threshold`` for ``>``, in the unit of
    the signal.

    Raises:
        ValueError: if the signal or the operator is unknown or the threshold is not finite.
    """

    signal: str
    op: str
    threshold: float

    def __post_init__(self) -> None:
        if self.signal not in SIGNALS:
            raise ValueError(f"Atom.signal must be one of {SIGNALS}, got {self.signal!r}")
        if self.op not in ("<", ">"):
            raise ValueError(f"Atom.op must be '<' or '>', got {self.op!r}")
        if isinstance(self.threshold, bool) or not isinstance(self.threshold, int | float):
            raise ValueError(f"Atom.threshold must be a number, got {self.threshold!r}")
        if not math.isfinite(self.threshold):
            raise ValueError(f"Atom.threshold must be finite, got {self.threshold!r}")


@dataclass(frozen=True)
class Not:
    """Negation: robustness changes sign."""

    f: Formula

    def __post_init__(self) -> None:
        _require_formula("Not.f", self.f)


@dataclass(frozen=True)
class And:
    """Conjunction: the smaller robustness."""

    f: Formula
    g: Formula

    def __post_init__(self) -> None:
        _require_formula("And.f", self.f)
        _require_formula("And.g", self.g)


@dataclass(frozen=True)
class Or:
    """Disjunction: the larger robustness."""

    f: Formula
    g: Formula

    def __post_init__(self) -> None:
        _require_formula("Or.f", self.f)
        _require_formula("Or.g", self.g)


@dataclass(frozen=True)
class Always:
    """``f`` at every second from ``a`` to ``b`` from now: the smallest robustness there."""

    a: int
    b: int
    f: Formula

    def __post_init__(self) -> None:
        _require_bounds("Always", self.a, self.b)
        _require_formula("Always.f", self.f)


@dataclass(frozen=True)
class Eventually:
    """``f`` at some second from ``a`` to ``b`` from now: the largest robustness there."""

    a: int
    b: int
    f: Formula

    def __post_init__(self) -> None:
        _require_bounds("Eventually", self.a, self.b)
        _require_formula("Eventually.f", self.f)


@dataclass(frozen=True)
class Until:
    """``g`` at some second ``t`` from ``a`` to ``b`` from now, and ``f`` from now up to ``t - 1``.

    ``f`` need not hold at ``t`` itself, as in rtamt's discrete-time semantics.
    """

    a: int
    b: int
    f: Formula
    g: Formula

    def __post_init__(self) -> None:
        _require_bounds("Until", self.a, self.b)
        _require_formula("Until.f", self.f)
        _require_formula("Until.g", self.g)


Formula = Atom | Not | And | Or | Always | Eventually | Until

_BY_NAME: dict[str, type] = {
    "not": Not,
    "and": And,
    "or": Or,
    "always": Always,
    "eventually": Eventually,
    "until": Until,
}
_NAME_OF = {cls: name for name, cls in _BY_NAME.items()}


def horizon(formula: Formula) -> int:
    """The last second that can matter to ``formula`` at second 0 (s).

    A trace of ``n`` samples holds the complete window at second ``t`` iff
    ``t + horizon(formula) < n``.
    """
    match formula:
        case Atom():
            return 0
        case Not(f):
            return horizon(f)
        case And(f, g) | Or(f, g):
            return max(horizon(f), horizon(g))
        case Always(_, b, f) | Eventually(_, b, f):
            return b + horizon(f)
        case Until(_, b, f, g):
            last_f = b - 1 + horizon(f) if b > 0 else 0
            return max(last_f, b + horizon(g))


def onset(formula: Formula) -> int:
    """The first second that can matter to ``formula`` at second 0 (s)."""
    match formula:
        case Atom():
            return 0
        case Not(f):
            return onset(f)
        case And(f, g) | Or(f, g):
            return min(onset(f), onset(g))
        case Always(a, _, f) | Eventually(a, _, f):
            return a + onset(f)
        case Until(a, b, f, g):
            return min(onset(f), a + onset(g)) if b > 0 else onset(g)


def map_atoms(change: Callable[[Atom], Atom], formula: Formula) -> Formula:
    """The formula with every atom changed and all else as it is."""
    if isinstance(formula, Atom):
        return change(formula)
    parts: dict[str, Any] = {
        name: map_atoms(change, getattr(formula, name))
        for name in ("f", "g")
        if hasattr(formula, name)
    }
    return replace(formula, **parts)


def formula_to_text(formula: Formula) -> str:
    """The formula in the usual notation: ``G[a,b] (...)`` for always, ``F`` for eventually, ``U`` for until."""
    match formula:
        case Atom(signal, op, threshold):
            return f"{signal} {op} {threshold}"
        case Not(f):
            return f"not ({formula_to_text(f)})"
        case Always(a, b, f) | Eventually(a, b, f):
            letter = "G" if isinstance(formula, Always) else "F"
            return f"{letter}[{a},{b}] ({formula_to_text(f)})"
        case And(f, g):
            between = "and"
        case Or(f, g):
            between = "or"
        case Until(a, b, f, g):
            between = f"U[{a},{b}]"
    return f"({formula_to_text(f)}) {between} ({formula_to_text(g)})"


def formula_to_json(formula: Formula) -> dict[str, Any]:
    """The formula as nested dictionaries of strings and numbers."""
    if isinstance(formula, Atom):
        return {"signal": formula.signal, "op": formula.op, "threshold": formula.threshold}
    data: dict[str, Any] = {"op": _NAME_OF[type(formula)]}
    for name in formula.__dataclass_fields__:
        value = getattr(formula, name)
        data[name] = value if isinstance(value, int) else formula_to_json(value)
    return data


def formula_from_json(data: object) -> Formula:
    """The inverse of ``formula_to_json``.

    Raises:
        ValueError: if a key is missing, unknown or has a value that the formula refuses.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"a formula must be an object, got {data!r}")
    fields = dict(data)
    if "signal" in fields:
        _require_keys(fields, {"signal", "op", "threshold"})
        return Atom(**fields)
    name = fields.pop("op", None)
    cls = _BY_NAME.get(name) if isinstance(name, str) else None
    if cls is None:
        raise ValueError(f"a formula's op must be one of {sorted(_BY_NAME)}, got {name!r}")
    _require_keys(fields, set(cls.__dataclass_fields__))  # type: ignore[attr-defined]
    parts = {
        key: formula_from_json(value) if key in ("f", "g") else value
        for key, value in fields.items()
    }
    built: Formula = cls(**parts)
    return built


def _require_keys(fields: Mapping[str, object], expected: set[str]) -> None:
    if set(fields) != expected:
        raise ValueError(
            f"a formula node must have exactly {sorted(expected)}, got {sorted(map(str, fields))}"
        )


def _require_formula(where: str, value: object) -> None:
    if not isinstance(value, Formula):
        raise ValueError(f"{where} must be a formula, got {value!r}")


def _require_bounds(where: str, a: object, b: object) -> None:
    for name, value in (("a", a), ("b", b)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"{where}.{name} must be a whole number of seconds, got {value!r}")
    if not 0 <= a <= b <= MAX_BOUND_S:  # type: ignore[operator]
        raise ValueError(f"{where} must have 0 <= a <= b <= {MAX_BOUND_S}, got a={a}, b={b}")
