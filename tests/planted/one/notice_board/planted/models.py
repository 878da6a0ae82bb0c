"""Data models for the notice board environment."""

from typing import Dict

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class RecordAction(Action):
    """The record of the notice that is shown."""

    record: str = Field(..., max_length=2000, description="A JSON object")


class NoticeObservation(Observation):
    """The next notice, and the schema of its record."""

    notice: str = Field(default="", description="Text of the notice; empty at the end")
    record_schema: Dict[str, str] = Field(default_factory=dict, description="Key and format of each value")
    notices_left: int = Field(default=0)
    breakdown: Dict[str, float] = Field(default_factory=dict, description="Parts of the last score, each from 0 to 1")


class NoticeState(State):
    """Public state of an episode."""

    records: int = 0
