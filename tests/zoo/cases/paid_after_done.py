"""Nim with one heap: take one to three, and who takes the last one wins."""

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json


class Take(Action):
    """How many to take."""

    count: int = Field(ge=1, le=3)


class Heap(Observation):
    """What is left, and the score, which stands after the end."""

    heap: int = 0
    score: float = 0.0
    won: bool | None = None


class Nim(Episodic[Take, Heap]):
    """The opponent plays perfectly; the heap is one that can be won."""

    SUCCESS = "won"

    def begin(self) -> None:
        self.heap = self.rng.choice([heap for heap in range(14, 31) if heap % 4])

    def play(self, action: Take) -> float:
        self.heap = max(0, self.heap - action.count)
        if self.heap == 0:
            self.success = True
            return 1.0
        self.heap -= self.heap % 4 or min(self.heap, self.rng.randint(1, 3))
        if self.heap == 0:
            self.success = False
        return 0.0

    def show(self) -> Heap:
        return Heap(heap=self.heap, score=float(bool(self.success)))


class Defect(Nim):
    """Pays for the win, and again for every step after it."""

    def pay_after_done(self) -> float:
        return float(bool(self.success))


class Sound(Nim):
    """Takes steps after the end too, and goes on showing the score; it pays it once."""


WITNESS = "pays_after_done"


def solve(observation: Json, memory: Json) -> Json:
    """Leave a multiple of four."""
    return {"count": observation["heap"] % 4 or 1}


exploit = solve
