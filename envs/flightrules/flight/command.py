"""What an agent may command, and what each mode allows.

Owns the words of the action. Parses a model's raw reply strictly: one JSON object, known fields, right types. A mode
is a configuration of the thrusters and the star tracker, so it has consequences; naming one earns nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

AXES = ("roll", "pitch", "yaw")
SIZES = ("small", "large")
BURNS = ("idle", *(f"{axis}{sign}{size}" for axis in AXES for sign in "+-" for size in SIZES))
"""The 13 burns: ``idle``, or axis, sign and size."""
_AIMS = {
    f"{axis}{sign}{size}": (place, 1.0 if sign == "+" else -1.0, size)
    for place, axis in enumerate(AXES)
    for sign in "+-"
    for size in SIZES
}
"""Axis, sign and size of each burn but ``idle``."""
COAST_MIN_S, COAST_MAX_S = 10, 600
NOTE_MAX = 200
"""Longest note, characters."""


@dataclass(frozen=True, slots=True)
class Mode:
    """What one mode allows and costs.

    Attributes:
        sizes: Sizes of burn that are legal beside ``idle``.
        burn_s: How long a small and a large burn fire, s.
        least_coast_s: Shortest legal coast, s.
        tracker_on: Whether the star tracker runs; without it the attitude estimate drifts with the gyro.
    """

    sizes: tuple[str, ...]
    burn_s: dict[str, float]
    least_coast_s: int = COAST_MIN_S
    tracker_on: bool = True


_FULL = {"small": 1.0, "large": 4.0}

MODES: dict[str, Mode] = {
    "detumble": Mode(SIZES, _FULL, tracker_on=False),
    "slew": Mode(("large",), _FULL),
    "brake": Mode(SIZES, _FULL, least_coast_s=20),
    "trim": Mode(("small",), {"small": 1.0 / 3.0}),
    "hold": Mode(("small",), _FULL, least_coast_s=60),
    "recover": Mode((), {}, least_coast_s=120),
    "safe_hold": Mode((), {}, least_coast_s=60),
}
"""The seven modes. ``recover`` recalibrates the gyro against the star tracker, at the price of its long coast;
``safe_hold`` closes the thruster valves."""


class CommandError(ValueError):
    """A reply or command that cannot be flown; the message says what was wrong, for the agent to read."""


@dataclass(frozen=True, slots=True)
class Command:
    """One decision.

    Attributes:
        burn: One of :data:`BURNS`.
        mode: A key of :data:`MODES`.
        coast_s: Time until the next decision, s, from the start of the burn.
        note: Kept in the flight log and shown again; empty leaves the last note standing.
    """

    burn: str
    mode: str
    coast_s: int
    note: str = ""

    def check(self) -> None:
        """Raise :class:`CommandError` where the mode does not allow the command; fields must be valid already."""
        mode = MODES[self.mode]
        if self.burn != "idle" and not self.burn.endswith(mode.sizes):
            allowed = f"{' and '.join(mode.sizes)} burns" if mode.sizes else "no burn"
            raise CommandError(f"mode {self.mode} allows {allowed}, got {self.burn}")
        if self.coast_s < mode.least_coast_s:
            raise CommandError(
                f"mode {self.mode} needs coast_s of at least {mode.least_coast_s}, got {self.coast_s}"
            )

    def pulse(self) -> tuple[int, float, float]:
        """Axis (0 roll, 1 pitch, 2 yaw), sign and firing time (s) of the burn; (0, 0.0, 0.0) for ``idle``."""
        if self.burn == "idle":
            return 0, 0.0, 0.0
        axis, sign, size = _AIMS[self.burn]
        return axis, sign, MODES[self.mode].burn_s[size]


def parse_reply(text: str) -> Command:
    """Parse a model's raw reply: a JSON object with ``burn``, ``mode``, ``coast_s`` and, if wanted, ``note``.

    Raises:
        CommandError: Naming the field, the rule and the value.
    """
    if not text.strip():
        raise CommandError("empty reply, a JSON object was expected")
    try:
        fields = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_no_duplicates)
    except json.JSONDecodeError as error:
        raise CommandError(f"not JSON: {error.msg} at character {error.pos}") from None
    except CommandError:
        raise
    except RecursionError:
        raise CommandError("not JSON: nested too deeply") from None
    except ValueError as error:  # an integer of thousands of digits
        raise CommandError(f"not JSON: {_show(str(error))}") from None
    if not isinstance(fields, dict):
        raise CommandError(f"a JSON object was expected, got {_show(fields)}")
    return from_fields(fields)


def from_fields(fields: dict[str, Any]) -> Command:
    """A command from its fields, each checked.

    Raises:
        CommandError: Naming the field, the rule and the value.
    """
    unknown = sorted(set(fields) - {"burn", "mode", "coast_s", "note"})
    if unknown:
        raise CommandError(f"unknown field {_show(unknown[0])}")
    for name in ("burn", "mode", "coast_s"):
        if name not in fields:
            raise CommandError(f"missing field {name}")
    burn, mode, coast_s, note = (
        fields["burn"],
        fields["mode"],
        fields["coast_s"],
        fields.get("note", ""),
    )
    if burn not in BURNS:
        raise CommandError(f"burn must be one of {', '.join(BURNS)}, got {_show(burn)}")
    if not isinstance(mode, str) or mode not in MODES:
        raise CommandError(f"mode must be one of {', '.join(MODES)}, got {_show(mode)}")
    if type(coast_s) is not int or not COAST_MIN_S <= coast_s <= COAST_MAX_S:
        raise CommandError(
            f"coast_s must be an integer from {COAST_MIN_S} to {COAST_MAX_S}, got {_show(coast_s)}"
        )
    if not isinstance(note, str) or len(note) > NOTE_MAX:
        raise CommandError(f"note must be text of at most {NOTE_MAX} characters, got {_show(note)}")
    return Command(burn, mode, coast_s, note)


def _refuse_constant(name: str) -> None:
    raise CommandError(f"{name} is not a number that can be flown")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise CommandError("a field is given twice")
    return fields


def _show(value: object) -> str:
    """A value for an error message, short whatever was sent."""
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."
