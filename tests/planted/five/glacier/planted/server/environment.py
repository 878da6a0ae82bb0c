"""Glacier crossing: lead a roped party from the camp to the hut before dark."""

import random
import uuid
from collections import deque
from typing import Any, Optional

from openenv.core.env_server import Environment

try:
    from ..models import GlacierAction, GlacierObservation, GlacierState
except ImportError:
    from models import GlacierAction, GlacierObservation, GlacierState

ROWS, COLS = 9, 8
DAYLIGHT = 32
SIGHT = 2
CREVASSE_SHARE = 0.27

ARRIVAL_REWARD = 1.0
FALL_REWARD = -1.0
SAFE_HOUR_REWARD = 0.1

MOVES = {
    "north": (-1, 0),
    "south": (1, 0),
    "east": (0, 1),
    "west": (0, -1),
    "wait": (0, 0),
}


class GlacierEnvironment(Environment):
    """A crossing on a grid whose crevasses only show from nearby."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = GlacierState()
        self._crevasses: set[tuple[int, int]] = set()
        self._position = (ROWS - 1, 0)
        self._hut = (0, 0)
        self._done = True

    # ------------------------------------------------------------------ map

    def _connected(self, start: tuple[int, int], goal: tuple[int, int]) -> bool:
        seen, queue = {start}, deque([start])
        while queue:
            cell = queue.popleft()
            if cell == goal:
                return True
            for dr, dc in MOVES.values():
                nxt = (cell[0] + dr, cell[1] + dc)
                if self._inside(nxt) and nxt not in self._crevasses and nxt not in seen:
                    seen.add(nxt)
                    queue.append(nxt)
        return False

    @staticmethod
    def _inside(cell: tuple[int, int]) -> bool:
        return 0 <= cell[0] < ROWS and 0 <= cell[1] < COLS

    def _draw_map(self, rng: random.Random) -> None:
        while True:
            start = (ROWS - 1, rng.randrange(COLS))
            hut = (0, rng.randrange(COLS))
            self._crevasses = {
                (r, c)
                for r in range(ROWS)
                for c in range(COLS)
                if rng.random() < CREVASSE_SHARE and (r, c) not in (start, hut)
            }
            if self._connected(start, hut):
                self._position, self._hut = start, hut
                return

    # ------------------------------------------------------------------ API

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> GlacierObservation:
        rng = random.Random(seed)
        self._draw_map(rng)
        self._done = False
        self._state = GlacierState(
            episode_id=episode_id or str(uuid.uuid4()),
            step_count=0,
            position=list(self._position),
            hours_left=DAYLIGHT,
        )
        return self._observe("The party is roped up at the camp.", None)

    def step(
        self,
        action: GlacierAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> GlacierObservation:
        if self._done:
            return self._observe("The crossing is over.", 0.0)

        self._state.step_count += 1
        self._state.hours_left -= 1
        dr, dc = MOVES[action.move]
        target = (self._position[0] + dr, self._position[1] + dc)

        if not self._inside(target):
            note = "Rock walls close the glacier on that side."
            target = self._position
        elif action.move == "wait":
            note = "The party rests for an hour."
        else:
            note = f"The party walks {action.move}."

        self._position = target
        self._state.position = list(target)

        if target in self._crevasses:
            self._done = True
            return self._observe("The leader breaks through into a crevasse.", FALL_REWARD)

        reward = SAFE_HOUR_REWARD
        if target == self._hut:
            self._done = True
            return self._observe("The party reaches the hut.", reward + ARRIVAL_REWARD, True)

        if self._state.hours_left <= 0:
            self._done = True
            note = "It is dark; the rescue service picks the party up."
        return self._observe(note, reward)

    @property
    def state(self) -> GlacierState:
        return self._state

    # ---------------------------------------------------------------- views

    def _observe(
        self, note: str, reward: Optional[float], success: bool = False
    ) -> GlacierObservation:
        row, col = self._position
        sight = {}
        for r in range(row - SIGHT, row + SIGHT + 1):
            for c in range(col - SIGHT, col + SIGHT + 1):
                if self._inside((r, c)):
                    sight[f"{r},{c}"] = "crevasse" if (r, c) in self._crevasses else "firm"
        return GlacierObservation(
            position=[row, col],
            hut=list(self._hut),
            size=[ROWS, COLS],
            in_sight=sight,
            hours_left=self._state.hours_left,
            note=note,
            done=self._done,
            reward=reward,
            metadata={"success": success} if self._done else {},
        )
