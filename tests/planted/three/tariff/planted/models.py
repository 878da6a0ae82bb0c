"""Action, observation and state of the tariff environment."""

from typing import List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class TariffAction(Action):
    command: Literal["read", "write", "run_checks", "submit"] = Field(..., description="What to do")
    path: Optional[str] = Field(default=None, description="File of the workspace")
    content: Optional[str] = Field(default=None, description="New content, for write")


class TariffObservation(Observation):
    output: str = Field(default="", description="Output of the last command")
    files: List[str] = Field(default_factory=list, description="Files of the workspace")
    task: str = ""
    steps_left: int = 0
    success: Optional[bool] = Field(default=None, description="Set when the work is submitted")


class TariffState(State):
    writes: int = 0
    last_score: float = 0.0
