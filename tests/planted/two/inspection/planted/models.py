from typing import Dict, List, Literal

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class InspectAction(Action):
    """gauge / accept / reject one part, or release the lot to the line."""

    command: Literal["gauge", "accept", "reject", "release"]
    part: int = Field(default=0, ge=0, description="Part number (ignored by release)")


class InspectObservation(Observation):
    drawing: Dict[str, List[float]] = Field(default_factory=dict, description="Feature -> [nominal, tolerance], mm")
    parts: Dict[str, str] = Field(default_factory=dict, description="Part number -> open / accepted / rejected")
    reading: Dict[str, float] = Field(default_factory=dict, description="Last gauge reading, mm")
    log: str = ""
    step: int = 0
    max_steps: int = 0


class InspectState(State):
    decisions: Dict[int, str] = Field(default_factory=dict)
    finished: bool = False
