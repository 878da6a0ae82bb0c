"""What the reader in the archive does and sees."""

from enum import Enum
from typing import List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Kind(str, Enum):
    SEARCH = "search"
    READ = "read"
    ANSWER = "answer"


class Hit(BaseModel):
    doc: str = Field(description="Shelf mark")
    title: str
    extract: str = Field(description="The sentence that fits the query best")


class TowpathAction(Action):
    kind: Kind = Field(..., description="search, read or answer")
    query: Optional[str] = Field(default=None, description="Words, for search")
    doc: Optional[str] = Field(default=None, description="Shelf mark, for read")
    text: Optional[str] = Field(default=None, description="The answer, for answer")
    citations: List[str] = Field(
        default_factory=list, description="Shelf marks of the sources, for answer"
    )


class TowpathObservation(Observation):
    message: str = ""
    question: str = ""
    questions_left: int = Field(default=0, description="Including this one")
    steps_left: int = Field(default=0, description="Steps left for this question")
    hits: List[Hit] = Field(default_factory=list, description="After a search")
    page: str = Field(default="", description="After a read")
    success: Optional[bool] = Field(
        default=None, description="All questions answered correctly; at the end"
    )


class TowpathState(State):
    question: int = 0
    correct: int = 0
