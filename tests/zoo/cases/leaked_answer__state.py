"""Hangman: guess a word of five letters, one letter at a time, with six misses."""

from hashlib import sha256

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

WORDS = (
    "amber", "beach", "cabin", "dairy", "eagle", "fable", "giant", "habit", "igloo", "jolly",
    "karma", "lemon", "magic", "noble", "ocean", "piano", "quilt", "radio", "salad", "table",
    "uncle", "vapor", "wagon", "yacht", "zebra", "brick", "clown", "drift", "elbow", "frost",
    "grape", "house", "image", "jumps", "knife", "light", "mount", "nurse", "orbit", "plumb",
    "quick", "rhyme", "spice", "tower", "urban", "voice", "width", "young", "blind", "crowd",
    "dwarf", "event", "flute", "ghost", "hotel", "index", "joker",
)  # fmt: skip
MISSES = 6


class Letter(Action):
    """One letter."""

    letter: str = Field(pattern="^[a-z]$")


class Gallows(Observation):
    """The word so far, a dot for each letter that is missing, and what was guessed."""

    word: str = "....."
    guessed: str = ""
    misses_left: int = MISSES


class Hangman(Episodic[Letter, Gallows]):
    """The state carries one more field than episode and step."""

    HORIZON = 16

    def begin(self) -> None:
        self.word = self.rng.choice(WORDS)
        self.nonce = self.rng.getrandbits(128)
        self.guessed = ""
        self._state.answer = self.kept_in_state()  # type: ignore[attr-defined]

    def kept_in_state(self) -> str:
        raise NotImplementedError

    def play(self, action: Letter) -> float:
        self.guessed += action.letter
        if self.misses_left <= 0 or set(self.word) <= set(self.guessed):
            self.success = self.misses_left > 0
        return float(bool(self.success))

    @property
    def misses_left(self) -> int:
        return MISSES - sum(letter not in self.word for letter in self.guessed)

    def show(self) -> Gallows:
        word = "".join(letter if letter in self.guessed else "." for letter in self.word)
        return Gallows(word=word, guessed=self.guessed, misses_left=max(0, self.misses_left))


class Defect(Hangman):
    """Pays for finding the word, and hands it out in the state's field `answer`."""

    def kept_in_state(self) -> str:
        return self.word


class Sound(Hangman):
    """The state's field `answer` is a commitment: the word's hash with 128 hidden bits, which nobody can invert."""

    def kept_in_state(self) -> str:
        return sha256(f"{self.word}{self.nonce}".encode()).hexdigest()


WITNESS = "succeeds"
READS_STATE = True


def exploit(observation: Json, memory: Json) -> Json:
    """Spell what the state says."""
    letters = [c for c in observation["answer"] if c.isalpha() and c not in observation["guessed"]]
    return {"letter": letters[0] if letters else "z"}


def solve(observation: Json, memory: Json) -> Json:
    """The letter that most of the possible words share."""
    word, guessed = observation["word"], observation["guessed"]
    possible = [candidate for candidate in WORDS if fits(candidate, word, guessed)]
    letters = [letter for letter in "abcdefghijklmnopqrstuvwxyz" if letter not in guessed]
    return {"letter": max(letters, key=lambda c: sum(c in candidate for candidate in possible))}


def fits(candidate: str, word: str, guessed: str) -> bool:
    """Whether a word agrees with what is shown."""
    shown = "".join(letter if letter in guessed else "." for letter in candidate)
    return shown == word
