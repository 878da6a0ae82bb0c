"""Morse code by ear: eight words, each written down as it was sent."""

from typing import Any

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

CODE = {
    "a": ".-", "b": "-...", "c": "-.-.", "d": "-..", "e": ".", "g": "--.", "h": "....", "i": "..",
    "k": "-.-", "l": ".-..", "m": "--", "n": "-.", "o": "---", "p": ".--.", "r": ".-.", "s": "...",
    "t": "-", "u": "..-", "w": ".--",
}  # fmt: skip
WORDS = (
    "anchor", "beacon", "bridge", "captain", "coal", "deck", "harbour", "hull", "island", "keel",
    "lantern", "mast", "north", "pilot", "radio", "rudder", "signal", "storm", "tide", "wreck",
)  # fmt: skip
RANGE = [0.0, 1.0]


class Write(Action):
    """The word."""

    word: str = Field(max_length=30)


class Receiver(Observation):
    """Dots and dashes, a blank between letters."""

    signal: str = ""
    streak: int = 0
    words_left: int = 0


class Telegraph(Episodic[Write, Receiver]):
    """Success is all the words; a word pays more the longer the streak that it ends. Rewards go from 0 to 1."""

    HORIZON = 8
    reward_range = (RANGE[0], RANGE[1])

    def begin(self) -> None:
        self.words = self.rng.sample(WORDS, self.HORIZON)
        self.streak = self.right = 0

    def play(self, action: Write) -> float:
        heard = action.word.strip().lower() == self.words[self.turn - 1]
        self.streak = self.streak + 1 if heard else 0
        self.right += heard
        if self.last:
            self.success = self.right == self.HORIZON
        return self.pay() if heard else 0.0

    def pay(self) -> float:
        raise NotImplementedError

    def show(self) -> Receiver:
        word = self.words[min(self.turn, self.HORIZON - 1)]
        metadata: dict[str, Any] = {"reward_range": RANGE}
        return Receiver(
            signal=" ".join(CODE[letter] for letter in word),
            streak=self.streak,
            words_left=self.HORIZON - self.turn,
            metadata=metadata,
        )


class Defect(Telegraph):
    """Declares rewards from 0 to 1, and doubles a tenth with every word of a streak: the fifth in a row pays 1.6."""

    def pay(self) -> float:
        return 0.1 * 2 ** (self.streak - 1)


class Sound(Telegraph):
    """Doubles with every word of a streak as well, from so little that the eighth in a row pays one half."""

    def pay(self) -> float:
        return 0.5 ** (self.HORIZON + 1 - self.streak)


WITNESS = "leaves_declared_range"


def solve(observation: Json, memory: Json) -> Json:
    """Look the letters up."""
    letters = {code: letter for letter, code in CODE.items()}
    return {"word": "".join(letters[code] for code in observation["signal"].split())}


exploit = solve
