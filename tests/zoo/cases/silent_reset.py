"""A walk to a flag, by typed commands."""

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

MOVES = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}


class Typed(Action):
    """What the walker types."""

    command: str = Field(max_length=60, description="go north|south|east|west, or restart")


class Place(Observation):
    """Where the flag is, seen from the walker, and what became of the last command."""

    flag_east: int = 0
    flag_north: int = 0
    message: str = ""


class Walk(Episodic[Typed, Place]):
    """The flag is up to five cells away each way; restart leads back to the start and costs its step."""

    HORIZON = 16

    def begin(self) -> None:
        away = [(x, y) for x in range(-5, 6) for y in range(-5, 6) if abs(x) + abs(y) > 2]
        self.flag = self.from_start = self.rng.choice(away)
        self.message = ""

    def play(self, action: Typed) -> float:
        verb, _, way = action.command.strip().lower().partition(" ")
        if verb == "restart":
            self.flag, self.message = self.from_start, "back at the start"
        elif verb == "go" and way in MOVES:
            east, north = MOVES[way]
            self.flag, self.message = (self.flag[0] - east, self.flag[1] - north), f"went {way}"
            if self.flag == (0, 0):
                self.success = True
        else:
            self.recover()
        return float(bool(self.success))

    def recover(self) -> None:
        raise NotImplementedError

    def show(self) -> Place:
        return Place(flag_east=self.flag[0], flag_north=self.flag[1], message=self.message)


class Defect(Walk):
    """Pays for reaching the flag, in an episode that a command it cannot read silently starts anew."""

    def recover(self) -> None:
        self.reset()


class Sound(Walk):
    """Says what it could not read and counts the step; starting over is a command, and no new episode."""

    def recover(self) -> None:
        self.message = "not understood; type: go north"


WITNESS = "steps_go_back"
exploit = [{"command": "go north"}, {"command": "go north"}, {"command": "abracadabra"}]


def solve(observation: Json, memory: Json) -> Json:
    """East or west, then north or south."""
    east, north = observation["flag_east"], observation["flag_north"]
    if east:
        return {"command": "go east" if east > 0 else "go west"}
    return {"command": "go north" if north > 0 else "go south"}
