"""Environments with something far away, for an exploration that goes on."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

STORIES = tuple(a + b for a in ("oak", "elm", "ash", "fir") for b in ("den", "mere", "ford", "ton"))
WORDS = ("north", "south", "east", "west", "up", "down", "in", "out")


@dataclass
class Seen:
    """What is shown."""

    text: str
    reward: float = 0.0
    done: bool = False
    success: bool = False


class Tower:
    """Stories one above the other, each behind one of eight words; nobody comes to the top, which is a success."""

    def reset(self, seed: int | None = None) -> Seen:
        """Stand on the ground."""
        self._story, self._steps = 0, 0
        self._rng = random.Random(seed)
        self._word = self._rng.choice(WORDS)
        return Seen("You stand on the ground.")

    def step(
        self, word: Literal["north", "south", "east", "west", "up", "down", "in", "out"]
    ) -> Seen:
        """Say a word."""
        self._steps += 1
        done = self._steps >= 40
        if word != self._word:
            return Seen("Nothing.", done=done)
        self._story += 1
        self._word = self._rng.choice(WORDS)
        if self._story >= len(STORIES):
            return Seen("The top!", reward=1.0, done=True, success=True)
        return Seen(f"You come to {STORIES[self._story]}.", done=done)


class Pump:
    """Pumping is paid each time, whatever stands between; nothing is ever a success."""

    def reset(self, seed: int | None = None) -> Seen:
        """Stand at the pump."""
        self._steps = 0
        return Seen("A pump.")

    def step(self, do: Literal["wait", "pump", "red", "green", "blue", "white"]) -> Seen:
        """Do it."""
        self._steps += 1
        return Seen(f"{do}.", reward=float(do == "pump"), done=self._steps >= 60)
