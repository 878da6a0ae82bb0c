"""Data models for the night shift puzzle."""

from typing import List

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class PressAction(Action):
    """Press the switch of one office."""

    row: int = Field(..., description="Row, from 0")
    column: int = Field(..., description="Column, from 0")


class FloorObservation(Observation):
    """The floor plan with its lights."""

    grid: List[List[int]] = Field(default_factory=list, description="1 where the light is on")
    lights_on: int = Field(default=0)
    presses_left: int = Field(default=0)
    message: str = Field(default="")
    solved: bool = Field(default=False, description="True once every light is off")


class FloorState(State):
    """Public state of an episode."""

    lights_on: int = 0
