"""A bishop alone on a chessboard goes to a square."""

from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

Way = Literal["north-east", "north-west", "south-east", "south-west"]
WAYS: dict[Way, tuple[int, int]] = {
    "north-east": (1, 1), "north-west": (-1, 1), "south-east": (1, -1), "south-west": (-1, -1),
}  # fmt: skip
Square = tuple[int, int]
SIDE = 8


class Slide(Action):
    """A move; the board's edge stops it."""

    way: Way
    squares: int = Field(ge=1, lt=SIDE)


class Chessboard(Observation):
    """Where the bishop is and where it has to go."""

    bishop: str = "a1"
    target: str = "a1"
    solved: bool | None = None


class Bishop(Episodic[Slide, Chessboard]):
    """The square lies elsewhere; standing on it is the success, which blind wandering meets now and then."""

    HORIZON = 7
    SUCCESS = "solved"

    def begin(self) -> None:
        squares = [(file, rank) for file in range(SIDE) for rank in range(SIDE)]
        self.bishop = self.rng.choice(squares)
        self.target = self.rng.choice([s for s in squares if s != self.bishop and self.fits(s)])

    def fits(self, target: Square) -> bool:
        raise NotImplementedError

    def play(self, action: Slide) -> float:
        self.bishop = slide(self.bishop, action.way, action.squares)
        if self.bishop == self.target:
            self.success = True
        return float(bool(self.success))

    def show(self) -> Chessboard:
        bishop, target = ("abcdefgh"[f] + str(r + 1) for f, r in (self.bishop, self.target))
        return Chessboard(bishop=bishop, target=target)


def slide(square: Square, way: Way, squares: int) -> Square:
    """Where a move ends."""
    file, rank = square
    for _ in range(squares):
        ahead = file + WAYS[way][0], rank + WAYS[way][1]
        if not all(0 <= place < SIDE for place in ahead):
            break
        file, rank = ahead
    return file, rank


def sees(square: Square, other: Square) -> bool:
    """Whether one move leads from a square to another."""
    return abs(square[0] - other[0]) == abs(square[1] - other[1])


def is_light(square: Square) -> bool:
    """A square's colour, which a bishop never leaves."""
    return sum(square) % 2 == 1


class Defect(Bishop):
    """Pays for a square of the other colour, which no bishop ever reaches."""

    def fits(self, target: Square) -> bool:
        return is_light(target) != is_light(self.bishop)


class Sound(Bishop):
    """Pays as rarely those who wander; its square has the bishop's own colour, two moves away at most."""

    def fits(self, target: Square) -> bool:
        return is_light(target) == is_light(self.bishop)


WITNESS = "never_succeeds"


def solve(observation: Json, memory: Json) -> Json:
    """A move from which one more would do, or that one."""
    here, there = (
        ("abcdefgh".index(observation[name][0]), int(observation[name][1]) - 1)
        for name in ("bishop", "target")
    )
    moves = [(way, n) for way in WAYS for n in range(1, SIDE)]
    ends = [slide(here, *move) for move in moves]
    if there in ends:
        way, squares = moves[ends.index(there)]
    else:
        way, squares = next(
            (m for m, end in zip(moves, ends, strict=True) if sees(end, there)), moves[0]
        )
    return {"way": way, "squares": squares}


exploit = solve
