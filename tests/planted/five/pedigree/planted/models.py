"""Messages of the pedigree environment."""

from typing import List

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class PedigreeAction(Action):
    """One reply of the agent."""

    message: str = Field(
        ...,
        max_length=8000,
        description="Free text; the answer stands between <answer> and </answer>",
    )


class PedigreeObservation(Observation):
    """The notes of the genealogist and the current question."""

    notes: List[str] = Field(default_factory=list, description="Facts, in no order")
    relations: List[str] = Field(default_factory=list, description="Possible answers")
    question: str = Field(default="", description="The question to answer next")
    question_number: int = Field(default=0)
    questions_total: int = Field(default=0)


class PedigreeState(State):
    """Progress through the questions."""

    asked: int = 0
    family_size: int = 0
