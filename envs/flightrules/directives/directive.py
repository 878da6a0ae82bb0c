"""A directive: a formula, its words, and when its window closes.

Owns the builders of the kinds. A builder makes the formula, the words come from the formula.
"""

from __future__ import annotations

from dataclasses import dataclass

from flightrules.directives.formula import Always, And, Atom, Eventually, Formula, horizon
from flightrules.directives.language import kind_of, phrase


@dataclass(frozen=True, slots=True)
class Directive:
    """One order.

    Attributes:
        id: Short name, ``D1``, ``D2``, ...
        kind: Kind of order, see :mod:`flightrules.directives.language`.
        formula: What is checked.
        mandatory: Whether success needs it.
        end_s: Second after which its window is closed.
        phrasing: Index of the phrasing.
        text: The words.
    """

    id: str
    kind: str
    formula: Formula
    mandatory: bool
    end_s: int
    phrasing: int
    text: str


def _directive(name: str, formula: Formula, phrasing: int) -> Directive:
    words = phrase(formula, phrasing)
    return Directive(name, kind_of(formula), formula, True, horizon(formula), phrasing, words)


def reach_and_settle(
    name: str,
    *,
    phrasing: int,
    deadline_s: int,
    hold_s: int,
    rate_deg_s: float,
    error_deg: float | None = None,
) -> Directive:
    """Settle under a rate limit, and a pointing limit if one is given, and hold it, all by a deadline.

    Args:
        name: Id of the directive.
        phrasing: Index of the phrasing.
        deadline_s: Second by which the hold has been completed.
        hold_s: Length of the hold, s.
        rate_deg_s: Limit of the largest rate, deg/s.
        error_deg: Limit of the pointing error, deg.
    """
    state: Formula = Atom("rate_deg_s", "<", rate_deg_s)
    if error_deg is not None:
        state = And(Atom("error_deg", "<", error_deg), state)
    formula = Eventually(0, deadline_s - hold_s, Always(0, hold_s, state))
    return _directive(name, formula, phrasing)


def stay_quiet(name: str, *, phrasing: int, start_s: int, end_s: int) -> Directive:
    """Fire no thruster from one second to another."""
    return _directive(name, Always(start_s, end_s, Atom("burning", "<", 0.5)), phrasing)


def keep_reserve(name: str, *, phrasing: int, end_s: int, propellant_pct: float) -> Directive:
    """Keep more than so much propellant, percent of the load, up to a second."""
    return _directive(
        name, Always(0, end_s, Atom("propellant_pct", ">", float(propellant_pct))), phrasing
    )
