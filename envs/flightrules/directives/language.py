"""Directives in words, generated from the formula; never the other way round.

Owns the phrasings. The formula is matched by its exact shape, so text and check cannot disagree: every number of the
formula is in the text, two formulas never share a text, and a formula of no known kind is refused rather than told in
part. Each kind has phrasings for training and others held out for the split ``test_phrasings``.
"""

from __future__ import annotations

import numpy as np

from flightrules.directives.formula import (
    Always,
    And,
    Atom,
    Eventually,
    Formula,
    Not,
    Or,
)

REACH_AND_SETTLE, HOLD = "reach_and_settle", "hold"
STAY_QUIET, KEEP_RESERVE = "stay_quiet", "keep_reserve"
NEVER, ONLY_IF, RESPOND = "never", "only_if", "respond"
SUPERSEDE = "supersede"
"""Not a kind of formula but of words: an order that replaces an earlier one says so first."""
HELD_OUT = 2
"""How many phrasings of each kind, the last ones, training never shows."""

_SETTLE = (
    "By {by} s{since} complete a hold of {hold} s with {limits}.",
    "Settle {limits} and complete {hold} s of it no later than {by} s{since}.",
    "Before {by} s on the clock{since}, hold {limits} for {hold} s.",
    "Get {limits} and hold that for {hold} s, all by {by} s{since}.",
    "For {hold} s without a break, {limits}; be done by {by} s{since}.",
    "You have until {by} s{since} to hold {limits} for {hold} s.",
    "Deadline {by} s{since}: {limits}, kept up for {hold} s by then.",
    "The clock must not pass {by} s{since} before {limits} has lasted {hold} s.",
)
_HOLD = (
    "From {start} s to {end} s keep {limits}.",
    "Hold {limits} between {start} s and {end} s.",
    "An exposure runs from {start} s until {end} s: {limits} throughout.",
    "Stay with {limits} from {start} s through {end} s.",
    "Between {start} s and {end} s without a break, {limits}.",
    "The camera is open {start} s to {end} s; it needs {limits}.",
    "At every second from {start} s up to {end} s: {limits}.",
    "Do not leave {limits} while the clock runs from {start} s to {end} s.",
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
_NEVER = (
    "From {start} s to {end} s never turn faster than {rate} deg/s about any axis.",
    "No axis may exceed {rate} deg/s between {start} s and {end} s.",
    "Never let a rate pass {rate} deg/s from {start} s until {end} s.",
    "The structure bears {rate} deg/s and no more from {start} s to {end} s.",
    "Between {start} s and {end} s, under no circumstances over {rate} deg/s on an axis.",
    "Rates above {rate} deg/s are forbidden from {start} s through {end} s.",
    "While the boom is out, {start} s to {end} s, {rate} deg/s is the limit of every axis.",
    "Break {rate} deg/s on any axis at no second from {start} s up to {end} s.",
)
_ONLY_IF = (
    "From {start} s to {end} s burn only while in contact with the ground.",
    "Between {start} s and {end} s no thruster fires unless there is ground contact.",
    "Fire only with the ground in contact, {start} s to {end} s.",
    "Without ground contact, no burns from {start} s until {end} s.",
    "From {start} s through {end} s a burn is allowed only if the ground is in contact.",
    "Thrusters need the ground's eyes on them between {start} s and {end} s: contact, or no burn.",
    "Burns out of contact are off limits, {start} s to {end} s.",
    "The ground watches each burn from {start} s up to {end} s; when it cannot, let nothing fire.",
)
_RESPOND = (
    "If an alarm sounds from {start} s to {end} s, complete {hold} s with {limits} within {within} s of it.",
    "Answer each alarm between {start} s and {end} s: {limits} for {hold} s, done {within} s after it.",
    "An alarm from {start} s until {end} s leaves you {within} s to have held {limits} for {hold} s.",
    "On any alarm, {start} s to {end} s: inside {within} s finish a hold of {hold} s with {limits}.",
    "From {start} s through {end} s, {within} s after an alarm {hold} s with {limits} must lie behind you.",
    "Should the alarm ring between {start} s and {end} s, keep {limits} for {hold} s before {within} s are over.",
    "Alarm drill, {start} s to {end} s: {hold} s of {limits}, complete no more than {within} s after the signal.",
    "Every alarm from {start} s up to {end} s calls for {limits}, {hold} s long, over within {within} s.",
)
_SUPERSEDE = (
    "{old} no longer applies; instead: ",
    "This replaces {old}: ",
    "Cancel {old}. New order: ",
    "Forget {old}: ",
    "In place of {old}: ",
    "{old} is withdrawn in favour of this: ",
    "Strike {old} from your orders and take this: ",
    "What {old} asked is void; now: ",
)
_TEMPLATES = {
    REACH_AND_SETTLE: _SETTLE,
    HOLD: _HOLD,
    STAY_QUIET: _QUIET,
    KEEP_RESERVE: _RESERVE,
    NEVER: _NEVER,
    ONLY_IF: _ONLY_IF,
    RESPOND: _RESPOND,
    SUPERSEDE: _SUPERSEDE,
}
KINDS = tuple(_TEMPLATES)
"""Everything that has phrasings."""


def phrasings(kind: str, held_out: bool) -> range:
    """Indices of a kind's phrasings: those of training, or those held out.

    Raises:
        KeyError: If there is no such kind.
    """
    count = len(_TEMPLATES[kind])
    return range(count - HELD_OUT, count) if held_out else range(count - HELD_OUT)


def templates(kind: str, held_out: bool) -> tuple[str, ...]:
    """A kind's phrasings, those of training or those held out, with fields for what a formula says.

    Raises:
        KeyError: If there is no such kind.
    """
    chosen = phrasings(kind, held_out)
    return _TEMPLATES[kind][chosen.start : chosen.stop]


def kind_of(formula: Formula) -> str:
    """Kind of directive that a formula is.

    Raises:
        ValueError: If it is of no known kind.
    """
    return _read(formula)[0]


def phrase(formula: Formula, phrasing: int, replaces: str | None = None) -> str:
    """The words of a formula in one phrasing.

    Args:
        formula: Of one of the known kinds.
        phrasing: Index into the kind's phrasings.
        replaces: Id of the directive that this one supersedes, told first.

    Raises:
        ValueError: If the formula is of no known kind or the kind has no such phrasing.
    """
    kind, words = _read(formula)
    templates = _TEMPLATES[kind]
    if not 0 <= phrasing < len(templates):
        raise ValueError(f"a phrasing of {kind} must be 0 to {len(templates) - 1}, got {phrasing}")
    prefix = "" if replaces is None else _SUPERSEDE[phrasing].format(old=replaces)
    return prefix + templates[phrasing].format(**words)


def _read(formula: Formula) -> tuple[str, dict[str, str]]:
    """Kind of a formula and what its templates' fields stand for."""
    match formula:
        case Eventually(a=first, b=last, f=Always(a=0, b=hold, f=state)) if hold > 0:
            # The hold has to be over when the window closes: that second is what `by` names.
            since = f" (counting from {first} s)" if first else ""
            words = {"by": str(last + hold), "since": since, "hold": str(hold)}
            return REACH_AND_SETTLE, words | {"limits": _limits(state)}
        case Always(a=0, b=end, f=Atom(signal="propellant_pct", op=">", threshold=left)):
            return KEEP_RESERVE, {"left": _number(left), "end": str(end)}
        case Always(a=start, b=end, f=inner):
            kind, words = _read_throughout(inner)
            return kind, {"start": str(start), "end": str(end), **words}
    raise ValueError(f"a formula must be of a kind that has words, got {formula!r:.120}")


def _read_throughout(inner: Formula) -> tuple[str, dict[str, str]]:
    """Kind and words of what has to hold at every second of a window."""
    quiet = Atom("burning", "<", 0.5)
    match inner:
        case Atom(signal="burning"):
            if inner == quiet:
                return STAY_QUIET, {}
        case Not(f=Atom(signal="rate_deg_s", op=">", threshold=rate)):
            return NEVER, {"rate": _number(rate)}
        case Or(f=first, g=Atom(signal="contact", op=">", threshold=0.5)) if first == quiet:
            return ONLY_IF, {}
        case Or(
            f=Atom(signal="alarm", op="<", threshold=0.5),
            g=Eventually(a=0, b=last, f=Always(a=0, b=hold, f=state)),
        ) if hold > 0:
            words = {"within": str(last + hold), "hold": str(hold), "limits": _limits(state)}
            return RESPOND, words
        case Atom(op="<") | And():
            return HOLD, {"limits": _limits(inner)}
    raise ValueError(f"a formula must be of a kind that has words, got {inner!r:.120}")


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
