"""Data models of the Shelving environment."""

from typing import List, Literal, Optional

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class ShelvingAction(Action):
    command: Literal["swap", "finish"] = Field(..., description="Swap two books or hand over the shelf")
    first: Optional[int] = Field(default=None, description="Slot of the first book, from 0")
    second: Optional[int] = Field(default=None, description="Slot of the second book, from 0")


class ShelvingObservation(Observation):
    message: str = ""
    shelf: List[str] = Field(default_factory=list, description="Call numbers from left to right")
    in_place: int = Field(default=0, description="Number of books that stand in their right slot")
    moves_left: int = 0


class ShelvingState(State):
    shelf: List[str] = Field(default_factory=list)
    target: List[str] = Field(default_factory=list)
    finished: bool = False
