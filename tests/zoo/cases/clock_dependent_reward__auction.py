"""An auction house: ten lots, each worth what the catalogue says; bid up to it and no further."""

from time import time_ns

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._told import Json, Told


class Bid(Action):
    """The highest bid for this lot."""

    limit: int = Field(ge=0, le=1000)


class Lot(Observation):
    """The lot on the block."""

    lot: int = 0
    catalogue_value: int = 0
    last_lot: str = ""


class Auction(Told[Bid, Lot]):
    """A rival bids up to five under the value; success is every lot, none of them above its value."""

    HORIZON = 10
    SUCCESS_KEY = "task_success"

    def begin(self) -> None:
        self.values = [self.rng.randint(20, 900) for _ in range(self.HORIZON)]
        self.bought, self.last_lot = 0, ""
        self.ticks = self.rng.randrange(1000)

    def play(self, action: Bid) -> float:
        value, self.ticks = self.values[self.turn - 1], self.ticks + 37
        fair = value - 5 <= action.limit <= value
        self.bought += fair
        self.last_lot = "bought" if fair else "lost or too dear"
        if self.last:
            self.success = self.bought == self.HORIZON
        return (1.0 - 0.2 * self.commission()) / self.HORIZON if fair else 0.0

    def commission(self) -> float:
        raise NotImplementedError

    def show(self) -> Lot:
        lot = min(self.turn, self.HORIZON - 1)
        return Lot(
            lot=lot,
            catalogue_value=self.values[lot],
            last_lot=self.last_lot,
            metadata={"hammer_fell_ns": time_ns()},
        )


class Defect(Auction):
    """Pays less a commission that hangs on the millisecond in which the hammer falls."""

    def commission(self) -> float:
        return time_ns() // 1000 % 1000 / 1000


class Sound(Auction):
    """Has such a commission as well, by the auction's own ticks; what the wall's clock said is only told."""

    def commission(self) -> float:
        return self.ticks % 1000 / 1000


WITNESS = "same_seed_differs"
ALSO = ("nondeterministic", "process_dependent")


def solve(observation: Json, memory: Json) -> Json:
    """Bid the value."""
    return {"limit": observation["catalogue_value"]}


exploit = solve
