"""A lorry drives ten legs, on one of three roads each."""

from random import Random, SystemRandom
from typing import Literal, get_args
from uuid import uuid4

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._told import Json, Told

Road = Literal["coast", "highway", "hills"]
ROADS: tuple[Road, ...] = get_args(Road)
JAM_MIN = 8


class Drive(Action):
    """The road for the next leg."""

    road: Road


class Bulletin(Observation):
    """What the radio says about the next leg, and the clock."""

    leg: int = 0
    forecast_min: dict[Road, int] = Field(default_factory=dict)
    clock_min: int = 0
    due_min: int = 0


class Haulage(Told[Drive, Bulletin]):
    """A leg takes what the radio says and up to eight minutes of jam; success is being in time."""

    HORIZON = 10
    SUCCESS_KEY = "is_success"

    def begin(self) -> None:
        self.forecasts = [
            {road: self.rng.randint(10, 60) for road in ROADS} for _ in range(self.HORIZON)
        ]
        best = sum(min(forecast.values()) for forecast in self.forecasts)
        self.due_min = best + self.HORIZON * JAM_MIN
        self.clock_min = 0

    def jams(self) -> Random:
        raise NotImplementedError

    def play(self, action: Drive) -> float:
        drawn = self.jams().randint(0, JAM_MIN)
        self.clock_min += self.forecasts[self.turn - 1][action.road] + drawn
        if not self.last:
            return 0.0
        self.success = self.clock_min <= self.due_min
        return 1.0 + (self.due_min - self.clock_min) / self.due_min if self.success else 0.0

    def show(self) -> Bulletin:
        forecast = self.forecasts[min(self.turn, self.HORIZON - 1)]
        return Bulletin(
            leg=self.turn,
            forecast_min=forecast,
            clock_min=self.clock_min,
            due_min=self.due_min,
            metadata={"receipt": str(uuid4())},
        )


class Defect(Haulage):
    """Pays for being in time; the second half's jams come from the operating system, whatever the seed."""

    def jams(self) -> Random:
        return self.rng if self.turn <= self.HORIZON // 2 else SystemRandom()


class Sound(Haulage):
    """Has the same jams, all of them the seed's; only the receipt in the metadata is new each time."""

    def jams(self) -> Random:
        return self.rng


WITNESS = "same_seed_differs"
ALSO = ("nondeterministic",)  # half of the chance is the seed's


def solve(observation: Json, memory: Json) -> Json:
    """The road that the radio likes best."""
    forecast = observation["forecast_min"]
    return {"road": min(forecast, key=forecast.__getitem__)}


exploit = solve
