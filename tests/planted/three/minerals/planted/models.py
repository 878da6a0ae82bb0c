"""Action, observation and state of the minerals environment."""

from typing import Dict, List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class MineralsAction(Action):
    command: Literal["test", "identify", "submit"] = Field(..., description="What to do")
    slot: Optional[str] = Field(default=None, description="Place in the drawer, D1 to D8")
    test: Optional[str] = Field(default=None, description="Property to test (test)")
    mineral: Optional[str] = Field(default=None, description="Proposed name (identify)")


class MineralsObservation(Observation):
    message: str = Field(default="", description="Answer to the last command")
    slots: List[str] = Field(default_factory=list)
    tests: List[str] = Field(default_factory=list)
    table: Dict[str, Dict[str, str]] = Field(
        default_factory=dict, description="Minerals of this quarry and their properties"
    )
    results: Dict[str, Dict[str, str]] = Field(
        default_factory=dict, description="Test results so far, per slot"
    )
    catalogued: List[str] = Field(default_factory=list, description="Slots with a confirmed name")
    refused: List[str] = Field(default_factory=list, description="Slots whose name was refused")
    steps_left: int = 0


class MineralsState(State):
    drawer_number: int = 0
    catalogued: int = 0
