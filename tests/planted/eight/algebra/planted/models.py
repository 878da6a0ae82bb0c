"""What the pupil writes and reads."""

from typing import Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class AlgebraAction(Action):
    answer: str = Field(..., description="An expression in x, such as 2(x - 3)(x + 5)")


class AlgebraObservation(Observation):
    number: int = Field(default=0, description="Number of the question, from 1")
    of: int = Field(default=0, description="Questions on the sheet")
    instruction: str = Field(default="", description="What to do with the expression")
    expression: str = Field(default="", description="The expression of the question")
    correct: Optional[bool] = Field(default=None, description="Was the last answer right")
    solved: int = Field(default=0, description="Right answers so far")
    feedback: str = ""


class AlgebraState(State):
    number: int = 0
    solved: int = 0
