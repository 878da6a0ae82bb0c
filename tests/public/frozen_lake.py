"""Gymnasium's FrozenLake over OpenEnv's interface: the map, the moves and the reward are Gymnasium's.

The wrapper adds names for what Gymnasium numbers, and no more. The ice is not slippery.
"""

from __future__ import annotations

from typing import Any, Literal, get_args
from uuid import uuid4

import gymnasium
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

Move = Literal["left", "down", "right", "up"]
MOVES = get_args(Move)
"""In the order of Gymnasium's numbers."""


class LakeAction(Action):
    """One step over the ice."""

    move: Move


class LakeObservation(Observation):
    """Where the walker stands: a cell of four by four, numbered by rows from 0, the goal is 15."""

    cell: int = 0


class LakeEnvironment(Environment[LakeAction, LakeObservation, State]):
    """FrozenLake-v1: a point at the goal, none in a hole."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._game = gymnasium.make("FrozenLake-v1", is_slippery=False)
        self._state = State()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> LakeObservation:
        """Start in the first cell."""
        self._state = State(episode_id=episode_id or str(uuid4()))
        cell, _info = self._game.reset(seed=seed)
        return LakeObservation(cell=int(cell))

    def step(self, action: LakeAction, timeout_s: float | None = None, **_: Any) -> LakeObservation:
        """Walk."""
        self._state.step_count += 1
        cell, reward, ended, cut, _info = self._game.step(MOVES.index(action.move))
        return LakeObservation(cell=int(cell), reward=float(reward), done=ended or cut)

    @property
    def state(self) -> State:
        """The episode's id and its number of steps."""
        return self._state

    def close(self) -> None:
        """End the game."""
        self._game.close()
