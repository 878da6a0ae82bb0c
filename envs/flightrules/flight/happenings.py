"""What happens to a spacecraft that no command causes: events that orders speak of, and anomalies.

Owns their kinds and what values they may have. An event is true for everyone and reported; an anomaly is told to nobody
and shows in the telemetry only.
"""

from __future__ import annotations

from dataclasses import dataclass

from flightrules.directives.formula import EVENTS, SIGNALS
from flightrules.physics.coast import Samples

GYRO_BIAS, TRACKER_BLIND = "gyro_bias", "tracker_blind"
THRUSTER_WEAK, GAUGE = "thruster_weak", "gauge"
ANOMALIES = (GYRO_BIAS, TRACKER_BLIND, THRUSTER_WEAK, GAUGE)
"""Kinds of anomaly: the gyro's bias jumps; the star tracker sees nothing; a thruster pair loses thrust; the propellant
gauge is off."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event signal is 1 from one second to another, both included.

    Attributes:
        signal: One of :data:`~flightrules.directives.formula.EVENTS`.
        start_s: First second.
        end_s: Last second.

    Raises:
        ValueError: If the signal is no event or the window is empty.
    """

    signal: str
    start_s: int
    end_s: int

    def __post_init__(self) -> None:
        if self.signal not in EVENTS:
            raise ValueError(f"signal must be one of {', '.join(EVENTS)}, got {self.signal!r:.60}")
        if not 0 <= self.start_s <= self.end_s:
            raise ValueError(
                f"an event must have 0 <= start_s <= end_s, got {self.start_s} and {self.end_s}"
            )


@dataclass(frozen=True, slots=True)
class Anomaly:
    """Something breaks at one second and stays so up to another.

    Attributes:
        kind: One of :data:`ANOMALIES`.
        start_s: First second.
        end_s: Last second.
        axis: 0 roll, 1 pitch, 2 yaw; of a gyro or a thruster.
        size: Jump of the bias, rad/s; share of the thrust that is left; error of the gauge, percent of the load.
            Without meaning for a blind tracker.

    Raises:
        ValueError: If the kind or the axis is unknown, the window is empty or a thruster would push harder.
    """

    kind: str
    start_s: int
    end_s: int
    axis: int = 0
    size: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in ANOMALIES:
            raise ValueError(f"kind must be one of {', '.join(ANOMALIES)}, got {self.kind!r:.60}")
        if not 0 <= self.start_s <= self.end_s:
            raise ValueError(
                f"an anomaly must have 0 <= start_s <= end_s, got {self.start_s} and {self.end_s}"
            )
        if self.axis not in (0, 1, 2):
            raise ValueError(f"axis must be 0, 1 or 2, got {self.axis!r}")
        if self.kind == THRUSTER_WEAK and not 0.0 < self.size <= 1.0:
            raise ValueError(f"size of a weak thruster must be in (0, 1], got {self.size}")

    def at(self, second: int) -> bool:
        """Whether it is there at a mission second."""
        return self.start_s <= second <= self.end_s


def mark(events: tuple[Event, ...], signals: Samples) -> None:
    """Write the events into their columns of a mission's signals, (horizon, signals)."""
    for event in events:
        signals[event.start_s : event.end_s + 1, SIGNALS.index(event.signal)] = 1.0
