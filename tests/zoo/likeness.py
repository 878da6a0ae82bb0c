"""Items one after another, marked by how like an answer is to the right one; nothing says success.

What an auditor says of them is in ``tests/auditing/checks/test_nearly_full.py``.
"""

import math
import random
from difflib import SequenceMatcher

from openenv.core.env_server.types import Action, Observation
from pydantic import Field
from tests.zoo.untold import Untold

WORDS = [
    "barrel", "candle", "ladder", "kettle", "garden", "window", "saddle", "anchor", "basket", "hammer", "bottle",
    "needle", "mirror", "pillow", "lantern", "blanket", "whistle", "thimble", "compass", "trumpet",
]  # fmt: skip
MOVES = {"rain": 1.16, "sun": 0.86, "frost": 0.91, "thaw": 1.1}
"""By how much a river's level changes in a day."""


def likeness(one: str, other: str) -> float:
    """How like another text is, from 0 to 1; one of more than ten times the letters is not, and costs no time."""
    if len(other) > 10 * len(one):
        return 0.0
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


class LabelAction(Action):
    """What the label said."""

    text: str


class Label(Observation):
    """A label as it can still be read, and the list that it was copied from."""

    faded: str = ""
    stock: list[str] = Field(default_factory=list)
    number: int = 0


class FadedLabels(Untold[LabelAction, Label]):
    """Planted: six faded labels are to be mended. How like an answer is to the label is paid, up to 1/6 for each."""

    size = 6

    def begin(self, rng: random.Random) -> None:
        self.labels = [rng.sample(WORDS, 6) for _ in range(self.size)]
        self.faded = [self.fade(label, rng) for label in self.labels]

    @staticmethod
    def fade(label: list[str], rng: random.Random) -> str:
        """A label of which a few letters cannot be read."""
        letters = list(" ".join(label))
        spots = [n for n, letter in enumerate(letters) if letter != " "]
        for spot in rng.sample(spots, rng.randrange(3, 6)):
            letters[spot] = "?"
        return "".join(letters)

    def mark(self, given: str, label: str, faded: str) -> float:
        """What an answer is worth, from 0 to 1."""
        return likeness(label, given)

    def move(self, action: LabelAction) -> float:
        place = self.steps - 1
        self.over = self.steps == self.size
        mark = self.mark(action.text, " ".join(self.labels[place]), self.faded[place])
        return round(mark / self.size, 5)

    def shown(self, reward: float) -> Label:
        shown = "" if self.over else self.faded[self.steps]
        return Label(faded=shown, stock=WORDS, number=self.steps, reward=reward, done=self.over)


class MendedLabels(FadedLabels):
    """Sound: only what was mended is paid, up to 1/6 for each label."""

    def mark(self, given: str, label: str, faded: str) -> float:
        def wrong(text: str) -> int:
            return sum(a != b for a, b in zip(text.ljust(len(label)), label, strict=False))

        return max(0.0, 1 - wrong(given) / wrong(faded)) if len(given) == len(label) else 0.0


class Dictated(FadedLabels):
    """Sound: a label is to be copied as it stands, each pays up to 1/6, and the later ones less."""

    def mark(self, given: str, label: str, faded: str) -> float:
        late = 0.03 * self.steps
        return max(0.0, likeness(faded, given) - late)


class LevelAction(Action):
    """The level of the next day, in cm."""

    level: float


class River(Observation):
    """The level of today, and what the weather does."""

    today: float = 0.0
    weather: str = ""
    day: int = 0


class RiverLevels(Untold[LevelAction, River]):
    """Planted: a river is forecast for five days. Each pays 1 less the relative error; a perfect week pays 5."""

    size = 5

    def begin(self, rng: random.Random) -> None:
        self.weather = [rng.choice(list(MOVES)) for _ in range(self.size + 1)]
        self.levels = [rng.uniform(150, 400)]
        for weather in self.weather:
            self.levels.append(self.levels[-1] * MOVES[weather] * rng.uniform(0.98, 1.02))

    def mark(self, given: float, last: float, then: float) -> float:
        """What a forecast is worth."""
        return max(0.0, 1 - abs(given - then) / then)

    def move(self, action: LevelAction) -> float:
        now = self.steps - 1
        self.over = self.steps == self.size
        given = action.level if math.isfinite(action.level) else 0.0
        return round(self.mark(given, self.levels[now], self.levels[now + 1]), 5)

    def shown(self, reward: float) -> River:
        return River(
            today=round(self.levels[self.steps], 2),
            weather=self.weather[self.steps],
            day=self.steps,
            reward=reward,
            done=self.over,
        )


class RiverSkill(RiverLevels):
    """Sound: the error is measured by that of today's level; a perfect week pays 5."""

    def mark(self, given: float, last: float, then: float) -> float:
        return max(0.0, 1 - abs(given - then) / abs(last - then))


class DialAction(Action):
    """What the dial of an oven is set to, in degrees."""

    dial: float


class Oven(Observation):
    """The oven, and what the dough wants."""

    wanted: float = 0.0
    warm: float = 0.0
    dough: str = ""
    minute: int = 0


class SlowOven(Untold[DialAction, Oven]):
    """Sound: an oven follows its dial slowly. Each of eight minutes pays up to 1/8, less what it is off."""

    size = 8

    def begin(self, rng: random.Random) -> None:
        self.warm = rng.uniform(120, 160)
        self.wanted = [rng.uniform(150, 210) for _ in range(self.size + 1)]
        self.dough = [rng.choice(["rye", "wheat", "spelt"]) for _ in range(self.size + 1)]

    def move(self, action: DialAction) -> float:
        self.over = self.steps == self.size
        dial = min(250.0, max(0.0, action.dial)) if math.isfinite(action.dial) else 0.0
        self.warm += 0.5 * (dial - self.warm)
        off = abs(self.warm - self.wanted[self.steps - 1]) / 200
        return round(max(0.0, 1 - off) / self.size, 6)

    def shown(self, reward: float) -> Oven:
        return Oven(
            wanted=round(self.wanted[self.steps], 1),
            warm=round(self.warm, 1),
            dough=self.dough[self.steps],
            minute=self.steps,
            reward=reward,
            done=self.over,
        )


class ShiftAction(Action):
    """What is done with the day."""

    work: bool = False


class Shift(Observation):
    """What there is to do today."""

    job: str = ""
    day: int = 0


class DayWages(Untold[ShiftAction, Shift]):
    """Sound: who works is paid a wage, up to 1/6 a day, which is another one for each job."""

    size = 6
    jobs = ("harvest", "loading", "milling", "fishing", "thatching", "carting", "mowing", "baking")

    def begin(self, rng: random.Random) -> None:
        self.today = [rng.choice(self.jobs) for _ in range(self.size + 1)]
        self.wages = {job: rng.uniform(0.82, 0.97) for job in self.jobs}

    def move(self, action: ShiftAction) -> float:
        self.over = self.steps == self.size
        wage = self.wages[self.today[self.steps - 1]]
        return round(wage / self.size, 5) if action.work else 0.0

    def shown(self, reward: float) -> Shift:
        return Shift(job=self.today[self.steps], day=self.steps, reward=reward, done=self.over)
