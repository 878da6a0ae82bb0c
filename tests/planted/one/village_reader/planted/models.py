"""Data models for the village reader environment."""

from typing import Dict

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class AnswerAction(Action):
    """An answer to one of the questions."""

    question_id: str = Field(..., description="Which question is answered, such as 'q3'")
    answer: str = Field(..., description="The answer, in as few words as possible")


class ReadingObservation(Observation):
    """The passage with its questions."""

    passage: str = Field(default="")
    questions: Dict[str, str] = Field(default_factory=dict, description="Question text by id")
    feedback: str = Field(default="", description="What became of the last answer")
    answers_left: int = Field(default=0)


class ReadingState(State):
    """Public state of an episode."""

    solved: int = 0
    total: int = 0
