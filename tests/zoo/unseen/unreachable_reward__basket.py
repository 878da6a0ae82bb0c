"""Shopping to a budget: for each of six things take one of four offers, fees included."""

from openenv.core.env_server.types import Action, Observation
from pydantic import BaseModel, Field

from ._base import Episodic, Json

THINGS = ("flour", "butter", "cheese", "rice", "lemons", "coffee")


class Take(Action):
    """The offer to take for the thing that is next."""

    offer: int = Field(ge=0, le=3)


class Offer(BaseModel):
    """What a shop asks, in cents."""

    price: int
    delivery: int


class Basket(Observation):
    """The offers for the next thing, and the money."""

    thing: str = ""
    offers: list[Offer] = Field(default_factory=list)
    spent: int = 0
    budget: int = 0
    won: bool | None = None


class Shopping(Episodic[Take, Basket]):
    """The budget is what the cheapest offers come to; success is to have kept it."""

    HORIZON = len(THINGS)
    SUCCESS = "won"

    def begin(self) -> None:
        self.offers = [
            [
                Offer(price=self.rng.randint(80, 900), delivery=self.rng.randint(0, 300))
                for _ in range(4)
            ]
            for _ in THINGS
        ]
        self.budget = sum(min(offer.price + offer.delivery for offer in o) for o in self.offers)
        self.spent = 0

    def play(self, action: Take) -> float:
        taken = self.offers[self.turn - 1][action.offer]
        self.spent += taken.price + taken.delivery
        if not self.last:
            return 0.0
        self.success = self.keeps_budget()
        return float(self.success)

    def keeps_budget(self) -> bool:
        raise NotImplementedError

    def show(self) -> Basket:
        bought = min(self.turn, len(THINGS) - 1)
        return Basket(
            thing=THINGS[bought],
            offers=self.offers[bought],
            spent=self.spent,
            budget=self.budget,
        )


class Defect(Shopping):
    """Pays for less spent than the budget, which is what the cheapest basket costs: no basket is below it."""

    def keeps_budget(self) -> bool:
        return self.spent < self.budget


class Sound(Shopping):
    """Leaves no cent to spare either and pays as rarely; the cheapest basket is within its budget."""

    def keeps_budget(self) -> bool:
        return self.spent <= self.budget


WITNESS = "never_succeeds"


def solve(observation: Json, memory: Json) -> Json:
    """The cheapest with its delivery."""
    costs = [offer["price"] + offer["delivery"] for offer in observation["offers"]]
    return {"offer": costs.index(min(costs))}


exploit = solve
