from typing import Any, Dict, List, Literal

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class DroneAction(Action):
    """Fly one cell, photograph the cell below, or hold position."""

    move: Literal["N", "E", "S", "W", "photo", "hold"]


class DroneObservation(Observation):
    grid: List[str] = Field(default_factory=list, description="Map rows, north first: '.' free, '#' no-fly, 'H' pad, 'S' site to survey, 's' surveyed")
    position: List[int] = Field(default_factory=list, description="[row, column]")
    battery: int = 0
    note: str = ""


class DroneState(State):
    position: List[int] = Field(default_factory=list)
    battery: int = 0
    surveyed: int = 0
    status: str = "flying"
    info: Dict[str, Any] = Field(default_factory=dict)
