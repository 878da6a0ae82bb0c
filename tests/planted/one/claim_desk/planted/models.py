"""Data models for the travel claim desk environment."""

from typing import Dict, List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class ClaimAction(Action):
    """One operation on the claim form."""

    op: Literal["set", "undo", "redo", "submit"] = Field(..., description="What to do with the form")
    field: str = Field(default="", description="Field to write, for op='set'")
    value: str = Field(default="", description="Value to write, for op='set'")


class ClaimObservation(Observation):
    """The letter, the form as it stands now and a line of feedback."""

    letter: str = Field(default="", description="Letter of the policy holder")
    sections: Dict[str, List[str]] = Field(default_factory=dict, description="Fields by section, in order")
    form: Dict[str, str] = Field(default_factory=dict, description="Current values; empty when blank")
    message: str = Field(default="", description="Feedback on the last operation")
    operations_left: int = Field(default=0)
    accepted: bool = Field(default=False, description="True once a correct form has been submitted")


class ClaimState(State):
    """Public state of an episode."""

    sections_completed: int = 0
    submitted: bool = False
