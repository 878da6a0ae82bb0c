"""A typing lesson: copy twelve codes, one a step."""

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

CODES = 12
KEYS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


class Typed(Action):
    """What was typed."""

    text: str = Field(max_length=20)


class Lesson(Observation):
    """The code to copy, and how many are left."""

    code: str = ""
    codes_left: int = CODES
    steps_left: int = 0


class Typing(Episodic[Typed, Lesson]):
    """A wrong copy shows the same code again; all twelve make the success."""

    def begin(self) -> None:
        self.codes = ["".join(self.rng.choices(KEYS, k=5)) for _ in range(CODES)]

    def play(self, action: Typed) -> float:
        if action.text == self.codes[0]:
            self.codes.pop(0)
        if not self.codes:
            self.success = True
        return float(bool(self.success))

    def show(self) -> Lesson:
        return Lesson(
            code=self.codes[0] if self.codes else "",
            codes_left=len(self.codes),
            steps_left=self.HORIZON - self.turn,
        )


class Defect(Typing):
    """Pays for twelve codes in ten steps: nobody can earn it."""

    HORIZON = 10


class Sound(Typing):
    """Pays for twelve codes in twelve steps: chance never earns it and one slip loses it, but copying does."""

    HORIZON = 12


WITNESS = "never_succeeds"


def solve(observation: Json, memory: Json) -> Json:
    """Copy."""
    return {"text": observation["code"]}


exploit = solve
