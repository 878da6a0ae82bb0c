"""Data models for the birding environment."""

from typing import Dict, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class BirdingAction(Action):
    """Use a field tool on the bird, or name the species."""

    tool: Literal["song", "plumage", "bill", "habitat", "flight", "size", "identify"] = Field(
        ..., description="Field tool to use, or identify to give the answer"
    )
    species: Optional[str] = Field(default=None, description="Species name, for identify")


class BirdingObservation(Observation):
    """What the observer sees, with the field guide at hand."""

    text: str = Field(default="", description="Result of the last tool")
    guide: Dict[str, Dict[str, str]] = Field(default_factory=dict, description="Field guide: traits per species")
    notes: Dict[str, str] = Field(default_factory=dict, description="Traits noted so far")
    minutes_left: int = Field(default=0, description="Minutes before the light goes")


class BirdingState(State):
    """Public episode state."""

    minutes_left: int = 0
