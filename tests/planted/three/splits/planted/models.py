"""Action, observation and state of the splits environment."""

from typing import List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class SplitsAction(Action):
    command: Literal["readings", "calibrate", "publish"] = Field(..., description="What to do")
    reader: Optional[str] = Field(default=None, description="north, middle or south")
    results: List[str] = Field(default_factory=list, description="Lines 'HH:MM:SS bib'")


class SplitsObservation(Observation):
    race: str = ""
    start_list: List[int] = Field(default_factory=list, description="Bibs at the start")
    readers: List[str] = Field(default_factory=list)
    lines: List[str] = Field(default_factory=list, description="Answer to the last command")
    steps_left: int = 0


class SplitsState(State):
    published: bool = False
