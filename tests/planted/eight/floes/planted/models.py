"""What the player does and sees."""

from typing import List

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class FloesAction(Action):
    to: str = Field(..., description="The floe to hop to, file and rank, as in 'c4'")


class FloesObservation(Observation):
    message: str = ""
    board: List[str] = Field(
        default_factory=list,
        description="Rank 6 first; 'o' ice, '~' water, 'Y' you, 'R' your rival",
    )
    you: str = ""
    rival: str = ""
    hops: List[str] = Field(default_factory=list, description="Floes you can hop to")
    turn: int = 0
    result: str = Field(default="playing", description="playing, won or lost")


class FloesState(State):
    turn: int = 0
    result: str = "playing"
