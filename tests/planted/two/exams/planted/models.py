from typing import Dict, List, Literal

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Exam(BaseModel):
    code: str
    enrolled: int
    shares_students_with: List[str] = Field(default_factory=list)
    examiner_away: List[str] = Field(default_factory=list, description="Slots the examiner cannot attend")


class ExamAction(Action):
    """One edit of the draft timetable, or its publication."""

    op: Literal["place", "remove", "publish"]
    exam: str = ""
    slot: str = ""
    room: str = ""


class ExamObservation(Observation):
    exams: List[Exam] = Field(default_factory=list)
    slots: List[str] = Field(default_factory=list)
    rooms: Dict[str, int] = Field(default_factory=dict, description="Room name -> seats")
    timetable: Dict[str, List[str]] = Field(default_factory=dict, description="Exam -> [slot, room]")
    message: str = ""
    steps_left: int = 0


class ExamState(State):
    timetable: Dict[str, List[str]] = Field(default_factory=dict)
    published: bool = False
