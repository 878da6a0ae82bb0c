"""Data models of the restore environment."""

from typing import Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class RestoreAction(Action):
    """One line typed at the terminal."""

    command: str = Field(..., max_length=400, description="ls, cat, sum, cp, verify or exit")


class RestoreObservation(Observation):
    """What the terminal shows."""

    output: str = Field(default="")
    exit_code: int = Field(default=0)
    success: Optional[bool] = Field(default=None, description="Set when the session ends")
    commands_left: int = Field(default=0)


class RestoreState(State):
    """The session."""

    commands_run: int = 0
    ended: bool = False
