"""Marquetry: lay a panel of veneers after a written drawing."""

import random
import uuid
from typing import Any, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import MarquetryAction, MarquetryObservation, MarquetryState
except ImportError:
    from models import MarquetryAction, MarquetryObservation, MarquetryState

WOODS = [
    "walnut", "maple", "cherry", "ebony", "pear", "ash", "rosewood", "sycamore",
    "olive", "yew", "satinwood", "wenge",
]
TRAY_SIZE = 6
ROWS, COLS = 3, 4
MOVES = 36

PIECE_REWARD = 1.0 / (ROWS * COLS)
PANEL_REWARD = 0.25


class MarquetryEnvironment(Environment):
    """One panel per episode; each row of the drawing is a rule, not a list."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = MarquetryState()
        self._tray: List[str] = []
        self._drawing: List[str] = []
        self._design: List[List[str]] = []
        self._panel: List[List[str]] = []
        self._done = True

    # --------------------------------------------------------------- design

    def _draw_design(self, rng: random.Random) -> None:
        self._tray = rng.sample(WOODS, TRAY_SIZE)
        self._design, self._drawing = [], []
        for row in range(1, ROWS + 1):
            if row == ROWS:
                source = rng.randint(1, ROWS - 1)
                self._design.append(self._design[source - 1][::-1])
                self._drawing.append(f"Row {row}: row {source} mirrored left to right.")
                continue
            start = rng.randrange(TRAY_SIZE)
            stride = rng.randint(1, TRAY_SIZE - 1)
            self._design.append(
                [self._tray[(start + stride * c) % TRAY_SIZE] for c in range(COLS)]
            )
            self._drawing.append(
                f"Row {row}: begin with {self._tray[start]}, "
                f"then go {stride} on in the tray for each next field "
                "(after the last veneer the tray starts again)."
            )

    def _matches(self, row: int, col: int) -> bool:
        return self._panel[row][col] == self._design[row][col]

    def _finished(self) -> bool:
        return self._panel == self._design

    # ------------------------------------------------------------------ API

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> MarquetryObservation:
        self._draw_design(random.Random(seed))
        self._panel = [[""] * COLS for _ in range(ROWS)]
        self._done = False
        self._state = MarquetryState(
            episode_id=episode_id or str(uuid.uuid4()),
            step_count=0,
            pieces_laid=0,
            moves_left=MOVES,
        )
        return self._observe("The panel is empty.", None)

    def step(
        self,
        action: MarquetryAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> MarquetryObservation:
        if self._done:
            return self._observe("The glue press is closed.", 0.0)

        self._state.step_count += 1
        self._state.moves_left -= 1
        row, col = action.row - 1, action.col - 1
        reward = 0.0

        if not (0 <= row < ROWS and 0 <= col < COLS):
            message = "There is no such field."
        elif action.op == "lay":
            reward, message = self._lay(row, col, action.veneer.strip().lower())
        else:
            reward, message = self._lift(row, col)

        if self._finished():
            self._done = True
            reward += PANEL_REWARD
            message = "The panel is complete and goes to the press."
        elif self._state.moves_left <= 0:
            self._done = True
            message += " The hide glue has set."
        return self._observe(message, round(reward, 6))

    def _lay(self, row: int, col: int, veneer: str) -> tuple[float, str]:
        if veneer not in self._tray:
            return 0.0, "That veneer is not in the tray."
        if self._panel[row][col]:
            return 0.0, "A piece lies there already; lift it first."
        self._panel[row][col] = veneer
        self._state.pieces_laid += 1
        if self._matches(row, col):
            return PIECE_REWARD, f"{veneer.capitalize()} fits the drawing."
        return 0.0, f"{veneer.capitalize()} does not fit the drawing."

    def _lift(self, row: int, col: int) -> tuple[float, str]:
        veneer = self._panel[row][col]
        if not veneer:
            return 0.0, "Nothing lies there."
        self._panel[row][col] = ""
        self._state.pieces_laid -= 1
        return 0.0, f"{veneer.capitalize()} is back in the tray."

    @property
    def state(self) -> MarquetryState:
        return self._state

    def _observe(self, message: str, reward: Optional[float]) -> MarquetryObservation:
        return MarquetryObservation(
            tray=list(self._tray),
            drawing=list(self._drawing),
            panel=[list(r) for r in self._panel],
            moves_left=self._state.moves_left,
            message=message,
            done=self._done,
            reward=reward,
        )
