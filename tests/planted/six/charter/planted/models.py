"""Data models of the charter environment."""

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class CharterAction(Action):
    """The editor's reading of the current line."""

    text: str = Field(..., max_length=1000, description="Reading of the current line")


class CharterObservation(Observation):
    """The current line as the three copies have it."""

    message: str = Field(default="")
    line_number: int = Field(default=0, description="Counted from 1")
    lines_total: int = Field(default=0)
    base: str = Field(default="", description="The line in the roll, the fullest copy")
    cartulary: str = Field(default="", description="The line in the abbey's cartulary")
    inspeximus: str = Field(default="", description="The line in the royal confirmation")


class CharterState(State):
    """Progress of the edition."""

    lines_done: int = 0
    score: float = 0.0
