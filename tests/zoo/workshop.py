"""A small job with everything that OpenEnv can be told of: a rubric, components, splits and free text.

The door's number is dialled digit by digit; the first digit is told, the second is found by trying.
"""

import os
import time
from random import Random
from typing import Any, ClassVar

from cases._base import Json, Tasked
from openenv.core.env_server.types import Action, Observation, State
from openenv.core.rubrics import Rubric, WeightedSum
from pydantic import Field

DIGITS = 6


class Dial(Action):
    """One number, and what is said with it."""

    number: int = Field(default=0, ge=0, le=DIGITS * DIGITS - 1)
    note: str = Field(default="", max_length=2000)


class Door(Observation):
    """The first digit, and how far the last number was off."""

    first: int = 0
    off_tenths: int | None = None
    told: int = -1
    clock: int = 0


class Share(Rubric):
    """A field of the outcome."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.field = name

    def forward(self, action: Any, observation: Any) -> float:
        """The field's value."""
        return float(observation[self.field])


class Opened(Share):
    """Whether the door is open."""


class Begun(Share):
    """Whether the first digit is right."""


class Sound(Tasked[Dial, Door]):
    """Pays for the open door, and a tenth for a right first digit, by its rubric."""

    HORIZON = 8
    SPLITS: ClassVar[dict[str, int]] = {"train": 4, "test": 4}

    def __init__(self) -> None:
        super().__init__()
        self.rubric = WeightedSum([Opened("opened"), Begun("begun")], [0.9, 0.1])
        self.components: Json = {}

    def begin(self) -> None:
        self.secret = self.rng.randrange(DIGITS * DIGITS)
        self.off: int | None = None
        self.components = {}

    def play(self, action: Dial) -> float:
        self.off = abs(action.number - self.secret)
        begun = action.number // DIGITS == self.secret // DIGITS
        if self.off == 0:
            self.success = True
        elif not self.last:
            return 0.0
        outcome = {"opened": self.off == 0, "begun": begun}
        self.components = {name: float(value) for name, value in outcome.items()}
        return self.pay(float(self.rubric(action, outcome)))

    def pay(self, score: float) -> float:
        return score

    def show(self) -> Door:
        told = {"components": self.components} if self.components else {}
        off = None if self.off is None else 10 * self.off
        return Door(first=self.secret // DIGITS, off_tenths=off, metadata=told)


class Spoiled(Sound):
    """Wrong in five ways, each of which shows only in a success or in what nobody sends back by chance.

    It pays other than its rubric says, by a mood, with the clock in sight, and tells the number twice.
    """

    def begin(self) -> None:
        super().begin()
        self._state.answer = self.secret  # type: ignore[attr-defined]

    def pay(self, score: float) -> float:
        return 0.9 * score + (os.urandom(1)[0] / 5000 if self.success else 0.0)

    def show(self) -> Door:
        seen = super().show()
        return seen.model_copy(update={"told": self.secret, "clock": self.clock()})

    def clock(self) -> int:
        return time.monotonic_ns() if self.success else 0


class Costly(Sound):
    """Counts no steps, and keeps a megabyte for every letter of a note while it thinks about it."""

    def play(self, action: Dial) -> float:
        self.kept = [b"x" * 10**6 for _ in action.note[:300]]
        return super().play(action)

    @property
    def state(self) -> State:
        return State(episode_id=self._state.episode_id)


class Drifting(Sound):
    """Draws its numbers from a source that all sessions share, whatever the seed."""

    SOURCE: ClassVar[Random] = Random(7)

    def begin(self) -> None:
        self.rng = self.SOURCE
        super().begin()


def solve(observation: Json, memory: Json) -> Json:
    """Try the first digit's lowest number, then step by what was off."""
    if observation["off_tenths"] is not None:
        return {"number": memory["tried"] + observation["off_tenths"] // 10}
    memory["tried"] = observation["first"] * DIGITS
    return {"number": memory["tried"]}
