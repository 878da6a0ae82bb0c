"""Data models of the Timetable environment."""

from typing import Dict, List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class TimetableAction(Action):
    command: Literal["set", "submit"] = Field(..., description="Change one entry or hand in the timetable")
    train: str = Field(default="", description="Train number (for set)")
    station: str = Field(default="", description="Station (for set)")
    time: str = Field(default="", description="HH:MM, or - where the train does not call (for set)")


class TimetableObservation(Observation):
    message: str = ""
    stations: List[str] = Field(default_factory=list, description="Stations in the order of travel")
    table: Dict[str, Dict[str, str]] = Field(default_factory=dict, description="Train, station, time")
    notices: List[str] = Field(default_factory=list, description="Works notices that the timetable has to follow")
    steps_left: int = 0


class TimetableState(State):
    table: Dict[str, Dict[str, str]] = Field(default_factory=dict)
    required: Dict[str, Dict[str, str]] = Field(default_factory=dict)
    submitted: bool = False
