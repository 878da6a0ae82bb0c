"""Data models for the borewell environment."""

from typing import Dict, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class BorewellAction(Action):
    """Survey a site, drill a site, or close the project and go home."""

    kind: Literal["survey", "drill", "withdraw"] = Field(..., description="What the crew does today")
    site: Optional[str] = Field(default=None, description="Site letter, for survey and drill")


class BorewellObservation(Observation):
    """The crew's field sheet."""

    report: str = Field(default="", description="Report of the day")
    budget: int = Field(default=0, description="Money left")
    days_left: int = Field(default=0, description="Days before the rains")
    vegetation: Dict[str, int] = Field(default_factory=dict, description="Greenness per site from the air, 0-9")
    resistivity: Dict[str, int] = Field(default_factory=dict, description="Ohm-metres at surveyed sites")
    tap: str = Field(default="dry", description="Village tap: dry or flowing")


class BorewellState(State):
    """Public episode state."""

    budget: int = 0
    days_left: int = 0
