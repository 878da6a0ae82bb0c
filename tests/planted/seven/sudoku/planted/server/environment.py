"""One Sudoku per episode; the answer is the filled grid."""

import random
import uuid
from typing import Any, Dict, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import Grid, SudokuAction, SudokuObservation, SudokuState
    from .puzzles import DIGITS, UNITS, make
except ImportError:
    from models import Grid, SudokuAction, SudokuObservation, SudokuState
    from server.puzzles import DIGITS, UNITS, make

BLANKS = {"easy": 36, "medium": 44, "hard": 50}
PARTIAL_WEIGHT = 0.3  # for units that are in order in a grid that is not solved


def well_formed(grid: Grid) -> bool:
    return len(grid) == 9 and all(
        len(row) == 9 and all(cell in DIGITS for cell in row) for row in grid
    )


def check(grid: Grid) -> Dict[str, int]:
    """How many rows, columns and boxes hold every digit once."""
    in_order = {"row": 0, "column": 0, "box": 0}
    for kind, cells in UNITS:
        if {grid[r][c] for r, c in cells} == set(DIGITS):
            in_order[kind] += 1
    return in_order


class SudokuEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, difficulty: str = "medium") -> None:
        super().__init__()
        self._difficulty = difficulty
        self._puzzle: Grid = []
        self._checked: Optional[Dict[str, int]] = None
        self._solved: Optional[bool] = None
        self._done = True
        self._state = SudokuState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        difficulty: Optional[str] = None,
        **kwargs: Any,
    ) -> SudokuObservation:
        rng = random.Random(seed)
        level = difficulty if difficulty in BLANKS else self._difficulty
        self._puzzle = make(rng, BLANKS[level])
        self._checked = self._solved = None
        self._done = False
        self._state = SudokuState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0, difficulty=level
        )
        return self._look("Fill in the blanks.")

    def step(
        self,
        action: SudokuAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> SudokuObservation:
        if self._done:
            return self._look("This puzzle has been answered.")
        self._state.step_count += 1
        self._done = True
        self._solved = False
        if not well_formed(action.grid):
            return self._look("The answer is not a grid of nine by nine digits 1-9.")
        self._checked = check(action.grid)
        in_order = sum(self._checked.values())
        self._solved = in_order == len(UNITS)
        if self._solved:
            return self._look("Solved!", reward=1.0)
        return self._look(
            f"{in_order} of {len(UNITS)} rows, columns and boxes are in order.",
            reward=round(PARTIAL_WEIGHT * in_order / len(UNITS), 4),
        )

    def _look(self, message: str, reward: float = 0.0) -> SudokuObservation:
        checked = self._checked or {}
        self._state.solved = bool(self._solved)
        return SudokuObservation(
            message=message,
            puzzle=[list(row) for row in self._puzzle],
            blanks=sum(row.count(0) for row in self._puzzle),
            rows_ok=checked.get("row"),
            columns_ok=checked.get("column"),
            boxes_ok=checked.get("box"),
            solved=self._solved,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> SudokuState:
        return self._state
