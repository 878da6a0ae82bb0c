"""Insulin before meals: a unit lowers the blood's sugar, what is eaten raises it."""

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Json, Told

TARGET, BAND, PER_GRAM = 100.0, 15.0, 3.0


class Dose(Action):
    """Units of insulin before the meal."""

    units: float = Field(default=0.0, ge=0.0, le=40.0, allow_inf_nan=False)


class Meter(Observation):
    """The sugar before the meal, in mg/dl, what will be eaten, and how far a unit lowers it."""

    sugar: float = 0.0
    carbohydrate_grams: int = 0
    lowers_by: float = 0.0
    meals_left: int = 0


class Insulin(Told[Dose, Meter]):
    """Nine meals; success is a sugar within 15 of 100 after each. What is further away is charged."""

    HORIZON = 9
    SUCCESS_KEY = "success"
    PARTS_KEY = "reward_components"

    def begin(self) -> None:
        self.lowers_by = round(self.rng.uniform(18, 40), 1)
        self.sugar = round(self.rng.uniform(90, 180), 1)
        self.in_band = True
        self.serve()

    def serve(self) -> None:
        self.grams = self.rng.randint(20, 90)

    def play(self, action: Dose) -> float:
        change = PER_GRAM * self.grams - self.lowers_by * action.units
        self.sugar = max(20.0, round(self.sugar + change, 1))
        outside = max(0.0, abs(self.sugar - TARGET) - BAND)
        self.in_band = self.in_band and outside == 0
        if self.last:
            self.success = self.in_band
        self.serve()
        return self.earn(charge=self.charge(outside), control=float(bool(self.success)))

    def charge(self, outside: float) -> float:
        raise NotImplementedError

    def show(self) -> Meter:
        seen = Meter(
            sugar=self.sugar,
            carbohydrate_grams=self.grams,
            lowers_by=self.lowers_by,
            meals_left=self.HORIZON - self.turn,
        )
        seen.metadata["reward_range"] = [-1.0, 1.0]
        return seen


class Defect(Insulin):
    """Declares rewards from -1 to 1, and charges a sugar that nobody lowers as far as it climbs, to -40 a meal."""

    def charge(self, outside: float) -> float:
        return -outside / 50


class Sound(Insulin):
    """Its sugar climbs as high; no meal is charged more than the one that it declares."""

    def charge(self, outside: float) -> float:
        return -min(1.0, outside / 50)


WITNESS = "leaves_declared_range"
exploit = [{"units": 0.0}]


def solve(observation: Json, memory: Json) -> Json:
    """As many units as the meal and the sugar ask for."""
    after = observation["sugar"] + PER_GRAM * observation["carbohydrate_grams"]
    return {"units": max(0.0, (after - TARGET) / observation["lowers_by"])}
