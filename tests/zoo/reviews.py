"""Plans that are reviewed at their end, by graders that may fail themselves.

Nothing says success. What an auditor says of them is in ``tests/auditing/checks/test_swallowed_errors.py``.
"""

import json
import random
from typing import Any, Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field
from tests.zoo.untold import Untold


class ShelfAction(Action):
    """Put a box on a shelf, or hand the plan in."""

    do: Literal["put", "finish"]
    box: str = ""
    shelf: int = 0


class Boxes(Observation):
    """The boxes with their weights, and what each shelf bears."""

    boxes: dict[str, int] = Field(default_factory=dict)
    bears: list[int] = Field(default_factory=list)
    said: str = ""


class AbortedReview(Untold[ShelfAction, Boxes]):
    """Planted: a review that fails itself returns the faults that it had counted so far."""

    size = 6

    def begin(self, rng: random.Random) -> None:
        names = [f"B{n}" for n in rng.sample(range(100, 1000), self.size)]
        self.boxes = {name: rng.randrange(10, 30) for name in names}
        self.bears = [55, 55, 90]
        self.plan: dict[str, int] = {}
        self.said = "Put each box on a shelf that bears it, then finish."

    def faults(self) -> int:
        """How many faults a plan has."""
        found = 0
        try:
            loads = dict.fromkeys(range(len(self.bears)), 0)
            for box, shelf in self.plan.items():
                loads[shelf] += self.boxes[box]
            found += sum(box not in self.plan for box in self.boxes)
            heavy = {shelf for shelf, load in loads.items() if load > self.bears[shelf]}
            found += sum(shelf in heavy for shelf in self.plan.values())
        except Exception:  # noqa: BLE001
            found = self.failed(found)
        return found

    def failed(self, found: int) -> int:
        """What a review that failed comes to."""
        return found

    def move(self, action: ShelfAction) -> float:
        self.over = action.do == "finish" or self.steps >= 20
        self.said = f"no box {action.box!r}"
        if action.do == "put" and action.box in self.boxes:
            self.plan[action.box] = action.shelf
            self.said = f"{action.box} goes to {action.shelf}."
        return max(0.0, 1 - self.faults() / self.size) if self.over else 0.0

    def shown(self, reward: float) -> Boxes:
        return Boxes(
            boxes=self.boxes, bears=self.bears, said=self.said, reward=reward, done=self.over
        )


class FailedReview(AbortedReview):
    """Sound: a review that fails itself finds everything wrong."""

    def failed(self, found: int) -> int:
        return self.size


class WordAction(Action):
    """Say the word, plainly or as a JSON object."""

    word: str


class Word(Observation):
    """A word that is to be said."""

    say: str = ""


class ReadsPlainly(Untold[WordAction, Word]):
    """Sound: what is no JSON is read as it is, by a handler that is reached by what is wrong as well."""

    def begin(self, rng: random.Random) -> None:
        self.word = rng.choice(["north", "south", "east", "west", "up", "down"])

    def move(self, action: WordAction) -> float:
        self.over = True
        said: Any = action.word
        try:
            said = json.loads(action.word)["word"]
        except Exception:  # noqa: BLE001
            said = action.word.strip()
        return float(said == self.word)

    def shown(self, reward: float) -> Word:
        return Word(say=self.word, reward=reward, done=self.over)
