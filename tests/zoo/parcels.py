"""Parcels on a belt, each to be sent left or right, of which most may have to go to the same side.

What an auditor says of them without being told anything is in ``tests/auditing/checks/test_lopsided.py``.
"""

import random
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from tests.zoo.untold import Untold

TOWNS = {"left": ("Oslo", "Riga", "Bonn", "Brno"), "right": ("Porto", "Faro", "Nice", "Bari")}


class ParcelAction(Action):
    """Where a parcel goes."""

    side: Literal["left", "right"]


class Parcel(Observation):
    """The parcel on the belt."""

    town: str = ""
    left_over: int = 0


class MostlyRight(Untold[ParcelAction, Parcel]):
    """Pays each parcel alike, and nearly all of them go right."""

    parcels, left, cost = 10, 2, 0.0

    def begin(self, rng: random.Random) -> None:
        self.sides = ["left"] * self.left + ["right"] * (self.parcels - self.left)
        rng.shuffle(self.sides)
        self.towns = [rng.choice(TOWNS[side]) for side in self.sides]

    def move(self, action: ParcelAction) -> float:
        sent = self.sides[self.steps - 1] == action.side
        self.over = self.steps >= self.parcels
        return (1.0 if sent else -self.cost) / self.parcels

    def shown(self, reward: float) -> Parcel:
        town = "" if self.over else self.towns[self.steps]
        left_over = self.parcels - self.steps
        return Parcel(town=town, left_over=left_over, reward=reward, done=self.over)


class AsMany(MostlyRight):
    """Sound: as many parcels go to each side."""

    left = 5


class WrongCosts(MostlyRight):
    """Sound: a parcel that goes astray costs more than two that arrive earn."""

    cost = 2.5
