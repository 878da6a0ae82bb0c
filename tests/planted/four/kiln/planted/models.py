"""Data types of the kiln environment."""

from typing import Dict, List

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class KilnAction(Action):
    """Setting of the burner for the next quarter of an hour."""

    burner: float = Field(description="Burner valve, 0 (shut) to 1 (fully open)")


class KilnObservation(Observation):
    """Pyrometer and firing card."""

    temperature_c: float = Field(default=0.0, description="Temperature of the ware")
    schedule: List[Dict[str, float]] = Field(
        default_factory=list, description="Checkpoints of the firing: after which step, which temperature"
    )
    step: int = Field(default=0, description="Quarters of an hour since the start")
    steps_total: int = Field(default=0)
    room_c: float = Field(default=0.0)
    message: str = Field(default="")


class KilnState(State):
    """Progress of the firing."""

    ware: str = ""
    temperature_c: float = 0.0
    checkpoints_passed: int = 0
