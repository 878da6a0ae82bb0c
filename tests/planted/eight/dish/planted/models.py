"""What the operator of the drives sends and reads."""

from typing import Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Axis(BaseModel):
    angle: float = Field(description="Degrees")
    rate: float = Field(description="Degrees per tick")


class Source(BaseModel):
    azimuth: float
    elevation: float


class DishAction(Action):
    azimuth: float = Field(
        default=0.0, allow_inf_nan=False, description="Torque on the azimuth drive, -1 to 1"
    )
    elevation: float = Field(
        default=0.0, allow_inf_nan=False, description="Torque on the elevation drive, -1 to 1"
    )


class DishObservation(Observation):
    message: str = ""
    tick: int = 0
    ticks_left: int = 0
    azimuth: Axis = Field(default_factory=lambda: Axis(angle=0, rate=0))
    elevation: Axis = Field(default_factory=lambda: Axis(angle=0, rate=0))
    source: Optional[Source] = Field(default=None, description="The source to point at")
    off: float = Field(default=0.0, description="Degrees between the dish and the source")
    on_source: int = Field(default=0, description="Ticks in a row within the beam")
    sources_left: int = 0


class DishState(State):
    tick: int = 0
    recorded: int = 0
