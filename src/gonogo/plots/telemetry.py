"""What an episode can be drawn by: a clock, numbers that the observations hold, and directives.

Nothing here knows an environment. Fields are found by their names, whose endings are their units
(``_deg``, ``_deg_s``, ``_pct``, ``_s``). Directives are what observations list under ``directives``
with ``id``, ``status`` and ``time_left_s``; their limits are the numbers with units in the message
that announced them. An environment that has none of this is drawn by its reward and its numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gonogo.rollouts.action_codec import is_hidden
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Observation

CLOCK = "clock_s"
TELEMETRY = {
    "error_deg": ("Pointing error (deg)", "deg", ("pitch", "yaw")),
    "rate_deg_s": ("Rate (deg/s)", "deg/s", ("roll", "pitch", "yaw")),
    "propellant_pct": ("Propellant (%)", "%", ()),
}
"""Fields drawn where an environment has them: axis label, unit, names of a vector's entries."""
REWARD = "reward"
MOST_FIELDS = 3
QUANTITY = re.compile(r"(\d+(?:\.\d+)?) ?(deg/s|deg\b|%|s\b)")
ORDER = re.compile(r"(\w+): (.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Panel:
    """One row of a drawn episode.

    Attributes:
        field: Field of the observation, or ``reward``.
        label: Of the axis.
        unit: As directives write it, or None.
        names: Of the entries of a vector; empty for a scalar.
    """

    field: str
    label: str
    unit: str | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """A directive as an episode was told it.

    Attributes:
        id: Its id.
        text: Its words; empty where no message announced it.
        start: Clock at which its window opens.
        end: Clock at which it closes.
        limits: The number that its words give for each unit.
        quiet: Whether its words name a time span and nothing else.
        status: What the last observation says of it.
    """

    id: str
    text: str
    start: float
    end: float
    limits: dict[str, float]
    quiet: bool
    status: str


def panels_of(episodes: Sequence[Episode]) -> list[Panel]:
    """The rows by which these episodes are drawn, the same for all of them."""
    seen = [o for episode in episodes for o in observations(episode)]
    if any(CLOCK in o for o in seen):
        found = [
            Panel(name, *how)
            for name, how in TELEMETRY.items()
            if any(o.get(name) is not None for o in seen)
        ]
        if found:
            return found
    names = dict.fromkeys(name for o in seen for name, value in o.items() if is_number(value))
    numbers = [name for name in names if not is_hidden(name, 0.0)]
    return [
        Panel(REWARD, "Reward of the turn"),
        *(Panel(name, name) for name in numbers[:MOST_FIELDS]),
    ]


def series(episode: Episode, panel: Panel) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Clock of shape (t,) and values of shape (t, entries) of one panel; NaN where there is none."""
    if panel.field == REWARD:
        rewards = [np.nan if turn.reward is None else turn.reward for turn in episode.turns]
        return np.arange(1.0, len(rewards) + 1), np.array(rewards, dtype=float)[:, None]
    width = max(len(panel.names), 1)
    clock, values = [], []
    for number, seen in enumerate(observations(episode)):
        clock.append(float(seen.get(CLOCK, number)))
        value = seen.get(panel.field)
        values.append([np.nan] * width if value is None else np.atleast_1d(value)[:width])
    return np.array(clock), np.array(values, dtype=float)


def clock_label(episodes: Sequence[Episode]) -> str:
    """Label of the horizontal axis."""
    has_clock = any(CLOCK in o for episode in episodes for o in observations(episode))
    return "Clock (s)" if has_clock else "Turn"


def observations(episode: Episode) -> list[Observation]:
    """All observations, the last one included."""
    last = [episode.final_observation] if episode.final_observation else []
    return [*(turn.observation for turn in episode.turns), *last]


def orders_of(episode: Episode) -> list[Order]:
    """The directives of an episode, in the order in which they arrived."""
    words: dict[str, str] = {}
    arrived: dict[str, tuple[float, float]] = {}
    status: dict[str, str] = {}
    for seen in observations(episode):
        clock = float(seen.get(CLOCK, 0.0))
        for message in texts(seen.get("messages")):
            if said := ORDER.fullmatch(message):
                words.setdefault(said[1], said[2])
        for item in seen.get("directives") or ():
            name = str(item["id"])
            status[name] = str(item["status"])
            arrived.setdefault(name, (clock, clock + float(item["time_left_s"])))
    return [read_order(name, words.get(name, ""), *arrived[name], status[name]) for name in arrived]


def read_order(name: str, text: str, start: float, end: float, status: str) -> Order:
    """A directive with what its words say in numbers."""
    limits: dict[str, float] = {}
    times = []
    for number, unit in QUANTITY.findall(text):
        if unit == "s":
            times.append(float(number))
        else:
            limits[unit] = float(number)
    quiet = len(times) == 2 and not limits
    if quiet:
        start, end = min(times), max(times)
    return Order(name, text, start, end, limits, quiet, status)


def texts(value: Any) -> list[str]:
    """The texts in a list, if it is one."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def is_number(value: Any) -> bool:
    """Whether a field can be drawn as it is."""
    return isinstance(value, int | float) and not isinstance(value, bool)
