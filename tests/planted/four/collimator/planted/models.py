"""Data models for the collimator environment."""

from typing import Dict, Literal

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class CollimatorAction(Action):
    """Turn one adjuster of the beam mount by a number of clicks."""

    knob: Literal["pitch", "yaw", "focus"] = Field(..., description="Adjuster to turn")
    clicks: int = Field(..., ge=-6, le=6, description="Clicks to turn, negative is anticlockwise")


class CollimatorObservation(Observation):
    """What the bench shows after a turn."""

    message: str = Field(default="", description="Bench log line")
    knobs: Dict[str, int] = Field(default_factory=dict, description="Dial position per adjuster")
    loss_db: float = Field(default=0.0, description="Coupling loss at the detector, 0 is perfect")
    turns_left: int = Field(default=0, description="Turns before the bench slot ends")


class CollimatorState(State):
    """Public episode state."""

    turns_left: int = 0
    aligned: bool = False
