"""Data types of the piano environment."""

from typing import Dict, Literal, Optional

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class PianoAction(Action):
    """Turn one tuning pin, or close the lid."""

    kind: Literal["turn", "finish"]
    note: Optional[str] = Field(default=None, description="Note whose pin is turned, as in `cents`")
    degrees: float = Field(default=0.0, description="Turn of the pin, positive tightens; -12 to 12")


class PianoObservation(Observation):
    """Readings of the tuning fork app."""

    cents: Dict[str, float] = Field(
        default_factory=dict, description="Note -> deviation from pitch in cents (positive is sharp)"
    )
    tolerance: float = Field(default=0.0, description="A note within this many cents is in tune")
    visit_steps: int = Field(default=0, description="Length of the visit in steps")
    steps_left: int = Field(default=0)
    message: str = Field(default="")
    success: bool = Field(default=False, description="Every note in tune at the end of the visit")


class PianoState(State):
    """Progress of the visit."""

    instrument: str = ""
    notes: int = 0
    notes_in_tune: int = 0
    finished: bool = False
