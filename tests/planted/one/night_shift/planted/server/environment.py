"""Night shift: a lights-out puzzle on a five by five office floor."""

import random
import uuid
from typing import Any, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import FloorObservation, FloorState, PressAction
except ImportError:
    from models import FloorObservation, FloorState, PressAction

SIZE = 5
MAX_PRESSES = 30
PROGRESS_WEIGHT = 0.4
SOLVED_REWARD = 0.6


class NightShiftEnvironment(Environment[PressAction, FloorObservation, FloorState]):
    """Switch off every light; a switch also flips its direct neighbours."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = FloorState()
        self._grid: List[List[int]] = [[0] * SIZE for _ in range(SIZE)]
        self._initial = 1

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> FloorObservation:
        rng = random.Random(seed)
        self._state = FloorState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        # Boards are made by pressing switches on a dark floor, so each one can be solved.
        while True:
            self._grid = [[0] * SIZE for _ in range(SIZE)]
            for cell in rng.sample(range(SIZE * SIZE), rng.randint(7, 10)):
                self._press(cell // SIZE, cell % SIZE)
            if self._count() >= 8:
                break
        self._initial = self._count()
        return self._observe("The night shift begins.", None, False)

    def step(self, action: PressAction, timeout_s: Optional[float] = None, **kwargs: Any) -> FloorObservation:
        if self._count() == 0 or self._state.step_count >= MAX_PRESSES:
            return self._observe("The shift is over.", 0.0, True)
        self._state.step_count += 1
        out_of_presses = self._state.step_count >= MAX_PRESSES
        if not (0 <= action.row < SIZE and 0 <= action.column < SIZE):
            return self._observe("There is no such office.", 0.0, out_of_presses)

        before = self._count()
        self._press(action.row, action.column)
        after = self._count()
        reward = self._progress(before, after)
        solved = after == 0
        if solved:
            reward += SOLVED_REWARD
        message = "All lights are off." if solved else f"{before} lights were on, now {after}."
        return self._observe(message, reward, solved or out_of_presses)

    @property
    def state(self) -> FloorState:
        return self._state

    def _progress(self, before: int, after: int) -> float:
        """Dense reward for the lights that a press has switched off."""
        gained = max(0, before - after)
        return PROGRESS_WEIGHT * gained / self._initial

    def _press(self, row: int, column: int) -> None:
        for r, c in ((row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < SIZE and 0 <= c < SIZE:
                self._grid[r][c] ^= 1

    def _count(self) -> int:
        return sum(map(sum, self._grid))

    def _observe(self, message: str, reward: Optional[float], done: bool) -> FloorObservation:
        lights_on = self._count()
        self._state.lights_on = lights_on
        return FloorObservation(
            grid=[list(row) for row in self._grid],
            lights_on=lights_on,
            presses_left=MAX_PRESSES - self._state.step_count,
            message=message,
            solved=lights_on == 0,
            reward=reward,
            done=done,
        )
