"""Data models of the minutes environment."""

from typing import List

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class MinutesAction(Action):
    """The action items of the meeting that was just transcribed."""

    minutes: str = Field(
        ...,
        max_length=12000,
        description="One item a line: owner - task - day",
    )


class MinutesObservation(Observation):
    """A transcript to be turned into minutes."""

    instruction: str = Field(default="")
    transcript: List[str] = Field(default_factory=list, description="Lines as spoken")
    meeting: int = Field(default=0, description="Number of the meeting, from 1")
    meetings_total: int = Field(default=0)


class MinutesState(State):
    """Progress through the day."""

    meetings_done: int = 0
