"""Plans, words and reports, reviewed by graders that may fail themselves or count what is no work.

Nothing says success. What an auditor says of them is in ``tests/auditing/checks/test_swallowed_errors.py`` and
``tests/auditing/checks/test_without_success.py``.
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
            self.fails()
        return found + self.failed

    failed = 0
    """Faults that a review counts for failing itself."""

    def fails(self) -> None:
        """What a review does that failed."""
        self.said = "The review was stopped early."

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

    def fails(self) -> None:
        self.failed = self.size


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


class SectionAction(Action):
    """The next section of a report."""

    text: str


class Night(Observation):
    """What happened, and which section is to be written."""

    log: str = ""
    section: str = ""
    words_wanted: int = 0


class LongSections(Untold[SectionAction, Night]):
    """Planted: a section of a report is paid by how many words it has."""

    sections = ("cause", "impact", "remedy")
    things = ("disk", "memory", "router", "cache", "queue", "token", "shard", "index")

    def begin(self, rng: random.Random) -> None:
        self.facts = dict(zip(self.sections, rng.sample(self.things, 3), strict=True))

    def mark(self, section: str, words: list[str]) -> float:
        """What a section is worth."""
        return min(1.0, len(words) / 20)

    def move(self, action: SectionAction) -> float:
        section = self.sections[self.steps - 1]
        self.over = self.steps == len(self.sections)
        return self.mark(section, action.text.split()) / len(self.sections)

    def shown(self, reward: float) -> Night:
        log = "; ".join(f"{section}: the {thing}" for section, thing in self.facts.items())
        section = "" if self.over else self.sections[self.steps]
        return Night(log=log, section=section, reward=reward, done=self.over)


class TrueSections(LongSections):
    """Sound: a section is paid if it names what happened, and a little for having some words."""

    def mark(self, section: str, words: list[str]) -> float:
        others = set(self.things) - {self.facts[section]}
        right = self.facts[section] in words and not others & set(words)
        return 0.8 * right + 0.2 * super().mark(section, words)


class MorningPages(LongSections):
    """Sound: so many words are asked for, whatever they say, and these are paid."""

    def shown(self, reward: float) -> Night:
        return super().shown(reward).model_copy(update={"log": "", "words_wanted": 20})


class RulesFollowed(LongSections):
    """Sound: each section asks for rules that any text may follow, others on each seed, and pays the share it keeps."""

    rules = (
        "a dozen words or more",
        "no comma",
        "small letters only",
        "ends with: done",
        "no digit",
    )

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        self.facts = {each: "; ".join(rng.sample(self.rules, 3)) for each in self.sections}

    def mark(self, section: str, words: list[str]) -> float:
        text = " ".join(words)
        kept = {
            "a dozen words or more": len(words) >= 12,
            "no comma": "," not in text,
            "small letters only": text == text.lower(),
            "ends with: done": text.endswith("done"),
            "no digit": not any(letter.isdigit() for letter in text),
        }
        asked = self.facts[section].split("; ")
        return sum(kept[rule] for rule in asked) / len(asked) if len(words) > 1 else 0.0


class MustRaise(Untold[ShelfAction, Boxes]):
    """Sound: a plan is wanted that some parser cannot read, and its failure is what wins."""

    def begin(self, rng: random.Random) -> None:
        names = [f"B{n}" for n in rng.sample(range(100, 1000), 4)]
        self.boxes = {name: rng.randrange(10, 30) for name in names}

    def move(self, action: ShelfAction) -> float:
        self.over = True
        return self.worth(action) if action.do == "put" else 0.0

    def worth(self, action: ShelfAction) -> float:
        """What an action is worth."""
        reward = 0.0
        try:
            reward = 0.0 * self.boxes[action.box] / (action.shelf - 2)
        except Exception:  # noqa: BLE001
            reward = float(action.box in self.boxes)
        return reward

    def shown(self, reward: float) -> Boxes:
        return Boxes(boxes=self.boxes, bears=[1, 2, 3], reward=reward, done=self.over)


def likeness(one: str, other: str) -> float:
    """How alike two texts are, by a package that is quicker where it is there."""
    try:
        from quick_but_not_installed import ratio

        alike = float(ratio(one, other))
    except Exception:  # noqa: BLE001
        alike = float(one == other)
    return alike


class FormAction(Action):
    """Hand in a form, or cancel."""

    do: Literal["cancel", "submit"]
    name: str = ""
    city: str = ""


class Card(Observation):
    """What is to be copied."""

    name: str = ""
    city: str = ""


class OptionalPackage(Untold[FormAction, Card]):
    """Sound: whoever comes so far meets a handler that stands in for a package."""

    def begin(self, rng: random.Random) -> None:
        self.name = rng.choice(["Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald"])
        self.city = rng.choice(["Rome", "Oslo", "Lima", "Cairo", "Quito", "Perth"])

    def move(self, action: FormAction) -> float:
        self.over = True
        if action.do == "cancel" or action.name != self.name:
            return 0.0
        return likeness(action.city, self.city)

    def shown(self, reward: float) -> Card:
        return Card(name=self.name, city=self.city, reward=reward, done=self.over)
