"""Data models for the horology environment."""

from typing import Any, Dict, List, Literal

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class HorologyAction(Action):
    """Fit a part from the tray into the movement, or take one out."""

    op: Literal["fit", "remove"] = Field(..., description="What to do with the part")
    part: str = Field(..., description="Name of the part")


class HorologyObservation(Observation):
    """The watchmaker's bench."""

    note: str = Field(default="", description="Outcome of the last operation")
    tray: Dict[str, Dict[str, Any]] = Field(default_factory=dict, description="Parts in the tray with their sizes")
    movement: Dict[str, Dict[str, Any]] = Field(default_factory=dict, description="Parts in the movement with their sizes")
    discard: List[str] = Field(default_factory=list, description="Parts marked worn by the customer's watchmaker")
    operations_left: int = Field(default=0, description="Operations before closing time")


class HorologyState(State):
    """Public episode state."""

    operations_left: int = 0
    fitted: int = 0
