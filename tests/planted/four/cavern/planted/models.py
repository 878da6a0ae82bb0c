"""Data models for the cavern environment."""

from typing import List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class CavernAction(Action):
    """Survey a leg, walk without surveying, or go back to the surface."""

    kind: Literal["survey", "walk", "surface"] = Field(..., description="What the team does")
    to: Optional[str] = Field(default=None, description="Neighbouring station, for survey and walk")


class CavernObservation(Observation):
    """What the team leader knows."""

    log: str = Field(default="", description="Outcome of the last move")
    cave: str = Field(default="", description="Name of the cave")
    station: str = Field(default="", description="Where the team stands")
    passages: List[str] = Field(default_factory=list, description="Stations that can be reached from here")
    measured_m: float = Field(default=0.0, description="Length of the leg surveyed in this step")
    target_m: float = Field(default=0.0, description="Metres of passage the club wants on the map")
    light_left: int = Field(default=0, description="Lamp units left")


class CavernState(State):
    """Public episode state."""

    light_left: int = 0
    station: str = ""
