"""Data models of the survey environment."""

from typing import Dict, List, Literal

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class SurveyAction(Action):
    """Write one cell of the table."""

    row: int = Field(..., ge=0, description="Row, from 0")
    column: Literal["visit", "height", "smoker", "weight"] = Field(..., description="Column")
    value: str = Field(..., max_length=40, description="What the cell shall say")


class SurveyObservation(Observation):
    """The table as it stands."""

    message: str = Field(default="")
    table: List[Dict[str, str]] = Field(default_factory=list, description="Row by row")
    wrong_cells: int = Field(default=0, description="Cells that are still wrong")
    actions_left: int = Field(default=0)


class SurveyState(State):
    """Progress of the cleaning."""

    edits: int = 0
    wrong_at_start: int = 0
    wrong_now: int = 0
