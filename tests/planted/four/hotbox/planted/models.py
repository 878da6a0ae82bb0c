"""Data types of the hotbox environment."""

from typing import Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class HotboxAction(Action):
    """Call for the axle that is shown."""

    call: Literal["clear", "stop"] = Field(description="stop: this axle has a failing bearing")


class HotboxObservation(Observation):
    """Readings of the trackside detector for one axle."""

    axle: int = Field(default=0, description="Number of the axle, from the head of the train")
    axles: int = Field(default=0, description="Axles of the train")
    left_c: float = Field(default=0.0, description="Left bearing, degrees Celsius")
    right_c: float = Field(default=0.0, description="Right bearing, degrees Celsius")
    ambient_c: float = Field(default=0.0)
    speed_kmh: float = Field(default=0.0)
    sun_side: Literal["left", "right", "none"] = "none"
    sun_offset_c: float = Field(default=0.0, description="Heating of the bearings on the sunny side")
    message: str = Field(default="")


class HotboxState(State):
    """Progress of the train over the detector."""

    train: str = ""
    axles: int = 0
    axles_called: int = 0
    stops_called: int = 0
