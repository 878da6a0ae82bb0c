"""What the reader says and sees."""

from typing import Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class ParlourAction(Action):
    answer: str = Field(..., description="Your answer to the question on the card")


class ParlourObservation(Observation):
    passage: str = Field(default="", description="The scene, the same for all questions")
    question: Optional[str] = Field(default=None, description="The question to answer now")
    number: int = Field(default=0, description="Number of the question, from 1")
    questions: int = Field(default=0, description="How many questions the scene has")
    feedback: str = Field(default="", description="Word on the last answer")


class ParlourState(State):
    asked: int = 0
