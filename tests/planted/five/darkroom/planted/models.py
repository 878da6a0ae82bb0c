"""Data models for the darkroom environment."""

from typing import Dict, List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class DarkroomAction(Action):
    """The next thing to do under the red light."""

    op: Literal["strip", "print", "deliver"] = Field(default="strip")
    seconds: float = Field(default=8.0, ge=1.0, le=64.0, description="Exposure time")
    grade: float = Field(default=2.0, ge=0.0, le=5.0, description="Paper grade (for print)")


class DarkroomObservation(Observation):
    """The order and what hangs on the line."""

    order: Dict[str, float] = Field(
        default_factory=dict, description="Density and contrast that the customer wants"
    )
    current_print: Dict[str, float] = Field(
        default_factory=dict, description="The latest print with its measured values"
    )
    strips: List[Dict[str, float]] = Field(
        default_factory=list, description="Test strips: seconds and density"
    )
    steps_left: int = 0
    customer: str = Field(default="", description="Word from the customer")


class DarkroomState(State):
    """Public state of the session."""

    prints_made: int = 0
    delivered: bool = False
