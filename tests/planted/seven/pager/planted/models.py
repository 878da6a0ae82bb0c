"""What the engineer on call can do and see."""

from enum import Enum
from typing import List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Tool(str, Enum):
    INSPECT = "inspect"
    RESTART = "restart"
    ROLLBACK = "rollback"
    SCALE = "scale"
    PURGE = "purge"
    RENEW = "renew"
    SILENCE = "silence"
    CLOSE = "close"


class Alert(BaseModel):
    alert: int
    service: str
    rule: str = Field(description="Name of the rule that fired")
    summary: str


class PagerAction(Action):
    tool: Tool = Field(..., description="Which tool to use")
    service: Optional[str] = Field(default=None, description="For all but silence, close")
    alert: Optional[int] = Field(default=None, description="Number of the alert, for silence")


class PagerObservation(Observation):
    output: str = Field(default="", description="What the tool printed")
    minute: int = 0
    actions_left: int = 0
    services: List[str] = Field(default_factory=list)
    firing: List[Alert] = Field(default_factory=list, description="Alerts on the board")
    silenced: List[int] = Field(default_factory=list, description="Numbers of silenced alerts")
    resolved: Optional[bool] = Field(default=None, description="At the end of the shift")


class PagerState(State):
    minute: int = 0
    needless: int = 0
