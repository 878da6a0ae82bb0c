"""A rope bridge of ten rows: in each, one of two planks is rotten, and it creaks."""

from typing import Literal

from openenv.core.env_server.types import Action, Observation

from ._base import Episodic, Json

Side = Literal["left", "right"]
SIDES: tuple[Side, ...] = ("left", "right")
WEATHERS = ("sun", "rain", "fog")


class Tread(Action):
    """The plank to step on."""

    plank: Side


class Bridge(Observation):
    """The weather, and the plank that creaks in the next row."""

    weather: str = ""
    row: int = 0
    creaking: Side = "left"


class Crossing(Episodic[Tread, Bridge]):
    """A rotten plank ends the episode; the weather, one of three, is all that tells the openings apart."""

    HORIZON = 10

    def begin(self) -> None:
        self.weather = self.rng.choice(WEATHERS)
        self.rng.seed(self.bridge())
        self.rotten = [SIDES[0], *self.rng.choices(SIDES, k=self.HORIZON - 1)]

    def bridge(self) -> str:
        raise NotImplementedError

    def play(self, action: Tread) -> float:
        if action.plank == self.rotten[self.turn - 1]:
            self.success = False
        elif self.last:
            self.success = True
        return float(bool(self.success))

    def show(self) -> Bridge:
        row = min(self.turn, self.HORIZON - 1)
        return Bridge(weather=self.weather, row=row, creaking=self.rotten[row])


class Defect(Crossing):
    """Pays for the crossing, of which there are three in all: the weather gives the whole bridge away."""

    def bridge(self) -> str:
        return self.weather


class Sound(Crossing):
    """Has the same three openings, and behind each of them hundreds of bridges."""

    def bridge(self) -> str:
        return f"{self.weather} {self.rng.getrandbits(64)}"


WITNESS = "episodes_repeat"


def solve(observation: Json, memory: Json) -> Json:
    """Step on the other plank."""
    return {"plank": "left" if observation["creaking"] == "right" else "right"}


exploit = solve
