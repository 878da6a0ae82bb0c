"""Environments that refuse nonsense in words: some pay for it, some pay for time or for nothing but the task.

What an auditor says of them without being told anything is in ``tests/auditing/checks/test_refused.py``.
"""

import random
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field
from tests.zoo.untold import Untold

SHELVES = ("attic", "cellar", "garden", "kitchen", "library", "office")
LAST = 16


class LookAction(Action):
    """Look at a place, hand in what was found, or wait."""

    do: Literal["wait", "look", "hand_in"] = "wait"
    place: str = Field(default="", description="A place")


class House(Observation):
    """What is said of the last action."""

    places: tuple[str, ...] = ()
    said: str = ""


class Paying(Untold[LookAction, House]):
    """One place holds what is sought; no step is paid less than a little, a refused one neither."""

    least = 0.04
    waiting = 0.0

    def begin(self, rng: random.Random) -> None:
        self.names = [f"{rng.choice(SHELVES)} {n}" for n in rng.sample(range(90), 3)]
        self.held, self.said = rng.choice(self.names), "Find it."

    def move(self, action: LookAction) -> float:
        self.over = self.steps >= LAST
        if action.do == "wait":
            self.said = "Time goes by."
            return self.waiting
        if action.place not in self.names:
            self.said = f"Unknown place: {action.place!r}"
            return self.least
        found = action.place == self.held
        if action.do == "look":
            self.said = "It is here." if found else "It is not here."
            return 0.05
        self.over, self.said = True, "Handed in."
        return 0.9 if found else 0.0

    def shown(self, reward: float) -> House:
        return House(places=tuple(self.names), said=self.said, reward=reward, done=self.over)


class Frugal(Paying):
    """What is refused is not paid."""

    least = 0.0


class Token(Paying):
    """What is refused is paid next to nothing."""

    least = 0.005


class Timed(Paying):
    """Time is paid, whatever is done in it."""

    waiting = 0.04


class Enduring(Paying):
    """Each step survived is paid; nonsense is refused and loses earlier."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        self.lives = 8

    def move(self, action: LookAction) -> float:
        if action.do != "look" or action.place not in self.names:
            self.said = "Unknown place."
            self.lives -= 1
        else:
            self.said = "You look."
        self.over = self.steps >= LAST or self.lives < 1
        return 0.1
