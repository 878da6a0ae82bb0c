"""The page at `/web`: telemetry as a drawing, and a few commands at a click.

OpenEnv puts the HTML of `render` into the page as it is given, and an observation holds text that an
agent wrote (its note, and what it sent). So every value is escaped, numbers included.
"""

from __future__ import annotations

from html import escape
from typing import Any

SCALE_DEG = 30.0
"""Pointing error at the edge of the drawing, deg."""
_SIZE = 220.0


def render(observation: dict[str, Any]) -> str:
    """HTML of an observation: a pointing scope, the numbers, the directives, what was said.

    Args:
        observation: The serialized observation, with `reward` and `done`; missing fields are left out.
    """
    rows = "".join(
        f"<tr><th style='text-align:left;padding-right:1em'>{escape(name)}</th>"
        f"<td>{escape(_words(observation[key]))}</td></tr>"
        for name, key in _ROWS
        if observation.get(key) not in (None, "", [])
    )
    return (
        "<div style='display:flex;gap:1.5em;flex-wrap:wrap;font-family:monospace'>"
        f"{_scope(observation)}<table>{rows}</table></div>"
    )


def actions() -> list[tuple[str, dict[str, Any]]]:
    """Commands that a visitor may want at a click, as (label, action)."""
    coast = {"burn": "idle", "mode": "safe_hold", "coast_s": 60}
    burns = [
        (f"{burn}, 60 s", {"burn": burn, "mode": "detumble", "coast_s": 60})
        for axis in ("roll", "pitch", "yaw")
        for burn in (f"{axis}+small", f"{axis}-small")
    ]
    return [("drift, 60 s", coast), *burns]


_ROWS = (
    ("clock, s", "clock_s"),
    ("decisions left", "decisions_left"),
    ("error, deg", "error_deg"),
    ("predicted, deg", "error_predicted_deg"),
    ("rate, deg/s", "rate_deg_s"),
    ("propellant, %", "propellant_pct"),
    ("mode", "mode"),
    ("directives", "directives"),
    ("messages", "messages"),
    ("contact", "contact"),
    ("last command", "last_command"),
    ("note", "note"),
    ("reward", "reward"),
)


def _words(value: Any) -> str:
    """A field in words; lists item by item."""
    if isinstance(value, dict):
        return " ".join(str(part) for part in value.values())
    if isinstance(value, list | tuple):
        return "; ".join(_words(item) for item in value)
    return str(value)


def _scope(observation: dict[str, Any]) -> str:
    """A scope with the target at its center and the measured error as a dot, as SVG."""
    middle = _SIZE / 2.0
    rings = "".join(
        f"<circle cx='{middle}' cy='{middle}' r='{middle * share:.0f}' fill='none' stroke='#888'/>"
        for share in (1.0 / 3.0, 2.0 / 3.0, 1.0)
    )
    dots = _dot(observation.get("error_predicted_deg"), "#bbb") + _dot(
        observation.get("error_deg"), "#d33"
    )
    return f"<svg width='{_SIZE:.0f}' height='{_SIZE:.0f}' role='img'>{rings}{dots}</svg>"


def _dot(error_deg: Any, color: str) -> str:
    if not isinstance(error_deg, list | tuple) or len(error_deg) != 2:
        return ""
    pitch, yaw = (max(-1.0, min(1.0, float(angle) / SCALE_DEG)) for angle in error_deg)
    middle = _SIZE / 2.0
    x, y = middle * (1.0 + yaw), middle * (1.0 - pitch)
    return f"<circle cx='{x:.1f}' cy='{y:.1f}' r='5' fill='{color}'/>"
