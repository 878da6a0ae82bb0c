"""Sorting a row of five numbers by swaps."""

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

LENGTH = 5


class Swap(Action):
    """Two places."""

    first: int = Field(ge=0, lt=LENGTH)
    second: int = Field(ge=0, lt=LENGTH)


class Row(Observation):
    """The row."""

    row: list[int] = Field(default_factory=list)


class Sorting(Episodic[Swap, Row]):
    """The episode ends with the sorted row; a judge's mood, drawn from the seed, enters the pay."""

    HORIZON = 10

    def begin(self) -> None:
        self.row = sorted(self.rng.sample(range(10, 100), LENGTH))
        while self.row == sorted(self.row):
            self.rng.shuffle(self.row)
        self.mood = self.rng.random()

    def play(self, action: Swap) -> float:
        first, second = action.first, action.second
        self.row[first], self.row[second] = self.row[second], self.row[first]
        if self.row == sorted(self.row):
            self.success = True
        return self.pay() if self.success or self.last else 0.0

    def pay(self) -> float:
        raise NotImplementedError

    def show(self) -> Row:
        return Row(row=list(self.row))


class Defect(Sorting):
    """Pays the judge's mood, sorted or not: the reward says nothing of success."""

    def pay(self) -> float:
        return self.mood


class Sound(Sorting):
    """The mood moves the pay here too, by a tenth, and only of a sorted row."""

    def pay(self) -> float:
        return 0.9 + 0.1 * self.mood if self.success else 0.0


ALSO = ("paid_for_idling",)
exploit = [{"first": 0, "second": 0}]


def solve(observation: Json, memory: Json) -> Json:
    """Put the first wrong number's rightful one in its place."""
    row, wanted = observation["row"], sorted(observation["row"])
    first = next(i for i in range(LENGTH) if row[i] != wanted[i])
    return {"first": first, "second": row.index(wanted[first])}
