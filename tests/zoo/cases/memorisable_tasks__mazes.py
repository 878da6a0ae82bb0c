"""A maze in fog: one sees the walls round about and no further; the way out is somewhere."""

from typing import Literal, get_args

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Json
from ._told import Told

Way = Literal["up", "down", "left", "right"]
WAYS: tuple[Way, ...] = get_args(Way)
MOVES: dict[Way, tuple[int, int]] = {
    "up": (0, -1),
    "down": (0, 1),
    "left": (-1, 0),
    "right": (1, 0),
}
BACK: dict[Way, Way] = {"up": "down", "down": "up", "left": "right", "right": "left"}
SIDE, FAR, BRUISES = 4, 5, 2
Cell = tuple[int, int]


class Grope(Action):
    """A step; a wall stops it, and that hurts."""

    way: Way


class Fog(Observation):
    """Where the walker is, and which ways are open."""

    column: int = 0
    row: int = 0
    open_ways: list[Way] = Field(default_factory=list)
    bruises: int = 0


class FoggyMaze(Told[Grope, Fog]):
    """A tree of passages through 16 cells; success is the way out, and the second bruise ends the walk."""

    HORIZON = 36
    SUCCESS_KEY = "solved"

    def begin(self) -> None:
        self.cell: Cell = (0, 0)
        self.bruises = 0
        self.open: dict[Cell, set[Way]] = {(0, 0): set()}
        self.rng.seed(self.maze_number())
        self.depth = {(0, 0): 0}
        self.dig((0, 0))
        self.exit = self.rng.choice([cell for cell, far in self.depth.items() if far >= FAR])

    def maze_number(self) -> int:
        raise NotImplementedError

    def dig(self, cell: Cell) -> None:
        """Dig passages to cells that have none yet, in random order. The first is always to the right."""
        ways = self.rng.sample(WAYS, len(WAYS))
        for way in ways if cell != (0, 0) else ["right"]:
            ahead = moved(cell, way)
            if ahead not in self.open and all(0 <= place < SIDE for place in ahead):
                self.open[cell].add(way)
                self.open[ahead], self.depth[ahead] = {BACK[way]}, self.depth[cell] + 1
                self.dig(ahead)

    def play(self, action: Grope) -> float:
        if action.way in self.open[self.cell]:
            self.cell = moved(self.cell, action.way)
        else:
            self.bruises += 1
        if self.cell == self.exit:
            self.success = True
            return 1.0
        if self.bruises == BRUISES:
            self.success = False
        return -0.001

    def show(self) -> Fog:
        ways = [way for way in WAYS if way in self.open[self.cell]]
        return Fog(column=self.cell[0], row=self.cell[1], open_ways=ways, bruises=self.bruises)


def moved(cell: Cell, way: Way) -> Cell:
    """The cell next to one."""
    return cell[0] + MOVES[way][0], cell[1] + MOVES[way][1]


class Defect(FoggyMaze):
    """Pays for the way out of one of three mazes that a designer liked; they can be walked with closed eyes."""

    def maze_number(self) -> int:
        return self.rng.choice((3, 14, 15))


class Sound(FoggyMaze):
    """Every maze is entered alike here too, in the same corner with one way open; each seed digs its own."""

    def maze_number(self) -> int:
        return self.rng.getrandbits(64)


WITNESS = "episodes_repeat"


def solve(observation: Json, memory: Json) -> Json:
    """Where nobody has been yet, else back."""
    cell = (observation["column"], observation["row"])
    seen, trail = memory.setdefault("seen", {(0, 0)}), memory.setdefault("trail", [])
    seen.add(cell)
    for way in observation["open_ways"]:
        if moved(cell, way) not in seen:
            trail.append(way)
            return {"way": way}
    return {"way": BACK[trail.pop()]}


exploit = solve
