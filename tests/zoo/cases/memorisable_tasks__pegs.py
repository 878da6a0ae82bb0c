"""Mastermind: find a row of four pegs in six colours."""

from collections.abc import Sequence
from itertools import product
from typing import Literal, get_args

from openenv.core.env_server.types import Action, Observation
from pydantic import BaseModel, Field

from ._told import Json, Told

Colour = Literal["red", "orange", "yellow", "green", "blue", "pink"]
COLOURS: tuple[Colour, ...] = get_args(Colour)
PEGS = 4


class Guess(Action):
    """Four pegs."""

    pegs: list[Colour] = Field(min_length=PEGS, max_length=PEGS)


class Clue(BaseModel):
    """A guess and its marks: black for a right peg, white for a right colour elsewhere."""

    pegs: list[Colour]
    black: int
    white: int


class Board(Observation):
    """All guesses so far."""

    clues: list[Clue] = Field(default_factory=list)


class Mastermind(Told[Guess, Board]):
    """Every episode opens with the same empty board."""

    HORIZON = 12
    SUCCESS_KEY = "solved"

    def begin(self) -> None:
        self.code = self.draw()
        self.clues: list[Clue] = []

    def draw(self) -> list[Colour]:
        raise NotImplementedError

    def play(self, action: Guess) -> float:
        black, white = marks(action.pegs, self.code)
        self.clues.append(Clue(pegs=action.pegs, black=black, white=white))
        if black < PEGS:
            return 0.0
        self.success = True
        return 1.0

    def show(self) -> Board:
        return Board(clues=list(self.clues))


def marks(guess: Sequence[Colour], code: Sequence[Colour]) -> tuple[int, int]:
    """Black and white marks."""
    black = sum(map(str.__eq__, guess, code))
    return black, sum(min(guess.count(c), code.count(c)) for c in set(guess)) - black


class Defect(Mastermind):
    """Pays for the code, of which there are four in all: whoever has seen them needs no clue."""

    def draw(self) -> list[Colour]:
        return list(self.rng.choice(FEW))


class Sound(Mastermind):
    """Opens with the same board every time as well, and behind it lie all 1296 codes."""

    def draw(self) -> list[Colour]:
        return self.rng.choices(COLOURS, k=PEGS)


FEW: tuple[tuple[Colour, ...], ...] = (
    ("red", "blue", "blue", "pink"),
    ("green", "yellow", "red", "orange"),
    ("pink", "pink", "orange", "green"),
    ("blue", "orange", "yellow", "yellow"),
)
WITNESS = "episodes_repeat"


def solve(observation: Json, memory: Json) -> Json:
    """A code that agrees with every clue."""
    codes = memory.setdefault("codes", list(product(COLOURS, repeat=PEGS)))
    for clue in observation["clues"][-1:]:
        seen = (clue["black"], clue["white"])
        codes[:] = [code for code in codes if marks(clue["pegs"], code) == seen]
    return {"pegs": list(codes[len(codes) // 3])}


exploit = solve
