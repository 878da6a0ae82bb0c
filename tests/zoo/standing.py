"""Doors that stay shut until the right thing is done, and end no episode otherwise.

At a ``Gate`` nothing changes but a clock, whatever else is done. At a ``Lock`` the water rises with each turn of the
wheel, which shows and opens it in the end. What an auditor flies of them is in ``tests/auditing/test_survey.py``.
"""

import random
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from tests.zoo.untold import Untold


class Knock(Action):
    """What is done at the door."""

    do: Literal["wait", "knock", "turn"] = "wait"


class Door(Observation):
    """The door."""

    shut: bool = True
    clock: int = 0
    water: int = 0


class Gate(Untold[Knock, Door]):
    """Opened by nobody who does one thing for ever."""

    def begin(self, rng: random.Random) -> None:
        self.done: list[str] = []

    def move(self, action: Knock) -> float:
        self.done.append(action.do)
        self.over = self.done[-3:] == ["knock", "turn", "knock"]
        return float(self.over)

    def shown(self, reward: float) -> Door:
        return Door(reward=reward, done=self.over, shut=not self.over, clock=len(self.done))


class Lock(Gate):
    """Opened by whoever goes on turning."""

    MOST = 20

    def move(self, action: Knock) -> float:
        self.done.append(action.do)
        self.over = self.done.count("turn") == self.MOST
        return float(self.over)

    def shown(self, reward: float) -> Door:
        door = super().shown(reward)
        return door.model_copy(update={"water": self.done.count("turn")})
