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


class DeskAction(Action):
    """Where a parcel goes, or that somebody else is to say."""

    side: Literal["left", "right", "ask"]


class AskAlways(Untold[DeskAction, Parcel]):
    """Pays a parcel that is passed on as it pays one that is sent the right way."""

    parcels, asked = 10, 1.0

    def begin(self, rng: random.Random) -> None:
        self.sides = ["left"] * 4 + ["right"] * 4 + ["ask"] * 2
        rng.shuffle(self.sides)
        towns = {**TOWNS, "ask": ("Nowhere", "Erewhon", "Utopia")}
        self.towns = [rng.choice(towns[side]) for side in self.sides]

    def move(self, action: DeskAction) -> float:
        side = self.sides[self.steps - 1]
        self.over = self.steps >= self.parcels
        if side == action.side:
            return 1.0 / self.parcels
        return (self.asked if action.side == "ask" else 0.0) / self.parcels

    def shown(self, reward: float) -> Parcel:
        town = "" if self.over else self.towns[self.steps]
        left_over = self.parcels - self.steps
        return Parcel(town=town, left_over=left_over, reward=reward, done=self.over)


class AskRarely(AskAlways):
    """Sound: whoever passes a parcel on without need is paid a part of it."""

    asked = 0.3


class AllRight(AskAlways):
    """Sound: one way is right for each parcel, wherever it goes, and no other one ever is."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        self.sides = ["left"] * self.parcels


class BonusForRead(AskAlways):
    """Sound: passing a parcel on is safe and pays little beside what sending most of them the right way does."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        self.sent = 0

    def move(self, action: DeskAction) -> float:
        self.sent += action.side == self.sides[self.steps - 1] != "ask"
        paid = super().move(action)
        return paid + 2.0 * (self.over and self.sent >= 6)


class BonusForBoth(Untold[DeskAction, Parcel]):
    """Sound: asking is safe; a bonus is for sending four parcels each way, and most may go either."""

    def begin(self, rng: random.Random) -> None:
        self.ways = ["left"] * 2 + ["right"] * 2 + ["either"] * 8
        rng.shuffle(self.ways)
        towns = {**TOWNS, "either": ("Wien", "Graz", "Linz", "Genf")}
        self.towns = [rng.choice(towns[way]) for way in self.ways]
        self.sent = {"left": 0, "right": 0}

    def move(self, action: DeskAction) -> float:
        way = self.ways[self.steps - 1]
        self.over = self.steps == len(self.ways)
        if action.side == "ask":
            return 1.0 / len(self.ways)
        fits = way in {action.side, "either"}
        self.sent[action.side] += fits
        bonus = 2.0 * (self.over and min(self.sent.values()) >= 4)
        return fits / len(self.ways) + bonus

    def shown(self, reward: float) -> Parcel:
        town = "" if self.over else self.towns[self.steps]
        left_over = len(self.ways) - self.steps
        return Parcel(town=town, left_over=left_over, reward=reward, done=self.over)
