"""A kitchen at noon: eight orders, each to be sent to the right station."""

from collections.abc import Iterable
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._told import Json, Told

Station = Literal["grill", "oven", "pan", "cold"]
MENU: dict[str, Station] = {
    "trout": "grill", "skewers": "grill", "corn": "grill", "lasagne": "oven", "gratin": "oven",
    "tart": "oven", "omelette": "pan", "pancakes": "pan", "risotto": "pan", "tartare": "cold",
    "gazpacho": "cold", "carpaccio": "cold",
}  # fmt: skip


class Send(Action):
    """The station for the order on top."""

    station: Station


class Pass(Observation):
    """The menu by stations, and the order on top."""

    menu: dict[Station, list[str]] = Field(default_factory=dict)
    order: str = ""
    waiting: int = 0
    solved: bool | None = None


class Kitchen(Told[Send, Pass]):
    """A right order earns its price, less the longer it waited; a wrong one costs as much."""

    HORIZON = 8
    SUCCESS = "solved"
    PARTS_KEY = "reward_breakdown"

    def begin(self) -> None:
        ordered = self.rng.sample(sorted(MENU), self.HORIZON)
        self.prices = {dish: self.rng.randint(5, 25) for dish in ordered}
        self.queue = list(self.in_order(set(ordered)))
        self.wrong = 0

    def in_order(self, dishes: set[str]) -> Iterable[str]:
        raise NotImplementedError

    def play(self, action: Send) -> float:
        dish = self.queue[self.turn - 1]
        tip = self.prices[dish] * (1.0 - 0.05 * self.turn)
        wrong = action.station != MENU[dish]
        self.wrong += wrong
        if self.last:
            self.success = self.wrong == 0
        return self.earn(waste=-tip) if wrong else self.earn(tips=tip)

    def show(self) -> Pass:
        menu: dict[Station, list[str]] = {}
        for dish, station in MENU.items():
            menu.setdefault(station, []).append(dish)
        order = self.queue[min(self.turn, self.HORIZON - 1)]
        return Pass(menu=menu, order=order, waiting=self.HORIZON - self.turn)


class Defect(Kitchen):
    """Pays by how long an order waits, in the order of a set of words, which every process salts anew."""

    def in_order(self, dishes: set[str]) -> Iterable[str]:
        return dishes


class Sound(Kitchen):
    """Keeps the orders in such a set too, and takes them out by the alphabet."""

    def in_order(self, dishes: set[str]) -> Iterable[str]:
        return sorted(dishes)


WITNESS = "another_process_differs"
ALSO = ("process_dependent",)


def solve(observation: Json, memory: Json) -> Json:
    """Look it up in the menu."""
    return {"station": next(s for s, d in observation["menu"].items() if observation["order"] in d)}


exploit = solve
