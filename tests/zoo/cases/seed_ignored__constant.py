"""Lights out on three by three: a press turns a lamp and its neighbours."""

from itertools import combinations
from random import Random

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

CELLS = 9
REACH = [
    sum(
        1 << other
        for other in range(CELLS)
        if abs(cell // 3 - other // 3) + abs(cell % 3 - other % 3) <= 1
    )
    for cell in range(CELLS)
]


class Press(Action):
    """One press, by row from the top left."""

    cell: int = Field(ge=0, lt=CELLS)


class Lamps(Observation):
    """Which lamps burn."""

    burning: list[bool] = Field(default_factory=list)
    solved: bool | None = None


class LightsOut(Episodic[Press, Lamps]):
    """After the deal nothing is left to chance; the board is scrambled by three to six presses."""

    SUCCESS = "solved"

    def begin(self) -> None:
        chance = self.chance()
        self.board = press(0, chance.sample(range(CELLS), chance.randint(3, 6)))

    def chance(self) -> Random:
        raise NotImplementedError

    def play(self, action: Press) -> float:
        self.board = press(self.board, [action.cell])
        if self.board == 0:
            self.success = True
        return float(bool(self.success))

    def show(self) -> Lamps:
        return Lamps(burning=[bool(self.board >> cell & 1) for cell in range(CELLS)])


def press(board: int, cells: list[int] | tuple[int, ...]) -> int:
    """The board, a bit a lamp, after some presses."""
    for cell in cells:
        board ^= REACH[cell]
    return board


class Defect(LightsOut):
    """Pays for the solved board, which is always the same one: the seed is taken and dropped."""

    def chance(self) -> Random:
        return Random(7)


class Sound(LightsOut):
    """A deterministic puzzle too: the seed deals one of hundreds of boards, and chance ends there."""

    def chance(self) -> Random:
        return self.rng


ALSO = ("memorisable_tasks",)
WITNESS = "episodes_repeat"
exploit = [{"cell": 4}]


def solve(observation: Json, memory: Json) -> Json:
    """The first press of the shortest solution."""
    board = sum(burns << cell for cell, burns in enumerate(observation["burning"]))
    presses = (c for size in range(1, CELLS + 1) for c in combinations(range(CELLS), size))
    return {"cell": next(cells for cells in presses if press(board, cells) == 0)[0]}
