"""An environment whose state is what the reset asks for, and seldom what OpenEnv says that a state is."""

from typing import Any, Literal

import numpy as np
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

Kind = Literal[
    "sound", "text", "fraction", "none", "negative", "truth", "list", "missing", "huge",
    "id_number", "id_list", "id_none", "whole_text", "whole_list", "whole_number", "nothing", "raises",
]  # fmt: skip
COUNTS: dict[str, Any] = {
    "text": "active", "fraction": 1.5, "none": None, "negative": -1, "truth": True, "list": [1], "huge": 10**400,
}  # fmt: skip
IDS: dict[str, Any] = {"id_number": 7, "id_list": ["a"], "id_none": None}
WHOLE: dict[str, Any] = {
    "whole_text": "active",
    "whole_list": [1, 2],
    "whole_number": 3,
    "nothing": None,
}


class Guess(Action):
    """A digit."""

    n: int = 0


class Told(Observation):
    """The digit."""

    target: int = 0


class Stated(Environment[Guess, Told, State]):
    """Three guesses; sound but for its state."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._kind, self._id, self._steps, self._target = "sound", "", 0, 0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, kind: Kind = "sound"
    ) -> Told:
        """Draw a digit."""
        self._kind, self._id, self._steps = kind, episode_id or "none", 0
        self._target = int(np.random.default_rng(seed).integers(1000))
        return Told(target=self._target, reward=0.0)

    def step(self, action: Guess, timeout_s: float | None = None, **_: Any) -> Told:
        """Guess."""
        self._steps += 1
        right = float(action.n == self._target)
        return Told(target=self._target, reward=right, done=self._steps >= 3)

    @property
    def state(self) -> Any:
        """Whatever was asked for."""
        kind = self._kind
        if kind == "raises":
            raise RuntimeError("no state today")
        if kind in WHOLE:
            return WHOLE[kind]
        if kind == "missing":
            return {"episode_id": self._id}
        return {"episode_id": IDS.get(kind, self._id), "step_count": COUNTS.get(kind, self._steps)}
