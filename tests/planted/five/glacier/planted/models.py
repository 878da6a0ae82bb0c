"""Data models for the glacier environment."""

from typing import Dict, List, Literal, Optional

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class GlacierAction(Action):
    """What the guide does in the next hour."""

    move: Literal["north", "south", "east", "west", "wait"] = Field(
        default="wait", description="Direction of the next pitch, or wait where you are"
    )


class GlacierObservation(Observation):
    """What the guide sees from the rope."""

    position: List[int] = Field(default_factory=list, description="[row, col] of the party")
    hut: List[int] = Field(default_factory=list, description="[row, col] of the hut")
    size: List[int] = Field(default_factory=list, description="[rows, cols] of the map")
    in_sight: Dict[str, str] = Field(
        default_factory=dict,
        description="'row,col' -> 'firm' or 'crevasse', for cells at most two away",
    )
    hours_left: int = Field(default=0, description="Hours of daylight left")
    note: str = Field(default="", description="Last line of the guide's log")


class GlacierState(State):
    """Public state of a crossing."""

    position: Optional[List[int]] = None
    hours_left: int = 0
