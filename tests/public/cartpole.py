"""Gymnasium's CartPole over OpenEnv's interface: the game, its physics and its reward are Gymnasium's.

The wrapper adds what an agent that reads text needs, and no more: the four numbers have names and two decimals.
"""

from __future__ import annotations

from typing import Any, Literal
from uuid import uuid4

import gymnasium
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State


class CartPoleAction(Action):
    """Which way the cart is pushed: 0 to the left, 1 to the right."""

    push: Literal[0, 1]


class CartPoleObservation(Observation):
    """Cart and pole: metres, metres a second, radians, radians a second."""

    position: float = 0.0
    velocity: float = 0.0
    angle: float = 0.0
    angular_velocity: float = 0.0


class CartPoleEnvironment(Environment[CartPoleAction, CartPoleObservation, State]):
    """CartPole-v1: a point for each push after which the pole still stands, up to 500."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._game = gymnasium.make("CartPole-v1")
        self._state = State()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> CartPoleObservation:
        """Start nearly upright; the seed says how nearly."""
        self._state = State(episode_id=episode_id or str(uuid4()))
        numbers, _info = self._game.reset(seed=seed)
        return observation(numbers)

    def step(
        self, action: CartPoleAction, timeout_s: float | None = None, **_: Any
    ) -> CartPoleObservation:
        """Push the cart."""
        self._state.step_count += 1
        numbers, reward, fell, over, _info = self._game.step(action.push)
        return observation(numbers, reward=float(reward), done=fell or over)

    @property
    def state(self) -> State:
        """The episode's id and its number of steps."""
        return self._state

    def close(self) -> None:
        """End the game."""
        self._game.close()


def observation(numbers: Any, **told: Any) -> CartPoleObservation:
    """Gymnasium's four numbers with their names."""
    named = zip(("position", "velocity", "angle", "angular_velocity"), numbers, strict=True)
    return CartPoleObservation(**{name: round(float(value), 2) for name, value in named}, **told)
