"""Environments whose episodes are long, or never end."""

from typing import Any, Literal

import numpy as np
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State


class Step(Action):
    """One step."""

    foot: Literal["left", "right"]


class Walked(Observation):
    """How far it is still."""

    ahead: int = 0
    success: bool = False


class Marathon(Environment[Step, Walked, State]):
    """A walk of 96 to 480 steps, by the seed; who never trips has succeeded at its end."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    ENDS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = State()
        self._length, self._tripped, self._last = 0, False, ""

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Walked:
        """Begin a walk."""
        self._length = int(np.random.default_rng(seed).integers(96, 481))
        self._tripped, self._last = False, ""
        self._state = State(episode_id=episode_id or "walk", step_count=0)
        return Walked(ahead=self._length, reward=0.0)

    def step(self, action: Step, timeout_s: float | None = None, **_: Any) -> Walked:
        """Trip, or not."""
        if self._state.step_count >= self._length and self.ENDS:
            raise RuntimeError("the walk is over: call reset")
        self._state.step_count += 1
        self._tripped |= action.foot == self._last
        self._last = action.foot
        over = self.ENDS and self._state.step_count == self._length
        good = over and not self._tripped
        ahead = max(0, self._length - self._state.step_count)
        return Walked(ahead=ahead, success=good, done=over, reward=1.0 if good else 0.0)

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class Treadmill(Marathon):
    """A walk that never ends."""

    ENDS = False


class Relay(Marathon):
    """Walks of two steps, each step paid: a step after an end begins the next walk."""

    def step(self, action: Step, timeout_s: float | None = None, **_: Any) -> Walked:
        """Walk."""
        self._state.step_count += 1
        return Walked(done=self._state.step_count % 2 == 0, reward=1.0)


def walk(observation: dict[str, Any], memory: dict[str, Any]) -> dict[str, Any]:
    """Left, right, left."""
    memory["foot"] = foot = "right" if memory.get("foot") == "left" else "left"
    return {"foot": foot}
