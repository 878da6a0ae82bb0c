"""Answers that nobody can guess and a grader's own comparisons name.

What an auditor makes of them is in ``tests/auditing/test_compared_rows.py``.
"""

import random
import re

from openenv.core.env_server.types import Action, Observation
from pydantic import Field
from tests.zoo.untold import Untold

PLACES = ["Arvo", "Belm", "Corin", "Dask", "Elmet", "Fenn", "Gorse", "Hollow"]
SIGNS: dict[str, str] = {
    "cough": "pneumonia", "limp": "fracture", "rash": "measles", "thirst": "diabetes", "chill": "sepsis",
    "tremor": "withdrawal", "squint": "glaucoma", "swelling": "oedema",
}  # fmt: skip


class AnswerAction(Action):
    """An answer."""

    text: str


class Asked(Observation):
    """What is asked, and whether it was right."""

    asked: str = ""
    signs: list[str] = Field(default_factory=list)
    success: bool = False


class Sealed(Untold[AnswerAction, Asked]):
    """Sound: the place that a map hides is to be named, which only who looks into the sealed letter knows."""

    def begin(self, rng: random.Random) -> None:
        self.place = f"{rng.choice(PLACES)}-{rng.randrange(10**6)}"
        self.right = False

    def move(self, action: AnswerAction) -> float:
        self.over = True
        self.right = action.text.strip().lower() == self.place.lower()
        return float(self.right)

    def shown(self, reward: float) -> Asked:
        return Asked(
            asked="Which place does the map hide?",
            success=self.right,
            reward=reward,
            done=self.over,
        )


class Stuck(Sealed):
    """The same, but whoever answers is never heard again."""

    def move(self, action: AnswerAction) -> float:
        raise SystemExit(1)


class Ward(Untold[AnswerAction, Asked]):
    """Planted: a patient's troubles are looked for in the note, and what it names beside them costs nothing."""

    def begin(self, rng: random.Random) -> None:
        self.signs = rng.sample(sorted(SIGNS), 3)

    def named(self, text: str) -> list[str]:
        """The signs of which a note names the trouble."""
        return [sign for sign in SIGNS if re.search(rf"\b{re.escape(SIGNS[sign])}\b", text.lower())]

    def move(self, action: AnswerAction) -> float:
        self.over = True
        return self.mark(self.named(action.text))

    def mark(self, named: list[str]) -> float:
        """What a note is worth that names some troubles."""
        return len({*named} & {*self.signs}) / len(self.signs)

    def shown(self, reward: float) -> Asked:
        return Asked(asked="A note, please.", signs=self.signs, reward=reward, done=self.over)


class CarefulWard(Ward):
    """Sound: what a note names beside the patient's troubles counts against it."""

    def mark(self, named: list[str]) -> float:
        return len({*named} & {*self.signs}) / len({*named} | {*self.signs})
