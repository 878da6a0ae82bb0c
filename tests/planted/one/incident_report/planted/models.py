"""Data models for the incident report environment."""

from typing import List

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class SectionAction(Action):
    """The text of the section that is asked for."""

    text: str = Field(..., description="Plain prose; only the first 60 words are read")


class ReportObservation(Observation):
    """The on-call log and the section to be written next."""

    log: str = Field(default="", description="On-call log of the night, one entry a line")
    section: str = Field(default="", description="Section to write now; empty at the end")
    guidance: str = Field(default="", description="What the section should tell the reader")
    sections_left: int = Field(default=0)


class ReportState(State):
    """Public state of an episode."""

    words_written: int = 0
