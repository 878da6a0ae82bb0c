"""Data models of the tenancy environment."""

from enum import Enum
from typing import Dict, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class TenancyKind(str, Enum):
    """What a clerk can do."""

    READ = "read"
    FILL = "fill"
    SUBMIT = "submit"


class TenancyAction(Action):
    """Read a clause, fill in a box, or hand the form in."""

    kind: TenancyKind = Field(..., description="read, fill or submit")
    clause: Optional[int] = Field(default=None, description="Clause number, for read")
    field: Optional[str] = Field(default=None, description="Box of the form, for fill")
    value: Optional[str] = Field(default=None, max_length=80, description="For fill")


class TenancyObservation(Observation):
    """The agreement and the form on the desk."""

    message: str = Field(default="")
    title: str = Field(default="", description="Number of the file and landlord")
    clauses: int = Field(default=0, description="How many clauses the agreement has")
    text: str = Field(default="", description="The clause that was just read")
    examples: Dict[str, str] = Field(
        default_factory=dict, description="Each box with an example of its style"
    )
    form: Dict[str, str] = Field(default_factory=dict, description="Filled in so far")
    actions_left: int = Field(default=0)


class TenancyState(State):
    """Where the clerk stands."""

    boxes_filled: int = 0
    submitted: bool = False
