"""What the dock supervisor does and sees."""

from enum import Enum
from typing import Dict, List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Move(str, Enum):
    LOAD = "load"
    UNLOAD = "unload"
    DEPART = "depart"


class Pallet(BaseModel):
    pallet: int
    town: str


class Trailer(BaseModel):
    trailer: int
    route: List[str] = Field(description="Towns in the order of delivery")
    aboard: List[Pallet] = Field(
        default_factory=list, description="From the front wall to the doors"
    )


class TrailersAction(Action):
    move: Move = Field(..., description="load, unload or depart")
    pallet: Optional[int] = Field(default=None, description="For load: which pallet")
    trailer: Optional[int] = Field(default=None, description="For load and unload")


class TrailersObservation(Observation):
    message: str = ""
    trailers: List[Trailer] = Field(default_factory=list)
    floor: List[Pallet] = Field(default_factory=list, description="Pallets at the dock")
    still_to_come: Dict[str, int] = Field(
        default_factory=dict, description="Town -> pallets not yet at the dock"
    )
    moves_left: int = 0


class TrailersState(State):
    loaded: int = 0
    moves_left: int = 0
