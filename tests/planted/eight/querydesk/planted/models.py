"""What the analyst sends and sees."""

from enum import Enum
from typing import Any, List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Tool(str, Enum):
    RUN = "run"
    SUBMIT = "submit"


class Ticket(BaseModel):
    number: int
    text: str
    columns: List[str] = Field(description="Columns of the report, in this order")


class QuerydeskAction(Action):
    tool: Tool = Field(..., description="run a statement, or submit the ticket's query")
    sql: str = Field(..., description="One SQL statement (SQLite)")


class QuerydeskObservation(Observation):
    db_schema: str = Field(default="", description="The tables")
    ticket: Optional[Ticket] = Field(default=None, description="The request at hand")
    tickets_left: int = Field(default=0, description="Requests after this one")
    runs_left: int = Field(default=0, description="Statements that may still be run")
    rows: List[List[Any]] = Field(default_factory=list, description="First rows of it")
    row_count: int = 0
    message: str = ""


class QuerydeskState(State):
    tickets_answered: int = 0
    runs: int = 0
