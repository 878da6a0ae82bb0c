"""What the agent is told: telemetry as fields and as text.

Owns the words and widths of the telemetry. Reads estimates and measured signals only; nothing here has the truth. The
text has fixed-width numbers, so that every decision costs a model about the same number of tokens, and it rounds (times
left to minutes, propellant to percent) where the fields do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flightrules.flight.command import AXES

PREDICTION_S = 60
"""Length of the plain coast that ``error_predicted_deg`` looks ahead, s."""
RATE_SHOWN_DEG_S = 9.99
"""Largest rate that the text can show, deg/s; the field has it in full."""


@dataclass(slots=True)
class Telemetry:
    """One observation; the fields of the wire. It is not frozen: that would triple what making it costs.

    Attributes:
        clock_s: Mission clock, s.
        decisions_left: Decisions that remain.
        error_deg: Measured pointing error about pitch and yaw, deg: the turn that brings the boresight onto the
            target; None where nothing is to be pointed at.
        error_predicted_deg: The same at the end of a plain coast of :data:`PREDICTION_S`.
        rate_deg_s: Measured roll, pitch and yaw rate, deg/s.
        propellant_pct: Propellant left, percent of the load.
        mode: Mode of the last command.
        directives: Id, status as telemetry has it, and time left (s) of each directive.
        messages: What arrived since the last decision: alarms, and new directives in full.
        contact: Whether the ground is in contact; None where it never is.
        last_command: What became of the last command.
        note: The note that the agent left.
        text: All of it for a language model.
    """

    clock_s: int
    decisions_left: int
    error_deg: tuple[float, float] | None
    error_predicted_deg: tuple[float, float] | None
    rate_deg_s: tuple[float, float, float]
    propellant_pct: float
    mode: str
    directives: list[dict[str, Any]]
    messages: list[str]
    contact: bool | None
    last_command: str
    note: str
    text: str


def render(
    clock_s: int,
    decisions_left: int,
    errors_deg: Sequence[float] | None,
    rate_deg_s: Sequence[float],
    propellant_pct: float,
    mode: str,
    directives: list[dict[str, Any]],
    messages: list[str],
    remark: str,
    note: str,
    contact: bool | None,
) -> str:
    """The text of one observation.

    Args:
        clock_s: Mission clock, s.
        decisions_left: Decisions that remain.
        errors_deg: Pitch and yaw error now, then predicted, deg, or None.
        rate_deg_s: Roll, pitch and yaw rate, deg/s; shown fastest first, since limits are on the fastest axis.
        propellant_pct: Percent.
        mode: Mode of the last command.
        directives: Id, status and time left of each directive.
        messages: Shown first, in full.
        remark: What became of the last command, where that is not simply that it was flown.
        note: The agent's note.
        contact: Whether the ground is in contact; None where it never is.
    """
    parts = [*messages, f"T+{clock_s:04d} s, {decisions_left:02d} left"]
    if remark:
        parts.append(remark)
    for item in directives:
        if item["status"] == "open":
            parts.append(f"{item['id']} open {item['time_left_s'] // 60:02d} min")
        else:
            parts.append(f"{item['id']} {item['status']}")
    if note:
        parts.append(f"note: {note}")
    if contact is not None:
        parts.append("contact" if contact else "no contact")
    parts += [mode, f"propellant {propellant_pct:03.0f} %"]
    # Last, and of fixed width: what the next command depends on most stands at the same distance from it.
    if errors_deg is not None:
        parts.append("error %+06.1f %+06.1f deg, in 60 s %+04.0f %+04.0f" % tuple(errors_deg))
    parts.append(_rates(*rate_deg_s))
    return " | ".join(parts)


def _rates(roll: float, pitch: float, yaw: float) -> str:
    """The three rates, deg/s, fastest first."""
    limit = RATE_SHOWN_DEG_S
    (_, first, a), (_, second, b), (_, third, c) = sorted(
        [(-abs(roll), 0, roll), (-abs(pitch), 1, pitch), (-abs(yaw), 2, yaw)]
    )
    if abs(a) > limit:
        a, b, c = [min(max(rate, -limit), limit) for rate in (a, b, c)]
    shown = (AXES[first], a, AXES[second], b, AXES[third], c)
    return "rate %s %+05.2f %s %+05.2f %s %+05.2f deg/s" % shown
