"""Data models for the heating helpline."""

from typing import Dict, List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class HelplineAction(Action):
    """What the agent says next."""

    move: Literal["ask", "advise", "close"] = Field(..., description="Ask for a reading, advise a fix or end the call")
    room: str = Field(default="", description="The room that is spoken of")
    detail: str = Field(default="", description="'lamp' or 'code' for ask, the name of a fix for advise")


class HelplineObservation(Observation):
    """The call so far, as the agent sees it."""

    manual: List[Dict[str, str]] = Field(default_factory=list, description="Rows with lamp, code and fix")
    customer: str = Field(default="", description="What the customer has just said")
    cold_rooms: List[str] = Field(default_factory=list, description="Rooms named in the first complaint")
    turns_left: int = Field(default=0)
    outcome: str = Field(default="open", description="open, or how the call ended")


class HelplineState(State):
    """Public state of an episode."""

    fixed: int = 0
    annoyance: int = 0
