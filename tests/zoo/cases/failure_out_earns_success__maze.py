"""A maze, seen from above; every minute in it costs."""

from collections import deque
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._told import Json, Told

Square = tuple[int, int]
STEPS: dict[str, Square] = {"north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1)}
SIDE, COST = 7, 0.1


class Go(Action):
    """A step, or giving up."""

    go: Literal["north", "south", "west", "east", "give up"]


class Maze(Observation):
    """The maze: # is wall, @ is you, E is the exit."""

    rows: list[str] = Field(default_factory=list)
    minutes: int = 0


class Labyrinth(Told[Go, Maze]):
    """Nothing but costs: a tenth for each minute, until the exit or the end."""

    HORIZON = 30
    SUCCESS_KEY = "succeeded"
    PARTS_KEY = "reward_breakdown"

    def begin(self) -> None:
        self.here, self.exit = (0, 0), (SIDE - 1, SIDE - 1)
        inside = [(r, c) for r in range(SIDE) for c in range(SIDE)][1:-1]
        self.walls: set[Square] = set()
        for square in self.rng.sample(inside, 18):
            self.walls.add(square)
            if not way_out(self.here, self.exit, self.walls):
                self.walls.discard(square)

    def play(self, action: Go) -> float:
        if action.go == "give up":
            self.success = False
            return self.earn(time=-COST * self.minutes_for_giving_up())
        ahead = moved(self.here, action.go)
        if is_inside(ahead) and ahead not in self.walls:
            self.here = ahead
        if self.here == self.exit:
            self.success = True
        return self.earn(time=-COST)

    def minutes_for_giving_up(self) -> int:
        raise NotImplementedError

    def show(self) -> Maze:
        marks = {**dict.fromkeys(self.walls, "#"), self.exit: "E", self.here: "@"}
        rows = ["".join(marks.get((r, c), ".") for c in range(SIDE)) for r in range(SIDE)]
        return Maze(rows=rows, minutes=self.turn)


def moved(square: Square, way: str) -> Square:
    """The square next to one."""
    return square[0] + STEPS[way][0], square[1] + STEPS[way][1]


def is_inside(square: Square) -> bool:
    """Whether a square belongs to the maze."""
    return all(0 <= place < SIDE for place in square)


def way_out(start: Square, goal: Square, walls: set[Square]) -> list[str]:
    """The shortest way; empty where there is none."""
    ways: dict[Square, list[str]] = {start: []}
    queue = deque([start])
    while queue:
        square = queue.popleft()
        for way in STEPS:
            ahead = moved(square, way)
            if is_inside(ahead) and ahead not in walls and ahead not in ways:
                ways[ahead] = [*ways[square], way]
                queue.append(ahead)
    return ways.get(goal, [])


class Defect(Labyrinth):
    """Pays nothing for the exit and charges every minute, so that giving up at once is the cheapest way out."""

    def minutes_for_giving_up(self) -> int:
        return 1


class Sound(Labyrinth):
    """Nothing but costs here too; giving up costs all the minutes that are left, as if they had been walked."""

    def minutes_for_giving_up(self) -> int:
        return self.HORIZON - self.turn + 1


WITNESS = "failure_out_earns_success"
exploit = [{"go": "give up"}]


def solve(observation: Json, memory: Json) -> Json:
    """The shortest way."""
    squares = {
        (r, c): mark for r, row in enumerate(observation["rows"]) for c, mark in enumerate(row)
    }
    here = next(square for square, mark in squares.items() if mark == "@")
    walls = {square for square, mark in squares.items() if mark == "#"}
    return {"go": way_out(here, (SIDE - 1, SIDE - 1), walls)[0]}
