"""Action, observation and state of the Sudoku environment."""

from typing import List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

Grid = List[List[int]]


class SudokuAction(Action):
    grid: Grid = Field(..., description="The filled grid: nine rows of nine digits 1-9")


class SudokuObservation(Observation):
    message: str = ""
    puzzle: Grid = Field(default_factory=list, description="Nine rows; 0 is a blank")
    blanks: int = Field(default=0, description="How many cells are to be filled")
    rows_ok: Optional[int] = Field(default=None, description="After the answer")
    columns_ok: Optional[int] = None
    boxes_ok: Optional[int] = None
    solved: Optional[bool] = Field(default=None, description="After the answer")


class SudokuState(State):
    difficulty: str = "medium"
    solved: bool = False
