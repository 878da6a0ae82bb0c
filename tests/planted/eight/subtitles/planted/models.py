"""What the subtitler hands in and sees."""

from typing import List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Word(BaseModel):
    word: str
    at: float = Field(description="Second at which it is spoken")


class Passage(BaseModel):
    number: int
    start: float
    end: float
    words: List[Word]


class Cue(BaseModel):
    show: float = Field(..., allow_inf_nan=False, description="Second of appearance")
    hide: float = Field(..., allow_inf_nan=False, description="Second of disappearance")
    lines: List[str] = Field(..., description="One or two lines of text")


class SubtitlesAction(Action):
    cues: List[Cue] = Field(..., description="The subtitles of this passage, in order")


class SubtitlesObservation(Observation):
    message: str = ""
    passage: Optional[Passage] = Field(default=None, description="The passage to subtitle")
    passages_left: int = 0
    remarks: List[str] = Field(
        default_factory=list, description="On the cues handed in last"
    )


class SubtitlesState(State):
    passages_done: int = 0
