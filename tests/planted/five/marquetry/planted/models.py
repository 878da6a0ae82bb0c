"""Data models for the marquetry environment."""

from typing import List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class MarquetryAction(Action):
    """Lay a piece of veneer into the panel, or lift one out again."""

    op: Literal["lay", "lift"] = Field(default="lay")
    row: int = Field(default=1, description="Row of the field, from 1")
    col: int = Field(default=1, description="Column of the field, from 1")
    veneer: str = Field(default="", description="Name of the veneer (for lay)")


class MarquetryObservation(Observation):
    """The bench with the drawing and the panel."""

    tray: List[str] = Field(default_factory=list, description="Veneers in tray order")
    drawing: List[str] = Field(default_factory=list, description="One instruction a row")
    panel: List[List[str]] = Field(
        default_factory=list, description="What lies in each field, '' where nothing does"
    )
    moves_left: int = 0
    message: str = ""


class MarquetryState(State):
    """Public state of the bench."""

    pieces_laid: int = 0
    moves_left: int = 0
