"""What the analyst reads and writes."""

from typing import Dict, List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Application(BaseModel):
    applicant: str
    business: str
    amount: int = Field(description="Amount asked for, in euros")
    figures: Dict[str, float] = Field(description="Figures from the file")


class CreditMemoAction(Action):
    memo: str = Field(..., description="The memo, with a last line 'Decision: ...'")


class CreditMemoObservation(Observation):
    message: str = ""
    application: Optional[Application] = None
    policy: List[str] = Field(default_factory=list, description="The bank's credit policy")
    files_left: int = Field(default=0, description="Files on the desk, with this one")
    last_score: Optional[float] = Field(default=None, description="Of the last memo")


class CreditMemoState(State):
    files_done: int = 0
    total: float = 0.0
