"""What the dispatcher does and sees."""

from enum import Enum
from typing import List, Optional, Tuple

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Kind(str, Enum):
    ACCEPT = "accept"
    DECLINE = "decline"
    CLOSE = "close"


class Cab(BaseModel):
    cab: int
    street: Tuple[int, int] = Field(description="Where it is (or will be, once free)")
    free_at: int = Field(description="Minute from which it can take another ride")


class Call(BaseModel):
    call: int
    pickup: Tuple[int, int]
    dropoff: Tuple[int, int]
    latest: int = Field(description="Last minute at which the pick-up is on time")


class MinicabAction(Action):
    kind: Kind = Field(..., description="accept or decline the call, or close the desk")
    cab: Optional[int] = Field(default=None, description="Which cab to send, for accept")


class MinicabObservation(Observation):
    message: str = ""
    minute: int = 0
    call: Optional[Call] = Field(default=None, description="The caller on the line")
    calls_waiting: int = Field(default=0, description="Calls still to come tonight")
    cabs: List[Cab] = Field(default_factory=list)
    rides: int = Field(default=0, description="Rides accepted so far")
    late: int = Field(default=0, description="Of these, picked up late")
    score: Optional[float] = Field(default=None, description="Punctuality, at the end")


class MinicabState(State):
    answered: int = 0
    rides: int = 0
    late: int = 0
