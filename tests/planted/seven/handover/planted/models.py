"""What the nurse writes and reads."""

from typing import List

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Patient(BaseModel):
    bed: int
    age: int
    weight_kg: int
    admitted_for: str
    chart: List[str] = Field(description="Chart lines, oldest first")


class HandoverAction(Action):
    note: str = Field(..., description="The handover note for the patient shown")


class HandoverObservation(Observation):
    message: str = ""
    patient: Patient | None = Field(default=None, description="The patient to hand over")
    beds_left: int = Field(default=0, description="Patients after this one")
    max_chars: int = Field(default=0, description="Longest note that is read")


class HandoverState(State):
    notes: List[str] = Field(default_factory=list)
