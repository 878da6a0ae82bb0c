"""Caesar's cipher: six words, each shifted by as many letters as the key says."""

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
WORDS = (
    "amphora", "aqueduct", "basilica", "brutus", "censor", "chariot", "cicero", "circus",
    "cohort", "consul", "dictator", "eagle", "emperor", "fasces", "forum", "gaul", "gladius",
    "helmet", "javelin", "latin", "laurel", "legion", "marble", "mosaic", "ovid", "patrician",
    "plebeian", "praetor", "province", "quaestor", "rubicon", "scipio", "senate", "shield",
    "slave", "temple", "tiber", "toga", "tribune", "triumph", "venus", "vesta", "villa", "virgil",
)  # fmt: skip


class Plain(Action):
    """The word in clear."""

    plaintext: str = Field(max_length=40)


class Cipher(Observation):
    """A word in cipher, and its key: the letter that stands for a."""

    ciphertext: str = ""
    a_becomes: str = ""
    words_left: int = 0
    feedback: str = ""
    won: bool | None = None


class Caesar(Episodic[Plain, Cipher]):
    """Success is all six; a slip in one of them loses it."""

    HORIZON = 6
    SUCCESS = "won"

    def begin(self) -> None:
        self.words = self.rng.sample(WORDS, self.HORIZON)
        self.keys = [self.rng.randint(1, 25) for _ in range(self.HORIZON)]
        self.right, self.feedback = 0, ""

    def play(self, action: Plain) -> float:
        right = self.is_right(action.plaintext.strip(), self.words[self.turn - 1].upper())
        self.right += right
        self.feedback = "correct" if right else "incorrect"
        if self.last:
            self.success = self.right == self.HORIZON
        return 1 / self.HORIZON if right else 0.0

    def is_right(self, given: str, wanted: str) -> bool:
        raise NotImplementedError

    def show(self) -> Cipher:
        number = min(self.turn, self.HORIZON - 1)
        return Cipher(
            ciphertext=shifted(self.words[number], self.keys[number]),
            a_becomes=shifted("a", self.keys[number]),
            words_left=self.HORIZON - self.turn,
            feedback=self.feedback,
        )


def shifted(word: str, key: int) -> str:
    """A word with each letter moved on by the key."""
    return "".join(ALPHABET[(ALPHABET.index(letter) + key) % 26] for letter in word)


class Defect(Caesar):
    """Pays for the word in clear, made lower case before it is compared with one in capitals: never equal."""

    def is_right(self, given: str, wanted: str) -> bool:
        return given.lower() == wanted


class Sound(Caesar):
    """Keeps its words in capitals as well and is as hard on those who guess; both sides are made lower case."""

    def is_right(self, given: str, wanted: str) -> bool:
        return given.lower() == wanted.lower()


WITNESS = "never_succeeds"


def solve(observation: Json, memory: Json) -> Json:
    """Shift back."""
    key = ALPHABET.index(observation["a_becomes"])
    return {"plaintext": shifted(observation["ciphertext"], -key)}


exploit = solve
