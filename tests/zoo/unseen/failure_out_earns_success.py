"""A buyer haggles over a used machine; what it costs is the whole reward."""

from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Json, Told


class Haggle(Action):
    """Offer a price, take the seller's, or walk away."""

    move: Literal["offer", "accept", "walk_away"]
    price: float = Field(default=0.0, ge=0.0, le=5000.0, allow_inf_nan=False)


class Table(Observation):
    """What the seller asks, and what the machine is worth to the buyer."""

    asking: float = 0.0
    worth_to_us: float = 0.0
    new_machine_costs: float = 0.0
    rounds_left: int = 0
    seller_says: str = ""


class Haggling(Told[Haggle, Table]):
    """The seller comes down by a tenth a round; success is buying for no more than the machine is worth."""

    HORIZON = 10
    SUCCESS_KEY = "success"
    PARTS_KEY = "reward_components"

    def begin(self) -> None:
        self.floor = float(self.rng.randint(600, 1500))
        self.asking = round(self.floor * self.rng.uniform(1.5, 1.9), 2)
        self.worth = round(self.floor * self.rng.uniform(1.05, 1.2), 2)
        self.new_machine = round(self.worth * self.rng.uniform(1.5, 2.5), 2)
        self.says = "A fine machine."

    def play(self, action: Haggle) -> float:
        if action.move == "walk_away":
            self.success = False
            return self.earn(outside_option=-self.cost_of_leaving() / 1000)
        if action.move == "accept" or action.price >= self.asking:
            self.success = self.asking <= self.worth
            return self.earn(price=-self.asking / 1000)
        if self.last:
            return self.earn(outside_option=-self.cost_of_leaving() / 1000)
        self.says = "Too little." if action.price < self.floor else "We are getting there."
        self.asking = round(max(self.floor, 0.9 * self.asking), 2)
        return 0.0

    def cost_of_leaving(self) -> float:
        raise NotImplementedError

    def show(self) -> Table:
        return Table(
            asking=self.asking,
            worth_to_us=self.worth,
            new_machine_costs=self.new_machine,
            rounds_left=self.HORIZON - self.turn,
            seller_says=self.says,
        )


class Defect(Haggling):
    """Charges what was paid for the machine, and nothing to whoever leaves without: no deal is the best deal."""

    def cost_of_leaving(self) -> float:
        return 0.0


class Sound(Haggling):
    """Nothing but charges here too; whoever leaves without has to buy a new machine, and is charged for that."""

    def cost_of_leaving(self) -> float:
        return self.new_machine


ALSO = ("stalling_pays",)
WITNESS = "failure_out_earns_success"
exploit = [{"move": "walk_away"}]


def solve(observation: Json, memory: Json) -> Json:
    """Wait until it is cheap enough."""
    if observation["asking"] <= observation["worth_to_us"]:
        return {"move": "accept"}
    return {"move": "offer", "price": round(observation["worth_to_us"] / 2, 2)}
