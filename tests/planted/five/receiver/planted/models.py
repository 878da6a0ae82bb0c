"""Data models of the receiver environment."""

from typing import Dict, List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class ReceiverAction(Action):
    """Measure at a test point or replace a part."""

    kind: Literal["measure", "replace"] = Field(..., description="What to do")
    target: str = Field(..., description="A test point or a part")


class ReceiverObservation(Observation):
    """The bench."""

    message: str = Field(default="")
    complaint: str = Field(default="", description="What the customer says")
    parts: List[str] = Field(default_factory=list)
    service_sheet: Dict[str, float] = Field(
        default_factory=dict, description="Test point -> reading of a healthy set"
    )
    reading: Optional[float] = Field(default=None, description="Last measurement")
    repaired: bool = Field(default=False)
    steps_left: int = Field(default=0)


class ReceiverState(State):
    """Progress of the job."""

    measurements: int = 0
    replacements: int = 0
    repaired: bool = False
