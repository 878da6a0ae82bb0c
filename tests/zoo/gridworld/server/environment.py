"""The gridworld: reach the goal within 12 steps."""

from typing import Any
from uuid import uuid4

import numpy as np
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import State

try:
    from ..models import GridAction, GridObservation
except ImportError:
    from models import GridAction, GridObservation

STEPS = 12
REACH = 3
MOVES = {"stay": (0, 0), "north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}


class GridEnvironment(Environment):
    """Walks on an unbounded grid; the goal is at most three cells away each way."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = State(episode_id=str(uuid4()))
        self._goal = np.zeros(2, dtype=int)
        self._over = True

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str | None = None,
        index: int | None = None,
    ) -> GridObservation:
        """Place the goal."""
        if split not in {None, "train", "test"}:
            raise IndexError(f"no split {split!r}")
        source = [0 if split == "train" else 1, index] if split else seed
        rng = np.random.default_rng(source)
        self._goal = rng.integers(-REACH, REACH + 1, size=2)
        self._goal[0] += not self._goal.any()
        self._state = State(episode_id=episode_id or str(uuid4()))
        return self._observe()

    def step(self, action: GridAction, timeout_s: float | None = None, **_: Any) -> GridObservation:
        """Take a step."""
        if self._over:
            raise RuntimeError("the episode has ended: call reset")
        self._goal = self._goal - np.array(MOVES[action.move]) * action.stride
        self._state.step_count += 1
        return self._observe()

    def _observe(self) -> GridObservation:
        steps = self._state.step_count
        distance = int(np.abs(self._goal).sum())
        success, timeout = distance == 0, steps >= STEPS
        self._over = success or timeout
        reward = 1.0 - 0.05 * (steps - 1) if success else 0.0
        return GridObservation(
            goal_east=int(self._goal[0]),
            goal_north=int(self._goal[1]),
            steps_left=STEPS - steps,
            last_reward=reward,
            reward=reward,
            done=self._over,
            metadata={
                "success": success if success or timeout else None,
                "timeout": timeout and not success,
                "progress": 1.0 / (1.0 + distance),
                "components": {"reach": float(success), "speed": reward},
            },
        )

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state
