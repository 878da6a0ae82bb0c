"""What passes over the wire: the action, the observation, the public state.

Owns the types and their JSON schemas. Imports neither the simulator nor numpy, so that a client needs
only openenv. Holds no hidden truth: an observation is what the spacecraft measured, the state says
which kind of episode runs but not which one (a seed or an index would let an agent rebuild the
mission), and success and score travel in `metadata`, which is never shown to a model.

Validation uses field constraints only. A validator of our own that raised `ValueError` would end the
WebSocket session instead of refusing the action.
"""

from __future__ import annotations

from typing import Any, Literal

from openenv.core.env_server.types import Action, Observation, State
from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from flightrules.flight.command import COAST_MAX_S, COAST_MIN_S, NOTE_MAX

Burn = Literal[
    "idle",
    "roll+small",
    "roll+large",
    "roll-small",
    "roll-large",
    "pitch+small",
    "pitch+large",
    "pitch-small",
    "pitch-large",
    "yaw+small",
    "yaw+large",
    "yaw-small",
    "yaw-large",
]
"""The 13 burns; `flightrules.flight.command.BURNS` says what they do, a test keeps the two equal."""

ModeName = Literal["detumble", "slew", "brake", "trim", "hold", "recover", "safe_hold"]
"""The modes; `flightrules.flight.command.MODES` says what each allows."""

Level = Literal["detumble", "retarget", "precision_hold", "mission_ops"]
"""The levels of difficulty, easy to hard."""

_ONE_FORM: dict[str, Any] = {
    "oneOf": [{"required": ["burn", "mode", "coast_s"]}, {"required": ["reply"]}]
}


def _not_null(schema: dict[str, Any]) -> None:
    """Show an optional field as its type alone: leaving it out is the way to say nothing."""
    value = next(kind for kind in schema.pop("anyOf") if kind.get("type") != "null")
    schema.pop("default", None)
    schema.update(value)


class FlightAction(Action):
    """One decision: either `burn`, `mode` and `coast_s` (and, if wanted, `note`), or `reply` alone.

    Giving both, or neither, is a malformed decision: it costs a decision and is answered with what was
    wrong. A field that breaks its type or bound never reaches the flight and costs nothing.
    """

    model_config = ConfigDict(strict=True, json_schema_extra=_ONE_FORM)

    burn: Burn | None = Field(
        default=None,
        description="Thruster pulse: idle, or axis, sign and size. The mode limits what is legal.",
        json_schema_extra=_not_null,
    )
    mode: ModeName | None = Field(
        default=None,
        description="Configuration of thrusters and star tracker until the next decision. detumble: every "
        "burn, star tracker off. slew: large burns. brake: every burn, coast 20 s at least. trim: small "
        "burns at a third of the pulse. hold: small burns, 60 s at least. recover: no burn, 120 s at "
        "least, recalibrates the gyro on the stars. safe_hold: no burn, 60 s at least.",
        json_schema_extra=_not_null,
    )
    coast_s: int | None = Field(
        default=None,
        ge=COAST_MIN_S,
        le=COAST_MAX_S,
        description="Seconds until the next decision, from the start of the burn.",
        json_schema_extra=_not_null,
    )
    note: str | None = Field(
        default=None,
        max_length=NOTE_MAX,
        description="Kept in the flight log and shown again.",
        json_schema_extra=_not_null,
    )
    reply: str | None = Field(
        default=None,
        description="A model's raw text instead of the fields: one JSON object of burn, mode, coast_s "
        "and, if wanted, note. Parsed strictly; an unusable reply costs a decision.",
        json_schema_extra=_not_null,
    )


class DirectiveStatus(TypedDict):
    """How one directive stands. The status rests on telemetry until the window closes."""

    id: str
    status: str
    time_left_s: int


class FlightObservation(Observation):
    """Telemetry after a decision. Angles in degrees, rates in degrees per second, times in seconds.

    Everything here is as measured. `text` says the same for a language model, in under 100 tokens.
    """

    clock_s: int = Field(default=0, ge=0, description="Mission clock, s.")
    decisions_left: int = Field(default=0, ge=0, description="Decisions that remain.")
    error_deg: tuple[float, float] | None = Field(
        default=None,
        description="Pointing error as pitch and yaw, deg; null where nothing is to be pointed at.",
    )
    error_predicted_deg: tuple[float, float] | None = Field(
        default=None,
        description="Pointing error predicted for the end of a plain coast, deg, or null.",
    )
    rate_deg_s: tuple[float, float, float] = Field(
        default=(0.0, 0.0, 0.0), description="Measured roll, pitch and yaw rate, deg/s."
    )
    propellant_pct: float = Field(
        default=100.0, description="Propellant left, percent of the load."
    )
    mode: str = Field(default="", description="Mode of the last command.")
    directives: list[DirectiveStatus] = Field(
        default_factory=list,
        description="Each directive: id, status as telemetry has it, seconds until its window closes.",
    )
    messages: list[str] = Field(
        default_factory=list,
        description="Messages since the last decision: alarms, and new directives in full.",
    )
    contact: bool | None = Field(
        default=None,
        description="Whether the ground is in contact; null on a mission without contacts.",
    )
    last_command: str = Field(default="", description="What became of the last command.")
    note: str = Field(default="", description="The note that the agent left.")
    text: str = Field(
        default="",
        description="The observation as a language model reads it.",
        json_schema_extra={"x-whole-view": True},  # gonogo shows a model nothing else
    )


class FlightState(State):
    """Public facts about the running episode, and nothing that identifies its mission."""

    model_config = ConfigDict(extra="forbid")

    level: str | None = Field(default=None, description="Level of the mission, null before reset.")
    split: str | None = Field(
        default=None, description="Split of the mission, null for a mission from a seed."
    )
    done: bool = Field(default=False, description="Whether the episode has ended.")
