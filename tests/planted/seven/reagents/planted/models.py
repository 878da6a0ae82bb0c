"""What the analyst does at the bench, and what there is to see."""

from enum import Enum
from typing import Dict, List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Tool(str, Enum):
    TEST = "test"
    FINISH = "finish"


class Finding(BaseModel):
    vial: str
    reagent: str
    result: str


class ReagentsAction(Action):
    tool: Tool = Field(..., description="test a vial, or finish and hand in the labels")
    vial: Optional[str] = Field(default=None, description="Vial to test, A to F")
    reagent: Optional[str] = Field(default=None, description="What to test it with")
    labels: Dict[str, str] = Field(
        default_factory=dict, description="For finish: vial -> salt"
    )


class ReagentsObservation(Observation):
    message: str = ""
    vials: List[str] = Field(default_factory=list)
    salts: List[str] = Field(default_factory=list, description="What a vial may hold")
    reagents: List[str] = Field(default_factory=list)
    notebook: List[Finding] = Field(default_factory=list, description="Results so far")
    portions_left: int = Field(default=0, description="Portions of reagent in the rack")
    score: Optional[float] = Field(default=None, description="Set at the end")
    success: Optional[bool] = Field(
        default=None, description="At the end: are all six vials labelled correctly?"
    )


class ReagentsState(State):
    portions_left: int = 0
    tests: int = 0
