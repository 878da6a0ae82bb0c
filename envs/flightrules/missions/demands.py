"""What orders come to for a planner: states to be in at certain times, and times at which it may not burn.

Owns the reading of formulas for the oracle. Any set of orders of the language becomes three lists; what an order asked
after it was superseded is left out. An answer to an alarm that sounds is a state to be in like any other. What is asked
is known from the second at which the order was given, or the alarm sounded, and not before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flightrules.directives.directive import Directive
from flightrules.directives.formula import Always, And, Atom, Eventually, Formula, Not, Or
from flightrules.flight.happenings import Event

Window = tuple[int, int]
"""First and last second."""


@dataclass(frozen=True, slots=True)
class Demand:
    """Be within limits for a while.

    Attributes:
        given_s: Second from which it is known.
        start_s: First second at which the hold may begin.
        begin_by_s: Last second at which it may begin.
        hold_s: How long it lasts, s.
        rate_deg_s: Limit of the largest rate, deg/s, or infinity.
        error_deg: Limit of the pointing error, deg, or infinity.
        formula: The same as a formula, to follow it with a monitor.
    """

    given_s: int
    start_s: int
    begin_by_s: int
    hold_s: int
    rate_deg_s: float
    error_deg: float
    formula: Formula


@dataclass(frozen=True, slots=True)
class Cap:
    """Turn no faster than a rate (deg/s) in a window; known from ``given_s`` on."""

    given_s: int
    window: Window
    rate_deg_s: float


@dataclass(frozen=True, slots=True)
class Demands:
    """All that a set of orders asks.

    Attributes:
        states: States to be in.
        caps: Rates not to be exceeded.
        silent: Windows in which no thruster may fire, in order.
    """

    states: tuple[Demand, ...]
    caps: tuple[Cap, ...]
    silent: tuple[Window, ...]


def demands(orders: Sequence[Directive], events: Sequence[Event]) -> Demands:
    """Read a set of orders.

    Args:
        orders: The orders to be kept; one that names an order which is not among them replaces nothing here.
        events: Of the mission.

    Raises:
        ValueError: If an order is of no kind that can be read.
    """
    ends = {item.replaces: item.given_s for item in orders if item.replaces is not None}
    reader = _Reader(events)
    for item in orders:
        last_s = ends.get(item.id, item.end_s + 1) - 1
        if isinstance(item.formula, Eventually):
            reader.eventually(item.formula, item.given_s, last_s)
        elif isinstance(item.formula, Always):
            reader.always(item.formula, item.given_s, last_s)
        else:
            raise ValueError(
                f"{item.id} must be an always or an eventually, got {item.formula!r:.120}"
            )
    return Demands(tuple(reader.states), tuple(reader.caps), tuple(sorted(reader.silent)))


class _Reader:
    """Collects what one order after the other asks up to a last second."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.states: list[Demand] = []
        self.caps: list[Cap] = []
        self.silent: list[Window] = []
        self._contacts = _windows(events, "contact")
        self._alarms = [first for first, _ in _windows(events, "alarm")]

    def eventually(self, formula: Eventually, given_s: int, last_s: int) -> None:
        """A hold by a deadline; nothing where the order was replaced before that had to be over."""
        if formula.b + _length(formula) <= last_s:
            self.states.append(_settle(given_s, formula.a, formula.b, formula.f))

    def always(self, formula: Always, given_s: int, last_s: int) -> None:
        """Something throughout a window, cut where the order was replaced."""
        window = formula.a, min(formula.b, last_s)
        if window[0] > window[1]:
            return
        match formula.f:
            case Atom(signal="burning"):
                self.silent.append(window)
            case Or(f=Atom(signal="burning")):
                self.silent += _without(window, self._contacts)
            case Not(f=Atom(signal="rate_deg_s", threshold=rate)):
                self.caps.append(Cap(given_s, window, rate))
            case Or(f=Atom(signal="alarm"), g=Eventually() as answer):
                self._answer(answer, window, given_s, last_s)
            case Atom(signal="propellant_pct"):
                pass  # kept by flying well; there is nothing to do at any one time
            case _:
                held = Always(0, window[1] - window[0], formula.f)
                self.states.append(_settle(given_s, window[0], window[0], held))

    def _answer(self, answer: Eventually, window: Window, given_s: int, last_s: int) -> None:
        for sounded in self._alarms:
            over = sounded + answer.b + _length(answer)
            if window[0] <= sounded <= window[1] and over <= last_s:
                known = max(given_s, sounded)
                self.states.append(_settle(known, sounded, sounded + answer.b, answer.f))


def _length(formula: Eventually) -> int:
    return formula.f.b if isinstance(formula.f, Always) else 0


def _settle(given_s: int, start_s: int, begin_by_s: int, held: Formula) -> Demand:
    if not isinstance(held, Always):
        raise ValueError(f"a state must be held for a while, got {held!r:.120}")
    limits = {atom.signal: atom.threshold for atom in _atoms(held.f)}
    return Demand(
        given_s,
        start_s,
        begin_by_s,
        held.b,
        limits.get("rate_deg_s", math.inf),
        limits.get("error_deg", math.inf),
        Eventually(start_s, begin_by_s, held),
    )


def _atoms(formula: Formula) -> list[Atom]:
    if isinstance(formula, Atom):
        return [formula]
    if isinstance(formula, And):
        return _atoms(formula.f) + _atoms(formula.g)
    raise ValueError(f"limits must be joined by and, got {formula!r:.120}")


def _windows(events: Iterable[Event], signal: str) -> list[Window]:
    return sorted((event.start_s, event.end_s) for event in events if event.signal == signal)


def _without(whole: Window, holes: Iterable[Window]) -> list[Window]:
    """What is left of a window when others are cut out of it; these are in order."""
    first, last = whole
    left = []
    for start, end in holes:
        if start > first:
            left.append((first, min(start - 1, last)))
        first = max(first, end + 1)
        if first > last:
            break
    if first <= last:
        left.append((first, last))
    return [window for window in left if window[0] <= window[1]]
