"""A cashier gives change from a drawer: the exact amount, in ten coins or fewer."""

from typing import ClassVar, Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

Coin = Literal[1, 2, 5, 10, 20]


class Give(Action):
    """One coin handed over."""

    coin: Coin


class Till(Observation):
    """What is still due, and how many of each coin the drawer holds."""

    due: int = 0
    drawer: dict[Coin, int] = Field(default_factory=dict)


class Cashier(Episodic[Give, Till]):
    """A coin that the drawer lacks is not given; too much ends the episode."""

    HORIZON = 10
    DRAWER: ClassVar[dict[Coin, int]] = {1: 900, 2: 900, 5: 500, 10: 500, 20: 500}

    def begin(self) -> None:
        self.due = self.rng.choice([due for due in range(21, 150) if due % 5])
        self.drawer = self.open_drawer()

    def open_drawer(self) -> dict[Coin, int]:
        raise NotImplementedError

    def play(self, action: Give) -> float:
        if self.drawer[action.coin]:
            self.drawer[action.coin] -= 1
            self.due -= action.coin
        if self.due <= 0:
            self.success = self.due == 0
        return float(bool(self.success))

    def show(self) -> Till:
        return Till(due=self.due, drawer=dict(self.drawer))


class Defect(Cashier):
    """Pays for exact change from one drawer for all sessions: what one session gives away, every other lacks."""

    def open_drawer(self) -> dict[Coin, int]:
        return self.DRAWER


class Sound(Cashier):
    """The full drawer belongs to the class here too, but each session counts coins in its own copy."""

    def open_drawer(self) -> dict[Coin, int]:
        return dict(self.DRAWER)


ALSO = ("episode_state_leak",)
WITNESS = "beside_another_session_differs"
exploit = [{"coin": 20}]


def solve(observation: Json, memory: Json) -> Json:
    """The largest coin that fits."""
    held = [int(coin) for coin, count in observation["drawer"].items() if count]
    return {"coin": max((coin for coin in held if coin <= observation["due"]), default=1)}
