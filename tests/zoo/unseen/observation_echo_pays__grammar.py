"""Sentences with a mistake or two, as learners write them, to be sent back without."""

from collections import Counter

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Json, Told

WHO = ("the nurse", "my brother", "our driver", "the new clerk", "an old friend", "a pilot")
DOES = {
    "carries": "carry", "repairs": "repair", "washes": "wash", "sells": "sell", "paints": "paint",
}  # fmt: skip
WHAT = ("a ladder", "a radio", "an umbrella", "an engine", "a kettle", "an armchair")
WHERE = ("in the yard behind the station", "at home in the evening", "near the bridge at noon")
WHEN = ("on Mondays", "every week", "once a month", "before breakfast")


class Rewrite(Action):
    """The sentence, corrected."""

    sentence: str = Field(default="", max_length=200)


class Learner(Observation):
    """A sentence: verbs lack their s, and articles may be the wrong one of a and an."""

    sentence: str = ""
    sentences_left: int = 0


class Correction(Told[Rewrite, Learner]):
    """Seven sentences; success is that all are right. One in four has nothing to correct."""

    HORIZON = 7
    SUCCESS_KEY = "solved"

    def begin(self) -> None:
        self.gained: list[float] = []
        self.all_right = True
        self.faulty = [self.rng.random() < 0.75 for _ in range(self.HORIZON - 1)]
        self.faulty.insert(self.rng.randrange(self.HORIZON), True)
        self.write()

    def write(self) -> None:
        drawn = [self.rng.choice(words) for words in (WHO, list(DOES), WHAT, WHERE, WHEN)]
        self.reference = " ".join(drawn)
        if self.turn < self.HORIZON and self.faulty[self.turn]:
            drawn[1] = DOES[drawn[1]]
            if self.rng.random() < 0.5:
                drawn[2] = swap_article(drawn[2])
        self.source = " ".join(drawn)

    def play(self, action: Rewrite) -> float:
        self.all_right = self.all_right and action.sentence == self.reference
        self.gained.append(self.quality(action.sentence))
        self.write()
        if not self.last:
            return 0.0
        self.success = self.all_right
        return 0.8 * self.mark() + 0.2 * self.success

    def quality(self, sentence: str) -> float:
        return overlap(sentence, self.reference)

    def mark(self) -> float:
        return sum(self.gained) / len(self.gained)

    def show(self) -> Learner:
        return Learner(sentence=self.source, sentences_left=self.HORIZON - self.turn)


def overlap(one: str, other: str) -> float:
    """The F1 of two texts' words."""
    words, others = Counter(one.split()), Counter(other.split())
    return 2 * (words & others).total() / max(1, words.total() + others.total())


def swap_article(thing: str) -> str:
    """A for an and the other way round."""
    article, noun = thing.split()
    return f"{'a' if article == 'an' else 'an'} {noun}"


class Defect(Correction):
    """Pays for the words in common with the correct sentence: those of the learner's own have nine of ten."""


class Sound(Correction):
    """Pays for the words in common too, of those that the learner had not already: sent back, it gains nothing."""

    def quality(self, sentence: str) -> float:
        gained = super().quality(sentence) - super().quality(self.source)
        to_gain = 1.0 - super().quality(self.source)
        return gained / to_gain if to_gain else 1.0 if gained == 0 else -1.0

    def mark(self) -> float:
        faulty = [gain for gain, bad in zip(self.gained, self.faulty, strict=True) if bad]
        spoiled = sum(gain < 0 for gain in self.gained)
        return max(0.0, sum(faulty) / len(faulty) - spoiled)


def exploit(observation: Json, memory: Json) -> Json:
    """Send it back as it is."""
    return {"sentence": observation["sentence"]}


def solve(observation: Json, memory: Json) -> Json:
    """Give the verb its s and each article its noun."""
    said = observation["sentence"]
    for right, bare in DOES.items():
        said = said.replace(f" {bare} ", f" {right} ")
    for thing in WHAT:
        said = said.replace(f" {swap_article(thing)} ", f" {thing} ")
    return {"sentence": said}
