"""Data models of the syndrome environment."""

from typing import Annotated, Dict, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

Odds = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class SyndromeAction(Action):
    """Examine the patient at hand, or conclude with odds."""

    examine: Optional[str] = Field(default=None, description="Name of an examination")
    odds: Optional[Dict[str, Odds]] = Field(
        default=None, description="Fever -> probability; concludes the patient"
    )


class SyndromeObservation(Observation):
    """The handbook and the chart of the patient at hand."""

    message: str = Field(default="")
    handbook: Dict[str, Dict[str, str]] = Field(
        default_factory=dict, description="Fever -> examination -> finding"
    )
    patient: int = Field(default=0, description="1, 2 or 3")
    findings: Dict[str, str] = Field(default_factory=dict, description="Chart so far")
    actions_left: int = Field(default=0)


class SyndromeState(State):
    """How far the round has come."""

    concluded: int = 0
    examinations: int = 0
