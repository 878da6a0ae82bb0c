"""Data models of the Climate Bulletin environment."""

from typing import Any, Dict, List, Literal, Optional

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class BulletinAction(Action):
    command: Literal["read", "write", "publish"] = Field(..., description="What to do in this step")
    station: str = Field(default="", description="Station for read and write")
    mean_max: Optional[float] = Field(default=None, description="Mean of the daily maxima, one decimal")
    frost_days: Optional[int] = Field(default=None, description="Number of days with a minimum below 0")
    rain_total: Optional[float] = Field(default=None, description="Rain of the period in mm, one decimal")


class BulletinObservation(Observation):
    message: str = ""
    period: str = ""
    stations: List[str] = Field(default_factory=list, description="Stations of this bulletin")
    rows: List[Dict[str, Any]] = Field(default_factory=list, description="Daily rows of the station just read")
    written: List[str] = Field(default_factory=list, description="Stations that have a section")
    steps_left: int = 0


class BulletinState(State):
    period: str = ""
    stations: List[str] = Field(default_factory=list)
    sections: Dict[str, Dict[str, Any]] = Field(default_factory=dict)
    published: bool = False
