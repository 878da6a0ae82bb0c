"""A directive: a formula, its words, when it is given and when its window closes.

Owns the builders of the kinds. A builder makes the formula, the words come from the formula.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from flightrules.directives.formula import (
    Always,
    And,
    Atom,
    Eventually,
    Formula,
    Not,
    Or,
    horizon,
)
from flightrules.directives.language import kind_of, phrase

QUIET = Atom("burning", "<", 0.5)
"""No thruster fires."""


@dataclass(frozen=True, slots=True)
class Directive:
    """One order.

    Attributes:
        id: Short name, ``D1``, ``D2``, ...
        kind: Kind of order, see :mod:`flightrules.directives.language`.
        formula: What is checked.
        end_s: Second after which its window is closed.
        phrasing: Index of the phrasing.
        text: The words.
        given_s: Mission second from which it is known; the words arrive with the first telemetry after it.
        replaces: Id of the directive that no longer counts from ``given_s`` on, or None.
    """

    id: str
    kind: str
    formula: Formula
    end_s: int
    phrasing: int
    text: str
    given_s: int = 0
    replaces: str | None = None

    def later(self, given_s: int, replaces: str | None = None) -> Directive:
        """The same order, given during the mission, in place of another one if that is named.

        Raises:
            ValueError: If it is given after its window has closed.
        """
        if not 0 <= given_s <= self.end_s:
            raise ValueError(f"given_s must be from 0 to {self.end_s}, got {given_s}")
        return self.revised(given_s=given_s, replaces=replaces)

    def revised(self, **changes: Any) -> Directive:
        """The same order with other fields, a formula of the same kind among them; window and words follow."""
        order = replace(self, **changes)
        words = phrase(order.formula, order.phrasing, order.replaces)
        return replace(order, end_s=horizon(order.formula), text=words)


def _directive(name: str, formula: Formula, phrasing: int) -> Directive:
    words = phrase(formula, phrasing)
    return Directive(name, kind_of(formula), formula, horizon(formula), phrasing, words)


def limits(rate_deg_s: float | None, error_deg: float | None) -> Formula:
    """A state within limits of rate, of pointing error, or of both.

    Raises:
        ValueError: If there is no limit at all.
    """
    rate = None if rate_deg_s is None else Atom("rate_deg_s", "<", rate_deg_s)
    error = None if error_deg is None else Atom("error_deg", "<", error_deg)
    if rate is not None and error is not None:
        return And(error, rate)
    state = rate or error
    if state is None:
        raise ValueError("a state needs a limit of rate_deg_s or error_deg, got neither")
    return state


def reach_and_settle(
    name: str,
    *,
    phrasing: int,
    deadline_s: int,
    hold_s: int,
    rate_deg_s: float | None = None,
    error_deg: float | None = None,
    since_s: int = 0,
) -> Directive:
    """Settle within limits and hold that, all by a deadline.

    Args:
        name: Id of the directive.
        phrasing: Index of the phrasing.
        deadline_s: Second by which the hold has been completed.
        hold_s: Length of the hold, s.
        rate_deg_s: Limit of the largest rate, deg/s.
        error_deg: Limit of the pointing error, deg.
        since_s: Second from which a hold counts.
    """
    state = limits(rate_deg_s, error_deg)
    formula = Eventually(since_s, deadline_s - hold_s, Always(0, hold_s, state))
    return _directive(name, formula, phrasing)


def hold(
    name: str,
    *,
    phrasing: int,
    start_s: int,
    end_s: int,
    rate_deg_s: float | None = None,
    error_deg: float | None = None,
) -> Directive:
    """Stay within limits (deg/s, deg) from one second to another."""
    return _directive(name, Always(start_s, end_s, limits(rate_deg_s, error_deg)), phrasing)


def stay_quiet(name: str, *, phrasing: int, start_s: int, end_s: int) -> Directive:
    """Fire no thruster from one second to another."""
    return _directive(name, Always(start_s, end_s, QUIET), phrasing)


def keep_reserve(name: str, *, phrasing: int, end_s: int, propellant_pct: float) -> Directive:
    """Keep more than so much propellant, percent of the load, up to a second."""
    return _directive(
        name, Always(0, end_s, Atom("propellant_pct", ">", float(propellant_pct))), phrasing
    )


def never_faster(
    name: str, *, phrasing: int, start_s: int, end_s: int, rate_deg_s: float
) -> Directive:
    """Never turn faster than a rate about any axis, from one second to another."""
    return _directive(
        name, Always(start_s, end_s, Not(Atom("rate_deg_s", ">", rate_deg_s))), phrasing
    )


def burn_only_in_contact(name: str, *, phrasing: int, start_s: int, end_s: int) -> Directive:
    """Fire only while the ground is in contact, from one second to another."""
    return _directive(name, Always(start_s, end_s, Or(QUIET, Atom("contact", ">", 0.5))), phrasing)


def respond(
    name: str,
    *,
    phrasing: int,
    start_s: int,
    end_s: int,
    within_s: int,
    hold_s: int,
    rate_deg_s: float | None = None,
    error_deg: float | None = None,
) -> Directive:
    """After every alarm between two seconds, complete a hold within limits in time.

    Args:
        name: Id of the directive.
        phrasing: Index of the phrasing.
        start_s: First second at which an alarm counts.
        end_s: Last one.
        within_s: Seconds after the alarm by which the hold has been completed.
        hold_s: Length of the hold, s.
        rate_deg_s: Limit of the largest rate, deg/s.
        error_deg: Limit of the pointing error, deg.
    """
    answer = Eventually(0, within_s - hold_s, Always(0, hold_s, limits(rate_deg_s, error_deg)))
    formula = Always(start_s, end_s, Or(Atom("alarm", "<", 0.5), answer))
    return _directive(name, formula, phrasing)
