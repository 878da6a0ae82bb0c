"""Data models of the Herbarium environment."""

from typing import Any, Dict, List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class HerbariumAction(Action):
    command: Literal["examine", "determine"] = Field(..., description="Look at one character or write the label")
    character: str = Field(default="", description="Character to examine, such as leaf_margin")
    determination: str = Field(default="", max_length=2000, description="Text of the determination label")


class HerbariumObservation(Observation):
    message: str = ""
    flora: List[Dict[str, Any]] = Field(default_factory=list, description="Species of the area with their characters")
    characters: List[str] = Field(default_factory=list, description="Characters that can be examined")
    notes: Dict[str, str] = Field(default_factory=dict, description="What was seen on the specimen so far")
    verdict: str = Field(default="open", description="open, confirmed or returned")
    steps_left: int = 0


class HerbariumState(State):
    species: str = ""
    notes: Dict[str, str] = Field(default_factory=dict)
    determination: str = ""
