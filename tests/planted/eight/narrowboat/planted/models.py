"""What the skipper decides and sees."""

from typing import List, Optional, Tuple

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Junction(BaseModel):
    name: str
    at: Tuple[float, float] = Field(description="Kilometres east and north")
    locks: int = Field(description="Locks to be worked when the boat comes here")


class Order(BaseModel):
    start: str
    destination: str
    stoppages: List[Tuple[str, str]] = Field(description="Channels closed on this leg")


class NarrowboatAction(Action):
    route: List[str] = Field(
        ..., description="Junctions to pass, from the start to the destination"
    )


class NarrowboatObservation(Observation):
    junctions: List[Junction] = Field(default_factory=list)
    channels: List[Tuple[str, str]] = Field(default_factory=list)
    order: Optional[Order] = Field(default=None, description="The leg to be planned")
    leg: int = Field(default=0, description="Its number, from 1")
    legs: int = 0
    arrived: Optional[bool] = Field(default=None, description="Did the last leg succeed")
    minutes: Optional[float] = Field(default=None, description="Time it took")
    legs_arrived: int = 0
    log: str = ""


class NarrowboatState(State):
    leg: int = 0
    legs_arrived: int = 0
