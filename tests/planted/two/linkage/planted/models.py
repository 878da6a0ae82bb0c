from typing import Dict, List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Record(BaseModel):
    id: str
    name: str
    street: str
    postcode: str
    phone: Optional[str] = None
    email: Optional[str] = None


class LinkAction(Action):
    """Link or unlink a CRM record and a billing record, or finish the job."""

    command: Literal["link", "unlink", "finish"]
    crm_id: str = ""
    billing_id: str = ""


class LinkObservation(Observation):
    crm: List[Record] = Field(default_factory=list)
    billing: List[Record] = Field(default_factory=list)
    links: Dict[str, str] = Field(default_factory=dict, description="CRM id -> billing id")
    message: str = ""
    remaining_steps: int = 0


class LinkState(State):
    links: Dict[str, str] = Field(default_factory=dict)
    finished: bool = False
    score: Optional[float] = None
