"""A weather office gives, ten days long, the probability of rain."""

from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._told import Json, Told

SURE = 0.8


class Forecast(Action):
    """Today's forecast."""

    rain_probability: float = Field(ge=0.0, le=1.0, allow_inf_nan=False)


class Instruments(Observation):
    """What is measured in the morning, and what became of yesterday."""

    pressure_trend_hpa: float = 0.0
    wind: Literal["sea", "land"] = "sea"
    yesterday: Literal["", "rain", "dry"] = ""


class Weather(Told[Forecast, Instruments]):
    """Rain is half of the days: falling pressure with wind from the sea, or rising with wind from the land."""

    HORIZON = 10
    SUCCESS_KEY = "succeeded"
    PARTS_KEY = "components"

    def begin(self) -> None:
        rainy = set(self.rng.sample(range(self.HORIZON), self.HORIZON // 2))
        self.rain = [day in rainy for day in range(self.HORIZON)]
        self.winds = self.rng.choices(["sea", "land"], k=self.HORIZON)
        self.sizes = [round(self.rng.uniform(0.3, 4.0), 1) for _ in range(self.HORIZON)]
        self.missed = 0

    def play(self, action: Forecast) -> float:
        chance = action.rain_probability
        of_truth = chance if self.rain[self.turn - 1] else 1.0 - chance
        self.missed += of_truth < SURE
        if self.last:
            self.success = self.missed == 0
        return self.earn(forecast=self.pay(1.0 - of_truth) / self.HORIZON)

    def pay(self, error: float) -> float:
        raise NotImplementedError

    def show(self) -> Instruments:
        day = min(self.turn, self.HORIZON - 1)
        falls = self.rain[day] == (self.winds[day] == "sea")
        yesterday = ("rain" if self.rain[self.turn - 1] else "dry") if self.turn else ""
        return Instruments(
            pressure_trend_hpa=self.sizes[day] * (-1 if falls else 1),
            wind=self.winds[day],
            yesterday=yesterday,
        )


class Defect(Weather):
    """Pays one less the squared error, of which saying one half every day, knowing nothing, earns three quarters."""

    def pay(self, error: float) -> float:
        return 1.0 - error**2


class Sound(Weather):
    """Pays by the squared error too, but measured from that of saying one half, which is worth nothing."""

    def pay(self, error: float) -> float:
        return 1.0 - error**2 / 0.25


ALSO = ("paid_for_idling",)  # a forecast has to be given: no action does nothing
exploit = [{"rain_probability": 0.5}]


def solve(observation: Json, memory: Json) -> Json:
    """Falling with wind from the sea, or neither."""
    rain = (observation["pressure_trend_hpa"] < 0) == (observation["wind"] == "sea")
    return {"rain_probability": float(rain)}
