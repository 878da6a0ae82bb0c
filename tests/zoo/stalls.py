"""Market stalls that are graded by what was gained of what there was to gain, and may be closed on any day.

What an auditor says of them without being told anything is in ``tests/auditing/checks/test_cut_short.py``.
"""

import random
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from tests.zoo.untold import Untold

SAID = ("rain", "a fair", "a feast", "frost", "sun", "a strike")


class StallAction(Action):
    """Keep the stall shut for a day, sell, or close it for good."""

    do: Literal["wait", "sell", "close"]


class StallDay(Observation):
    """What is said of the day, and what was gained so far."""

    said: str = ""
    days_left: int = 0
    gained: float = 0.0


class BestSoFar(Untold[StallAction, StallDay]):
    """Grades by the best of the days so far: after one good day it is all there was."""

    days, good, loss = 12, 6, 0.7

    def begin(self, rng: random.Random) -> None:
        self.worth = [1.0] * self.good + [-self.loss] * (self.days - self.good)
        rng.shuffle(self.worth)
        self.notes, self.gained = [rng.choice(SAID) for _ in range(self.days)], 0.0
        self.sold = -1

    def best(self, day: int) -> float:
        """What there was to gain until a day."""
        return sum(worth for worth in self.worth[:day] if worth > 0)

    def grade(self, day: int) -> float:
        """What the episode is worth."""
        best = self.best(day)
        return max(0.0, self.gained / best) if best else 0.0

    def move(self, action: StallAction) -> float:
        day = self.steps - 1
        if action.do == "sell":
            self.gained += self.worth[day]
            self.sold = day
        self.over = action.do == "close" or self.steps >= self.days
        return self.grade(day if action.do == "close" else self.steps) if self.over else 0.0

    def shown(self, reward: float) -> StallDay:
        day = min(self.steps, self.days - 1)
        return StallDay(
            said=self.notes[day],
            days_left=self.days - self.steps,
            gained=round(self.gained, 1),
            reward=reward,
            done=self.over,
        )


class BestOfAll(BestSoFar):
    """Sound: grades by the best of all days."""

    def best(self, day: int) -> float:
        return super().best(self.days)


class InTime(BestSoFar):
    """Sound: the task is to sell on a good day and to close right after it; who misses that earns nothing."""

    def grade(self, day: int) -> float:
        return float(self.sold == day - 1 and self.gained == 1.0 and day < self.days)
