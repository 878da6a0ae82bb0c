"""Directives in words, generated from the formula; never the other way round.

Owns the phrasings. The formula is matched by shape, so text and check cannot disagree; a formula of no known kind is
refused. Each kind has phrasings for training and others held out for the split ``test_phrasings``.
"""

from __future__ import annotations

from flightrules.directives.formula import Always, And, Atom, Eventually, Formula

REACH_AND_SETTLE, STAY_QUIET, KEEP_RESERVE = "reach_and_settle", "stay_quiet", "keep_reserve"
HELD_OUT = 2
"""How many phrasings of each kind, the last ones, training never shows."""

_SETTLE = (
    "By {by} s settle {limits}, and stay so for {hold} s.",
    "Settle {limits} no later than {by} s and keep it for {hold} s.",
    "Before {by} s on the clock, hold {limits} for {hold} s.",
    "Get {limits} and hold that for {hold} s, all by {by} s.",
    "For {hold} s without a break, {limits}; be done by {by} s.",
    "You have until {by} s to hold {limits} for {hold} s.",
    "Deadline {by} s: {limits}, kept up for {hold} s.",
    "The clock must not pass {by} s before {limits} has lasted {hold} s.",
)
_QUIET = (
    "Fire no thruster from {start} s to {end} s.",
    "Between {start} s and {end} s all thrusters stay silent.",
    "No burns from {start} s until {end} s.",
    "Keep quiet from {start} s to {end} s: no thruster firing.",
    "From {start} s through {end} s do not burn.",
    "Thrusters off between {start} s and {end} s.",
    "An observation runs from {start} s to {end} s; let nothing fire.",
    "Valves closed, {start} s to {end} s.",
)
_RESERVE = (
    "End with more than {left} % propellant at {end} s.",
    "Keep more than {left} % propellant up to {end} s.",
    "Until {end} s the tank must hold over {left} %.",
    "Spend so little that over {left} % propellant remains at {end} s.",
    "Never let propellant fall to {left} % before {end} s.",
    "Propellant stays above {left} % through {end} s.",
    "At {end} s there must still be more than {left} % in the tank.",
    "Save fuel: {left} % is a floor until {end} s.",
)
_TEMPLATES = {REACH_AND_SETTLE: _SETTLE, STAY_QUIET: _QUIET, KEEP_RESERVE: _RESERVE}


def phrasings(kind: str, held_out: bool) -> range:
    """Indices of a kind's phrasings: those of training, or those held out.

    Raises:
        KeyError: If there is no such kind.
    """
    count = len(_TEMPLATES[kind])
    return range(count - HELD_OUT, count) if held_out else range(count - HELD_OUT)


def kind_of(formula: Formula) -> str:
    """Kind of directive that a formula is.

    Raises:
        ValueError: If it is of no known kind.
    """
    match formula:
        case Eventually(f=Always(a=0)):
            return REACH_AND_SETTLE
        case Always(f=Atom(signal="burning", op="<")):
            return STAY_QUIET
        case Always(f=Atom(signal="propellant_pct", op=">")):
            return KEEP_RESERVE
    raise ValueError(f"a formula must be of a kind that has words, got {formula!r:.120}")


def phrase(formula: Formula, phrasing: int) -> str:
    """The words of a formula in one phrasing.

    Args:
        formula: Of one of the known kinds.
        phrasing: Index into the kind's phrasings.

    Raises:
        ValueError: If the formula is of no known kind.
    """
    template = _TEMPLATES[kind_of(formula)][phrasing]
    match formula:
        case Eventually(b=last, f=Always(b=hold, f=state)):
            return template.format(by=last + hold, hold=hold, limits=_limits(state))
        case Always(a=start, b=end, f=Atom(signal="burning")):
            return template.format(start=start, end=end)
        case Always(b=end, f=Atom(threshold=left)):
            return template.format(left=f"{left:g}", end=end)
    raise ValueError(f"a formula must be of a kind that has words, got {formula!r:.120}")


def _limits(state: Formula) -> str:
    match state:
        case Atom(signal="rate_deg_s", op="<", threshold=limit):
            return f"every axis under {limit:g} deg/s"
        case Atom(signal="error_deg", op="<", threshold=limit):
            return f"pointing within {limit:g} deg"
        case And(f=f, g=g):
            return f"{_limits(f)} and {_limits(g)}"
    raise ValueError(f"a state to settle in is made of limits on error and rate, got {state!r:.120}")
