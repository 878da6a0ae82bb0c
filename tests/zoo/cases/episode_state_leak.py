"""A stockroom: order each day what will be sold, without running out or letting it rot."""

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

SHELF = 12


class Order(Action):
    """How many to order before the day's sale."""

    units: int = Field(ge=0, le=20)


class Stock(Observation):
    """What lies on the shelf and what will be asked for today."""

    day: int = 0
    on_shelf: int = 0
    demand: int = 0


class Stockroom(Episodic[Order, Stock]):
    """A day fails where the demand is not met or more is left over than the shelf holds."""

    HORIZON = 8

    def __init__(self) -> None:
        super().__init__()
        self.on_shelf = 0
        self.sold_ever = 0

    def begin(self) -> None:
        self.demands = [self.rng.randint(1, 9) for _ in range(self.HORIZON)]
        self.bad_days = 0
        self.clear_out()

    def clear_out(self) -> None:
        raise NotImplementedError

    def play(self, action: Order) -> float:
        left = self.on_shelf + action.units - self.demands[self.turn - 1]
        self.sold_ever += self.demands[self.turn - 1] + min(0, left)
        self.bad_days += not 0 <= left <= SHELF
        self.on_shelf = min(SHELF, max(0, left))
        if self.last:
            self.success = self.bad_days == 0
        return float(bool(self.success))

    def show(self) -> Stock:
        day = min(self.turn, self.HORIZON - 1)
        return Stock(day=day, on_shelf=self.on_shelf, demand=self.demands[day])


class Defect(Stockroom):
    """Pays for days without loss, on a shelf that reset does not clear: one episode's leavings open the next."""

    def clear_out(self) -> None:
        pass


class Sound(Stockroom):
    """Keeps a count of sales over all episodes as well; nothing is shown or paid by it, and the shelf is cleared."""

    def clear_out(self) -> None:
        self.on_shelf = 0


WITNESS = "after_another_episode_differs"
exploit = [{"units": 20}]


def solve(observation: Json, memory: Json) -> Json:
    """Order what is missing."""
    return {"units": max(0, observation["demand"] - observation["on_shelf"])}
