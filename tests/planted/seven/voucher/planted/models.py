"""Claims, and what the clerk decides about them."""

from enum import Enum
from typing import List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Decision(str, Enum):
    PAY = "pay"
    REFUSE = "refuse"
    QUERY = "query"


class Claim(BaseModel):
    claim: int
    name: str
    grade: str = Field(description="staff, manager or director")
    category: str = Field(description="meals, hotel, taxi or rail")
    units: int = Field(description="Days, nights, rides or journeys claimed for")
    amount: float = Field(description="Total claimed, in euros")
    receipt: bool = Field(description="Whether a receipt is attached")
    spent_on: str
    filed_on: str
    approval: Optional[str] = Field(default=None, description="Number of a prior approval")


class VoucherAction(Action):
    decisions: List[Decision] = Field(
        ..., description="One decision per claim, in the order of the list"
    )


class VoucherObservation(Observation):
    message: str = ""
    handbook: str = Field(default="", description="The rules of the house")
    claims: List[Claim] = Field(default_factory=list)
    score: Optional[float] = Field(default=None, description="Result, once submitted")
    passed: Optional[bool] = Field(default=None, description="Whether the batch passes")


class VoucherState(State):
    submitted: bool = False
