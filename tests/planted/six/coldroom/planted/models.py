"""Data models of the cold room environment."""

from typing import Dict, List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class ColdroomAction(Action):
    """One thing the kitchen porter does."""

    kind: Literal["look", "pull", "leave"] = Field(..., description="What to do")
    shelf: Optional[str] = Field(default=None, max_length=20, description="look: shelf A to F")
    tub: Optional[str] = Field(
        default=None, max_length=40, description="pull: code on the label, e.g. C-14"
    )
    reason: Optional[Literal["expired", "warm"]] = Field(
        default=None, description="pull: what is wrong with it"
    )


class Tub(BaseModel):
    """What the label and the probe say."""

    code: str
    food: str
    made_day: int
    core_celsius: float


class ColdroomObservation(Observation):
    message: str = Field(default="")
    today: int = Field(default=0, description="Day of the year")
    keeps_days: Dict[str, int] = Field(default_factory=dict, description="Food -> shelf life")
    max_celsius: Dict[str, float] = Field(default_factory=dict, description="Food -> limit")
    shelves: List[str] = Field(default_factory=list)
    tubs: List[Tub] = Field(default_factory=list, description="The shelf just looked at")
    steps_left: int = Field(default=0)
    cleared: Optional[bool] = Field(
        default=None, description="At the end: is the room safe again?"
    )


class ColdroomState(State):
    """Progress of the round."""

    pulls: int = 0
    earned: float = 0.0
