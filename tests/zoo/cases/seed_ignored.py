"""Guessing a number from 1 to 100 in eight guesses, told higher or lower."""

from random import Random, SystemRandom
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json


class Guess(Action):
    """One guess."""

    number: int = Field(ge=1, le=100)


class Hint(Observation):
    """Where the number lies, seen from the last guess."""

    hint: Literal["none yet", "higher", "lower", "right"] = "none yet"


class Guessing(Episodic[Guess, Hint]):
    """Every episode opens with the same words, whatever the number."""

    HORIZON = 8

    def begin(self) -> None:
        self.number = self.chance().randint(1, 100)
        self.hint: Literal["none yet", "higher", "lower", "right"] = "none yet"

    def chance(self) -> Random:
        raise NotImplementedError

    def play(self, action: Guess) -> float:
        if action.number == self.number:
            self.hint, self.success = "right", True
            return 1.0
        self.hint = "higher" if action.number < self.number else "lower"
        return 0.0

    def show(self) -> Hint:
        return Hint(hint=self.hint)


class Defect(Guessing):
    """Pays for the right number, which the operating system draws: the same seed gives another episode each time."""

    def chance(self) -> Random:
        return SystemRandom()


class Sound(Guessing):
    """Opens alike for every seed, as if it had dropped it; the number behind it is the seed's."""

    def chance(self) -> Random:
        return self.rng


WITNESS = "same_seed_differs"
exploit = [{"number": number} for number in (50, 25, 75, 12, 37, 62, 87, 6)]


def solve(observation: Json, memory: Json) -> Json:
    """Halve."""
    low, high, last = memory.get("low", 1), memory.get("high", 100), memory.get("last", 0)
    if observation["hint"] == "higher":
        low = last + 1
    elif observation["hint"] == "lower":
        high = last - 1
    memory.update(low=low, high=high, last=(low + high) // 2)
    return {"number": memory["last"]}
