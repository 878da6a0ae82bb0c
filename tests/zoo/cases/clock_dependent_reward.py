"""A lift serves the floors that called it."""

from time import perf_counter

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

FLOORS = 10


class Ride(Action):
    """Where to go next."""

    floor: int = Field(ge=0, lt=FLOORS)


class Lift(Observation):
    """Where the lift is, and who waits."""

    floor: int = 0
    calls: list[int] = Field(default_factory=list)


class Building(Episodic[Ride, Lift]):
    """The episode ends when nobody waits; the metadata says how long it took by the wall's clock."""

    HORIZON = 8

    def begin(self) -> None:
        self.floor, *self.calls = self.rng.sample(range(FLOORS), 6)
        self.travelled = 0
        self.began_s = perf_counter()

    def play(self, action: Ride) -> float:
        self.travelled += abs(action.floor - self.floor)
        self.floor = action.floor
        self.calls = [floor for floor in self.calls if floor != action.floor]
        if self.calls:
            return 0.0
        self.success = True
        return 1.0 / (1.0 + self.waited())

    def waited(self) -> float:
        raise NotImplementedError

    def show(self) -> Lift:
        took_s = perf_counter() - self.began_s
        return Lift(floor=self.floor, calls=self.calls, metadata={"took_s": took_s})


class Defect(Building):
    """Pays less the longer the callers wait by the wall's clock: a busy machine earns less for the same rides."""

    def waited(self) -> float:
        return perf_counter() - self.began_s


class Sound(Building):
    """Pays for little waiting too, counted in floors; the clock runs beside it and is only told."""

    def waited(self) -> float:
        return self.travelled / 100


WITNESS = "same_seed_differs"
ALSO = ("nondeterministic", "process_dependent")


def solve(observation: Json, memory: Json) -> Json:
    """To the nearer end of the calls, then through."""
    here, calls = observation["floor"], sorted(observation["calls"])
    if here <= calls[0] or here >= calls[-1]:
        return {"floor": min(calls, key=lambda floor: abs(floor - here))}
    return {"floor": min(calls[0], calls[-1], key=lambda floor: abs(floor - here))}


exploit = solve
