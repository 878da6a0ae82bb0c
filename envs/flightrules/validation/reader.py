"""The reading pilot: understands orders by regular expression and flies for them on what it measures.

Owns the baseline that a language model has to be held against: everything that can be had without understanding
language. Its expressions are made from the phrasings that training shows, so it reads those to the last number, and
of a held-out one nothing. For what it has read it flies by the oracle's law (:mod:`flightrules.missions.guidance`) on
telemetry alone; for what it cannot read it does nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from flightrules.directives import language
from flightrules.directives.directive import (
    Directive,
    burn_only_in_contact,
    hold,
    keep_reserve,
    never_faster,
    reach_and_settle,
    respond,
    stay_quiet,
)
from flightrules.directives.formula import Always
from flightrules.flight.command import COAST_MAX_S, COAST_MIN_S, MODES, Command
from flightrules.flight.happenings import Event
from flightrules.missions.demands import demands
from flightrules.missions.guidance import Plan, choose, command_words

STEP = np.full(3, 0.04 * 2 * 0.36 / 20.0)
"""(3,) rate that one second of firing gives an axis of a vehicle from the middle of the ranges, rad/s: a pair of 0.04 N
thrusters 0.36 m off the axis on 20 kg m^2."""
PULSE_MODES = {"detumble": "brake", "trim": "trim"}
"""The mode that a pulse of the law is fired in, or waited in: one that leaves the star tracker on."""
LEAST_S = 20
"""Shortest coast, s: a finer one spends decisions that the end of a mission needs."""
NEWS_S = 120
"""Longest coast, s: orders and alarms arrive between decisions. Long enough to recalibrate the gyro on the way."""
CONTACT_S = 30
"""Longest coast while ground contact decides what is allowed, s."""
WATCH_S = 60
"""Longest coast while a hold with a fixed start lasts, or is about to start, s."""
FRESH_S, READY_S = 300, 20
"""A hold with a fixed start begins on a calibration that is no older than this, s, and this long before it, s."""

_FIELDS = {
    "limits": r"(?P<limits>.+)",
    "since": r"(?: \(counting from (?P<since>\d+) s\))?",
    "old": r"(?P<old>D\d+)",
}
_LIMITS = re.compile(
    r"(?:pointing within (?P<error_deg>[\d.]+) deg)?(?: and )?"
    r"(?:every axis under (?P<rate_deg_s>[\d.]+) deg/s)?"
)
_ALARM = re.compile(r"alarm at (\d+) s")
_ORDER = re.compile(r"(D\d+): (.+)")


def _pattern(template: str) -> str:
    """A template as a regular expression: what is not a field is taken literally."""
    pieces = re.split(r"\{(\w+)\}", template)
    return "".join(
        _FIELDS.get(piece, rf"(?P<{piece}>[\d.]+)") if place % 2 else re.escape(piece)
        for place, piece in enumerate(pieces)
    )


_SUPERSEDE = "|".join(
    re.sub(r"\?P<\w+>", "", _pattern(template))
    for template in language.templates(language.SUPERSEDE, held_out=False)
)
_PATTERNS = tuple(
    (kind, re.compile(rf"(?:{_SUPERSEDE})?{_pattern(template)}"))
    for kind in language.KINDS
    if kind != language.SUPERSEDE
    for template in language.templates(kind, held_out=False)
)


def read(name: str, words: str) -> Directive | None:
    """The order that words in a training phrasing give, or None where no expression fits.

    Args:
        name: Id of the order.
        words: Its text, with or without the prefix that says what it replaces.
    """
    for kind, pattern in _PATTERNS:
        found = pattern.fullmatch(words)
        if found is not None:
            return _BUILD[kind](name, found.groupdict())
    return None


Words = dict[str, str | None]


def _seconds(words: Words, field: str) -> int:
    return int(words[field] or 0)


def _window(words: Words) -> dict[str, int]:
    return {"start_s": _seconds(words, "start"), "end_s": _seconds(words, "end")}


def _limits(words: Words) -> dict[str, Any]:
    found = _LIMITS.fullmatch(words["limits"] or "")
    return {} if found is None else {k: float(v) for k, v in found.groupdict().items() if v}


_BUILD: dict[str, Callable[[str, Words], Directive]] = {
    language.REACH_AND_SETTLE: lambda name, words: reach_and_settle(
        name, phrasing=0, deadline_s=_seconds(words, "by"), hold_s=_seconds(words, "hold"),
        since_s=_seconds(words, "since"), **_limits(words),
    ),
    language.HOLD: lambda name, words: hold(name, phrasing=0, **_window(words), **_limits(words)),
    language.STAY_QUIET: lambda name, words: stay_quiet(name, phrasing=0, **_window(words)),
    language.KEEP_RESERVE: lambda name, words: keep_reserve(
        name, phrasing=0, end_s=_seconds(words, "end"), propellant_pct=float(words["left"] or 0)
    ),
    language.NEVER: lambda name, words: never_faster(
        name, phrasing=0, **_window(words), rate_deg_s=float(words["rate"] or 0)
    ),
    language.ONLY_IF: lambda name, words: burn_only_in_contact(name, phrasing=0, **_window(words)),
    language.RESPOND: lambda name, words: respond(
        name, phrasing=0, **_window(words), within_s=_seconds(words, "within"),
        hold_s=_seconds(words, "hold"), **_limits(words),
    ),
}  # fmt: skip


class Reader:
    """Flies for the orders it could read, one pulse a decision, and looks after its gyro.

    It recalibrates first thing, before a hold that starts at a fixed time, and whenever it waits for long. Decisions
    that are too few for the rest of the mission are spread over it.
    """

    def __init__(self) -> None:
        self._orders: dict[str, Directive] = {}
        self._alarms: list[Event] = []
        self._calibrated_s = -math.inf

    def decide(self, observation: dict[str, Any]) -> Command:
        """Read what came in, then fire at the axis that is furthest from its wanted rate, or wait."""
        self._take_in(observation["messages"])
        statuses = {item["id"]: item["status"] for item in observation["directives"]}
        plan = self._plan(observation, statuses)
        now = observation["clock_s"]
        if self._is_stale(plan, now):
            return self._wait(now, MODES["recover"].least_coast_s)
        rate_B = np.radians(observation["rate_deg_s"])
        error_B = np.radians(observation["error_deg"] or (0.0, 0.0))
        pulse = self._choose(plan, now, rate_B, error_B)
        burn, mode = command_words(pulse)
        mode = PULSE_MODES[mode]
        if pulse >= 0:
            axis, sign, firing_s = Command(burn, mode, COAST_MAX_S).pulse()
            rate_B[axis] += sign * firing_s * STEP[axis]
        longest_s = CONTACT_S if self._is_contact_asked(statuses, now) else NEWS_S
        if self._is_held(plan, now):
            longest_s = min(longest_s, WATCH_S)
        coast_s = LEAST_S
        while coast_s < longest_s:
            error_then = error_B - coast_s * rate_B[1:]
            if self._choose(plan, now + coast_s, rate_B, error_then) >= 0:
                break
            coast_s += COAST_MIN_S
        share_s = self._share_s(now, observation["decisions_left"])
        if share_s > NEWS_S:
            coast_s = min(share_s, COAST_MAX_S)
        if pulse < 0 and coast_s >= MODES["recover"].least_coast_s:
            return self._wait(now, coast_s)
        return Command(burn, mode, coast_s)

    def _wait(self, now: int, coast_s: int) -> Command:
        """Coast and recalibrate on the way."""
        self._calibrated_s = now + coast_s
        return Command("idle", "recover", coast_s)

    def _is_stale(self, plan: Plan, now: int) -> bool:
        """Whether the gyro is to be recalibrated now: it never was, or a hold is near that needs it fresh."""
        if self._calibrated_s < 0:
            return True
        ready_s = MODES["recover"].least_coast_s + READY_S
        return any(
            self._calibrated_s < start_s - FRESH_S <= now <= start_s - ready_s
            for start_s, _ in _fixed(plan)
        )

    def _is_contact_asked(self, statuses: dict[str, str], now: int) -> bool:
        """Whether ground contact decides before the longest coast is over what may be fired."""
        return any(
            order.kind == language.ONLY_IF
            and isinstance(order.formula, Always)
            and statuses[name] == "open"
            and order.formula.a <= now + NEWS_S
            for name, order in self._orders.items()
        )

    @staticmethod
    def _is_held(plan: Plan, now: int) -> bool:
        return any(start_s - READY_S <= now <= end_s for start_s, end_s in _fixed(plan))

    def _share_s(self, now: int, left: int) -> int:
        """Seconds to the end of the last order for each decision that is left, in tens, rounded up."""
        last_s = max((order.end_s for order in self._orders.values()), default=now)
        return COAST_MIN_S * math.ceil((last_s + 1 - now) / (left * COAST_MIN_S))

    def _take_in(self, messages: list[str]) -> None:
        for message in messages:
            alarm, order = _ALARM.fullmatch(message), _ORDER.fullmatch(message)
            if alarm is not None:
                self._alarms.append(Event("alarm", int(alarm[1]), int(alarm[1])))
            elif order is not None and (directive := read(order[1], order[2])) is not None:
                self._orders[directive.id] = directive

    def _plan(self, observation: dict[str, Any], statuses: dict[str, str]) -> Plan:
        """What is still to be done, as far as it was read."""
        now = observation["clock_s"]
        standing = [order for name, order in self._orders.items() if statuses[name] == "open"]
        contact = [Event("contact", now, now + COAST_MAX_S)] if observation["contact"] else []
        plan = Plan.of(demands(standing, [*self._alarms, *contact]), STEP)
        # An order about alarms stays open when one of them is over; nothing is owed to that one any more.
        due = plan.states[:, 2] + plan.states[:, 3] >= now
        return Plan(plan.states[due], plan.caps, plan.silent, plan.step)

    @staticmethod
    def _choose(plan: Plan, now: int, rate_B: np.ndarray, error_B: np.ndarray) -> int:
        everything = np.ones(len(plan.states), bool)
        angle = math.hypot(*error_B)
        return choose(
            now, rate_B, error_B, angle, everything, plan.states, plan.caps, plan.silent, plan.step
        )


def _fixed(plan: Plan) -> list[tuple[float, float]]:
    """First and last second of each pointed hold that cannot begin when it likes."""
    return [
        (start_s, start_s + hold_s)
        for _, start_s, begin_by_s, hold_s, _, error_deg in plan.states
        if start_s == begin_by_s and math.isfinite(error_deg)
    ]
