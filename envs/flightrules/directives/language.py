"""Directives in words, generated from the formula; never the other way round.

Owns the phrasings. The formula is matched by its exact shape, so text and check cannot disagree: every number of the
formula is in the text, two formulas never share a text, and a formula of no known kind is refused rather than told in
part. Each kind has phrasings for training and others held out for the split ``test_phrasings``.
"""

from __future__ import annotations

import numpy as np

from flightrules.directives.formula import Always, And, Atom, Eventually, Formula

REACH_AND_SETTLE, STAY_QUIET, KEEP_RESERVE = "reach_and_settle", "stay_quiet", "keep_reserve"
HELD_OUT = 2
"""How many phrasings of each kind, the last ones, training never shows."""

_SETTLE = (
    "By {by} s complete a hold of {hold} s with {limits}.",
    "Settle {limits} and complete {hold} s of it no later than {by} s.",
    "Before {by} s on the clock, hold {limits} for {hold} s.",
    "Get {limits} and hold that for {hold} s, all by {by} s.",
    "For {hold} s without a break, {limits}; be done by {by} s.",
    "You have until {by} s to hold {limits} for {hold} s.",
    "Deadline {by} s: {limits}, kept up for {hold} s by then.",
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
    "At no time up to {end} s may propellant fall to {left} %.",
    "Propellant stays above {left} % through {end} s.",
    "At {end} s there must still be more than {left} % in the tank.",
    "Save fuel: do not touch {left} % until {end} s has passed.",
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
    return _read(formula)[0]


def phrase(formula: Formula, phrasing: int) -> str:
    """The words of a formula in one phrasing.

    Args:
        formula: Of one of the known kinds.
        phrasing: Index into the kind's phrasings.

    Raises:
        ValueError: If the formula is of no known kind or the kind has no such phrasing.
    """
    kind, words = _read(formula)
    templates = _TEMPLATES[kind]
    if not 0 <= phrasing < len(templates):
        raise ValueError(f"a phrasing of {kind} must be 0 to {len(templates) - 1}, got {phrasing}")
    return templates[phrasing].format(**words)


def _read(formula: Formula) -> tuple[str, dict[str, str]]:
    """Kind of a formula and what its templates' fields stand for."""
    match formula:
        case Eventually(a=0, b=last, f=Always(a=0, b=hold, f=state)) if hold > 0:
            # The hold has to be over when the window closes: that second is what `by` names.
            words = {"by": str(last + hold), "hold": str(hold), "limits": _limits(state)}
            return REACH_AND_SETTLE, words
        case Always(a=start, b=end, f=Atom(signal="burning", op="<", threshold=0.5)):
            return STAY_QUIET, {"start": str(start), "end": str(end)}
        case Always(a=0, b=end, f=Atom(signal="propellant_pct", op=">", threshold=left)):
            return KEEP_RESERVE, {"left": _number(left), "end": str(end)}
    raise ValueError(f"a formula must be of a kind that has words, got {formula!r:.120}")


def _limits(state: Formula) -> str:
    match state:
        case Atom(signal="rate_deg_s", op="<", threshold=rate):
            return f"every axis under {_number(rate)} deg/s"
        case Atom(signal="error_deg", op="<", threshold=error):
            return f"pointing within {_number(error)} deg"
        case And(f=Atom(signal="error_deg") as error, g=Atom(signal="rate_deg_s") as rate):
            return f"{_limits(error)} and {_limits(rate)}"
    raise ValueError(f"a state to settle in must be limits on error and rate, got {state!r:.120}")


def _number(x: float) -> str:
    """The shortest decimal that reads back as ``x``, without an exponent or a trailing zero."""
    return np.format_float_positional(x + 0.0, trim="-")
