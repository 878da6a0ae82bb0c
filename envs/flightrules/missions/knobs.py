"""The knobs of a level: how long it lasts, how many orders it has, how tight they are, what breaks.

Owns their names and bounds, and what each does to a mission as its level drew it. With no knob given a mission stays
as it was drawn, to the bit. Whether a turned mission is fair is for :mod:`flightrules.missions.proofs` to say, whether
its orders fit into its length for :mod:`flightrules.missions.generator`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from numpy.random import Generator

from flightrules.directives.directive import Directive
from flightrules.directives.formula import Always, Atom, map_atoms
from flightrules.directives.language import (
    HOLD,
    KEEP_RESERVE,
    NEVER,
    ONLY_IF,
    REACH_AND_SETTLE,
    RESPOND,
    STAY_QUIET,
)
from flightrules.errors import MissionError, OptionError, show
from flightrules.flight.happenings import ANOMALIES, Anomaly, Event
from flightrules.missions.levels import draw_anomaly, numbered_again
from flightrules.missions.mission import Mission

HORIZON_MIN_S, HORIZON_MAX_S = 60, 7200
"""Bounds of ``horizon_s``, s."""
TIGHTNESS_MIN, TIGHTNESS_MAX = 0.5, 1.5
"""Bounds of ``tightness``."""
NO_ANOMALY = "none"
"""The value of ``anomaly`` with which nothing breaks."""
KEPT_FIRST = (REACH_AND_SETTLE, HOLD, RESPOND, STAY_QUIET, KEEP_RESERVE, NEVER, ONLY_IF)
"""Which kinds of order ``directives`` keeps first: what asks for something to be done before what forbids something, so
that drifting fails however few are left; among what is to be done, the states before the answers, which go without
saying where nothing else disturbs."""


@dataclass(frozen=True, slots=True)
class Knobs:
    """How a level is turned; None leaves it as it is.

    Attributes:
        horizon_s: Length of the mission, s. What lasts to the end of the mission still does, and decisions grow or
            shrink in proportion; nothing else moves, so every other order's window has to fit.
        directives: How many orders are kept, in the order of :data:`KEPT_FIRST`.
        tightness: What limits of rate and pointing error, and the propellant that may be spent, are divided by.
        anomaly: What breaks: one of :data:`~flightrules.flight.happenings.ANOMALIES`, in the middle third of the
            mission, or :data:`NO_ANOMALY`.

    Raises:
        OptionError: If a knob is of the wrong type or out of bounds.
    """

    horizon_s: int | None = None
    directives: int | None = None
    tightness: float | None = None
    anomaly: str | None = None

    def __post_init__(self) -> None:
        if self.horizon_s is not None and not (
            type(self.horizon_s) is int and HORIZON_MIN_S <= self.horizon_s <= HORIZON_MAX_S
        ):
            rule = f"horizon_s must be an integer from {HORIZON_MIN_S} to {HORIZON_MAX_S}"
            raise OptionError(f"{rule}, got {show(self.horizon_s)}")
        if self.directives is not None and not (
            type(self.directives) is int and self.directives >= 1
        ):
            rule = "directives must be an integer of at least 1"
            raise OptionError(f"{rule}, got {show(self.directives)}")
        if self.tightness is not None:
            if not (
                type(self.tightness) in (int, float)
                and TIGHTNESS_MIN <= self.tightness <= TIGHTNESS_MAX
            ):
                rule = f"tightness must be a number from {TIGHTNESS_MIN} to {TIGHTNESS_MAX}"
                raise OptionError(f"{rule}, got {show(self.tightness)}")
            object.__setattr__(self, "tightness", float(self.tightness))  # 1 and 1.0 are one knob
        if self.anomaly is not None and self.anomaly not in (NO_ANOMALY, *ANOMALIES):
            rule = f"anomaly must be one of {', '.join((NO_ANOMALY, *ANOMALIES))}"
            raise OptionError(f"{rule}, got {show(self.anomaly)}")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Knobs:
        """The knobs among options of any kind, by name; one that is None counts as not given.

        Raises:
            OptionError: If a knob is of the wrong type or out of bounds.
        """
        return cls(**{name: options.get(name) for name in NAMES})

    def given(self) -> dict[str, int | float | str]:
        """The knobs that are not None, by name."""
        every = {name: getattr(self, name) for name in NAMES}
        return {name: value for name, value in every.items() if value is not None}


NAMES = tuple(field.name for field in fields(Knobs))
"""Names of the knobs, which are reset options."""
AS_DRAWN = Knobs()
"""No knob turned."""


def turned(mission: Mission, knobs: Knobs, rng: Generator) -> Mission:
    """A candidate with the knobs turned; its orders need not fit into its length.

    Args:
        mission: The candidate as its level drew it.
        knobs: How to turn it.
        rng: Draws the anomaly that is asked for; nothing else is drawn.

    Raises:
        MissionError: If more directives are asked for than the mission has.
    """
    if knobs.directives is not None:
        mission = replace(mission, directives=_kept(mission, knobs.directives))
    if knobs.tightness is not None:
        mission = replace(mission, directives=_tightened(mission.directives, knobs.tightness))
    if knobs.horizon_s is not None:
        mission = _resized(mission, knobs.horizon_s)
    if knobs.anomaly is not None:
        mission = replace(mission, anomalies=_broken(mission.horizon_s, knobs.anomaly, rng))
    return mission


def _kept(mission: Mission, count: int) -> tuple[Directive, ...]:
    """So many of a mission's orders, numbered again."""
    orders = mission.directives
    if count > len(orders):
        rule = f"directives must be at most {len(orders)}, as many as a {mission.level} mission has"
        raise MissionError(f"{rule}, got {show(count)}")
    by_rank = sorted(range(len(orders)), key=lambda place: KEPT_FIRST.index(orders[place].kind))
    return numbered_again([orders[place] for place in sorted(by_rank[:count])])


