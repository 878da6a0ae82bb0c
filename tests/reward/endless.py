"""An environment that never says done: a valve to be turned to a mark and left there."""

from random import Random
from typing import Any, Literal
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

MARKS = 6


class Turn(Action):
    """One move of the valve."""

    turn: Literal["left", "right", "leave"]


class Shown(Observation):
    """Where the valve stands, and where it should."""

    stands: int = 0
    mark: int = 0


class Valve(Environment[Turn, Shown, State]):
    """Pays every step for leaving the valve alone, wherever it stands."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._stands, self._mark = 0, 1
        self._state = State()

    def reset(self, seed: int | None = None, episode_id: str | None = None) -> Shown:
        """Draw the mark."""
        self._stands, self._mark = 0, Random(str(seed or 0)).randint(1, MARKS)
        self._state = State(episode_id=episode_id or str(uuid4()))
        return Shown(stands=self._stands, mark=self._mark)

    def step(self, action: Turn, timeout_s: float | None = None, **_: Any) -> Shown:
        """Move."""
        self._state.step_count += 1
        self._stands += {"left": -1, "right": 1, "leave": 0}[action.turn]
        self._stands = min(MARKS, max(-MARKS, self._stands))
        paid = float(action.turn == "leave")
        return Shown(stands=self._stands, mark=self._mark, reward=paid)

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


def turn(observation: dict[str, Any], memory: dict[str, Any]) -> dict[str, Any]:
    """Turn it to the mark, and leave it."""
    if observation["stands"] == observation["mark"]:
        return {"turn": "leave"}
    return {"turn": "left" if observation["stands"] > observation["mark"] else "right"}
