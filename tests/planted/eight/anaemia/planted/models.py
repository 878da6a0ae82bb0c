"""What the physician orders, says and sees."""

from enum import Enum
from typing import Dict, List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Kind(str, Enum):
    ORDER = "order"
    DIAGNOSE = "diagnose"


class Patient(BaseModel):
    number: int
    age: int
    sex: str
    haemoglobin: float = Field(description="g/dl, from the referral")
    complaint: str


class AnaemiaAction(Action):
    kind: Kind = Field(..., description="order a test or make the diagnosis")
    test: Optional[str] = Field(default=None, description="Which test, for order")
    diagnosis: Optional[str] = Field(default=None, description="Which, for diagnose")


class AnaemiaObservation(Observation):
    message: str = ""
    patient: Optional[Patient] = Field(default=None, description="Who is in the room")
    results: Dict[str, str] = Field(default_factory=dict, description="Results so far")
    tests: Dict[str, float] = Field(default_factory=dict, description="Tests, cost")
    diagnoses: List[str] = Field(default_factory=list, description="The differential")
    turns_left: int = Field(default=0, description="Turns left for this patient")
    waiting: int = Field(default=0, description="Patients still to come")
    confirmed: int = Field(default=0, description="Diagnoses confirmed this morning")
    success: Optional[bool] = Field(default=None, description="All confirmed; at the end")


class AnaemiaState(State):
    patient: int = 0
    confirmed: int = 0
    tests_ordered: int = 0