def _tightened(orders: tuple[Directive, ...], tightness: float) -> tuple[Directive, ...]:
    def tighter(atom: Atom) -> Atom:
        if atom.signal in ("rate_deg_s", "error_deg"):
            threshold = atom.threshold / tightness
        elif atom.signal == "propellant_pct":
            threshold = max(100.0 - (100.0 - atom.threshold) / tightness, 0.0)
        else:
            return atom
        return replace(atom, threshold=float(f"{threshold:.3g}"))  # the words stay short

    return tuple(order.revised(formula=map_atoms(tighter, order.formula)) for order in orders)


def _resized(mission: Mission, horizon_s: int) -> Mission:
    """The mission with another length."""
    end_s, new_end_s = mission.horizon_s - 1, horizon_s - 1

    def moved(order: Directive) -> Directive:
        if isinstance(order.formula, Always) and order.formula.b == end_s:
            return order.revised(formula=replace(order.formula, b=new_end_s))
        return order

    return replace(
        mission,
        horizon_s=horizon_s,
        decisions=-(-mission.decisions * horizon_s // mission.horizon_s),  # rounded up
        directives=tuple(moved(order) for order in mission.directives),
        events=_cut(mission.events, end_s, new_end_s),
        anomalies=_cut(mission.anomalies, end_s, new_end_s),
    )


_Happening = TypeVar("_Happening", Event, Anomaly)


def _cut(happenings: tuple[_Happening, ...], end_s: int, new_end_s: int) -> tuple[_Happening, ...]:
    """What lasts to the end lasts to the new one; what would only begin after that does not happen."""
    return tuple(
        replace(each, end_s=new_end_s if each.end_s == end_s else min(each.end_s, new_end_s))
        for each in happenings
        if each.start_s <= new_end_s
    )


def _broken(horizon_s: int, kind: str, rng: Generator) -> tuple[Anomaly, ...]:
    if kind == NO_ANOMALY:
        return ()
    start_s = int(rng.integers(horizon_s // 3, 2 * horizon_s // 3))
    return (draw_anomaly(rng, start_s, horizon_s - 1, (kind,)),)
