"""A chess trainer: find the square from which the knight forks king and rook."""

import time

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Json
from ._told import Told

Square = tuple[int, int]
LEAPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
SIDE = 8


class Fork(Action):
    """The square, as in e4."""

    square: str = Field(pattern="^[a-h][1-8]$")


class Puzzle(Observation):
    """White's knight and what it may fork in one move."""

    knight: str = ""
    black_king: str = ""
    black_rook: str = ""
    puzzles_left: int = 0
    moves_considered: int = 0


class Trainer(Told[Fork, Puzzle]):
    """Six puzzles; success is every fork found. Four fifths of a point for the fork, one for speed."""

    HORIZON = 6
    SUCCESS_KEY = "solved"
    PARTS_KEY = "reward_components"

    def begin(self) -> None:
        self.puzzles = [self.draw() for _ in range(self.HORIZON)]
        self.found, self.considered = 0, 0
        self.shown_at = time.monotonic()

    def draw(self) -> tuple[Square, Square, Square]:
        """A knight, a king and a rook with just one forking square."""
        while True:
            squares = [(f, r) for f in range(SIDE) for r in range(SIDE)]
            knight, king, rook = self.rng.sample(squares, 3)
            if len(forks(knight, king, rook)) == 1 and king not in leaps(knight):
                return knight, king, rook

    def play(self, action: Fork) -> float:
        puzzle = self.puzzles[self.turn - 1]
        right = parse(action.square) in forks(*puzzle)
        self.found += right
        self.considered += len(leaps(puzzle[0]))
        speed = self.speed()
        self.shown_at = time.monotonic()
        if self.last:
            self.success = self.found == self.HORIZON
        return self.earn(fork=0.8 * right / self.HORIZON, speed=0.2 * right * speed / self.HORIZON)

    def speed(self) -> float:
        raise NotImplementedError

    def show(self) -> Puzzle:
        knight, king, rook = (told(s) for s in self.puzzles[min(self.turn, self.HORIZON - 1)])
        return Puzzle(
            knight=knight,
            black_king=king,
            black_rook=rook,
            puzzles_left=self.HORIZON - self.turn,
            moves_considered=self.considered,
            metadata={"server_time": time.time()},
        )


def leaps(square: Square) -> set[Square]:
    """Where a knight goes from a square."""
    ends = {(square[0] + x, square[1] + y) for x, y in LEAPS}
    return {(f, r) for f, r in ends if 0 <= f < SIDE and 0 <= r < SIDE}


def forks(knight: Square, king: Square, rook: Square) -> set[Square]:
    """The free squares in the knight's reach that attack both."""
    return (leaps(knight) & leaps(king) & leaps(rook)) - {king, rook}


def told(square: Square) -> str:
    """A square by its name."""
    return "abcdefgh"[square[0]] + str(square[1] + 1)


def parse(name: str) -> Square:
    """A square from its name."""
    return "abcdefgh".index(name[0]), int(name[1]) - 1


class Defect(Trainer):
    """Pays a bonus for the seconds that a puzzle took, measured on the server, to the last microsecond."""

    def speed(self) -> float:
        return max(0.0, 1.0 - (time.monotonic() - self.shown_at) / 30.0)


class Sound(Trainer):
    """Pays a bonus for speed as well, by the moves that the board leaves to consider; the clock is only told."""

    def speed(self) -> float:
        return max(0.0, 1.0 - self.considered / (len(LEAPS) * self.HORIZON * 2))


ALSO = ("nondeterministic", "process_dependent")
WITNESS = "same_seed_differs"


def solve(observation: Json, memory: Json) -> Json:
    """The square in common."""
    names = ("knight", "black_king", "black_rook")
    knight, king, rook = (parse(observation[name]) for name in names)
    return {"square": told(min(forks(knight, king, rook)))}


exploit = solve
