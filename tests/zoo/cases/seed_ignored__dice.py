"""Poker dice: a cup is shaken and lifted; call what lies on the table."""

from collections import Counter
from typing import Literal

import numpy as np
from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Json
from ._told import Told

Call = Literal["five", "four", "full house", "three", "two pairs", "pair", "nothing"]
CALLS: dict[tuple[int, ...], Call] = {
    (5,): "five", (4, 1): "four", (3, 2): "full house", (3, 1, 1): "three", (2, 2, 1): "two pairs",
    (2, 1, 1, 1): "pair", (1, 1, 1, 1, 1): "nothing",
}  # fmt: skip


class CallOut(Action):
    """What the five dice are; while the cup is down, anything may be said."""

    call: Call


class Dice(Observation):
    """The dice, or none while the cup is down."""

    cup_is_down: bool = True
    dice: list[int] = Field(default_factory=list)
    rounds_left: int = 0
    success: bool | None = None


class PokerDice(Told[CallOut, Dice]):
    """Nine rounds, the first under the cup; success is that none of the calls was wrong."""

    HORIZON = 9
    SUCCESS = "success"
    PARTS_KEY = "reward_breakdown"

    def begin(self) -> None:
        self.dice: list[int] = []
        self.wrong = 0
        self.cup = self.take_cup()

    def take_cup(self) -> np.random.Generator:
        raise NotImplementedError

    def play(self, action: CallOut) -> float:
        if self.dice:
            groups = tuple(sorted(Counter(self.dice).values(), reverse=True))
            self.wrong += action.call != CALLS[groups]
        self.dice = [int(pips) for pips in self.cup.integers(1, 7, size=5)]
        if self.last:
            self.success = self.wrong == 0
        return self.earn(calls=float(bool(self.success)))

    def show(self) -> Dice:
        return Dice(
            cup_is_down=not self.dice, dice=list(self.dice), rounds_left=self.HORIZON - self.turn
        )


class Defect(PokerDice):
    """Shakes the dice with a generator that reset makes without handing it the seed."""

    def take_cup(self) -> np.random.Generator:
        return np.random.default_rng()


class Sound(PokerDice):
    """Opens with the same cup over no dice for every seed; what it is shaken with is the seed's."""

    def take_cup(self) -> np.random.Generator:
        return np.random.default_rng(self.rng.getrandbits(64))


ALSO = ("nondeterministic", "process_dependent")
WITNESS = "same_seed_differs"


def solve(observation: Json, memory: Json) -> Json:
    """Count alike dice."""
    groups = tuple(sorted(Counter(observation["dice"]).values(), reverse=True))
    return {"call": CALLS.get(groups, "nothing")}


exploit = solve
