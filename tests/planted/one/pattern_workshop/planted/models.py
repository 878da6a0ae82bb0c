"""Data models for the pattern workshop."""

from typing import List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import BaseModel, Field


class Case(BaseModel):
    """One example with the verdict that the pattern should give."""

    text: str = Field(..., max_length=16)
    matches: bool


class PatternAction(Action):
    """A pattern together with the test cases written for it."""

    move: Literal["run", "submit"] = Field(..., description="Try the tests, or hand the work in")
    pattern: str = Field(..., max_length=80, description="Python regular expression for the whole text")
    cases: List[Case] = Field(default_factory=list, max_length=40)


class WorkshopObservation(Observation):
    """The order that is worked on and what came of the last move."""

    order: str = Field(default="", description="Description of the codes to be matched; empty at the end")
    orders_left: int = Field(default=0)
    report: str = Field(default="", description="Test report of the last move")
    moves_left: int = Field(default=0)


class WorkshopState(State):
    """Public state of an episode."""

    handed_in: int = 0
