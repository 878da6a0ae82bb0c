"""The tools of the workspace and what they answer."""

from enum import Enum
from typing import Dict, List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Tool(str, Enum):
    LIST = "list"
    READ = "read"
    WRITE = "write"
    CHECK = "check"
    SUBMIT = "submit"


class CaseReport(BaseModel):
    case: str
    ok: bool
    got: Dict[str, object] = Field(default_factory=dict)


class RowmillAction(Action):
    tool: Tool = Field(..., description="Which tool to call")
    path: Optional[str] = Field(default=None, description="File, for read and write")
    content: Optional[str] = Field(default=None, description="New content, for write")


class RowmillObservation(Observation):
    output: str = Field(default="", description="What the tool printed")
    report: List[CaseReport] = Field(
        default_factory=list, description="Case by case, after check and submit"
    )
    calls_left: int = 0
    success: Optional[bool] = Field(default=None, description="All cases pass, at the end")


class RowmillState(State):
    files: List[str] = Field(default_factory=list)
    checks_run: int = 0
