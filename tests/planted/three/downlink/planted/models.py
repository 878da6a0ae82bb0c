"""Action, observation and state of the downlink environment."""

from typing import List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class DownlinkAction(Action):
    code: str = Field(..., description="Packed form of the current scan line")


class DownlinkObservation(Observation):
    line: List[int] = Field(default_factory=list, description="Scan line to pack")
    line_number: int = 0
    lines_total: int = 0
    plain_length: int = Field(default=0, description="Characters of the line as a plain list")
    accepted: Optional[bool] = Field(default=None, description="Was the last line filed?")
    note: str = ""


class DownlinkState(State):
    picture: str = ""
    filed: int = 0
    characters_sent: int = 0
