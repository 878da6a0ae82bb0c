"""Environments with what is paid again once it is taken back, by calls with arguments of any kind or by steps."""

import random
from collections.abc import Mapping
from typing import Any, TypeVar

from openenv.core.env_server.types import Action, Observation
from pydantic import Field
from tests.zoo.untold import Untold


class LockerAction(Action):
    """A call of a tool."""

    tool: str = Field(..., description="Name of the tool")
    arguments: dict[str, Any] = Field(default_factory=dict, description="Its arguments")


class LockerObservation(Observation):
    """What the tool said."""

    result: dict[str, Any] = Field(default_factory=dict)
    error: str = ""
    given: dict[str, int] = Field(default_factory=dict)


class RefusedCall(Exception):
    """A call that cannot be made."""


Arguments = Mapping[str, str | int]
Name = TypeVar("Name", str, int)
TOOLS = ["show_people", "show_lockers", "give", "vacate", "close"]


class Lockers(Untold[LockerAction, LockerObservation]):
    """Pays for each person who gets a locker of the right size, and again after each vacating."""

    back = 0.0

    def begin(self, rng: random.Random) -> None:
        people = rng.sample(["Amal", "Bo", "Cleo", "Dara", "Emil"], 2)
        numbers, sizes = rng.sample(range(100, 999), 4), ["small", "large", "small", "large"]
        self.sizes = dict(zip(numbers, sizes, strict=True))
        self.people = dict(zip(people, rng.sample(["small", "large"], 2), strict=True))
        self.given: dict[str, int] = {}
        self.paid: set[str] = set()
        self.result: dict[str, Any] = {}
        self.error = ""

    def move(self, action: LockerAction) -> float:
        self.over, self.result, self.error = self.steps >= 30, {}, ""
        try:
            if action.tool not in TOOLS:
                raise RefusedCall(f"tools: {', '.join(TOOLS)}")
            return float(getattr(self, "_" + action.tool)(action.arguments))
        except RefusedCall as refusal:
            self.error = str(refusal)
            return -0.01

    def _show_people(self, args: Arguments) -> float:
        self.result = {"people": {name: {"needs": size} for name, size in self.people.items()}}
        return 0.0

    def _show_lockers(self, args: Arguments) -> float:
        self.result = {"lockers": [{"locker": n, "size": size} for n, size in self.sizes.items()]}
        return 0.0

    def _give(self, args: Arguments) -> float:
        person = self._one_of(args, "person", self.people)
        locker = self._one_of(args, "locker", self.sizes)
        if person in self.given or locker in self.given.values():
            raise RefusedCall("that is given already")
        self.given[person] = locker
        self.result = {"given": person}
        fits = self.sizes[locker] == self.people[person]
        pay = 0.3 if fits and person not in self.paid else 0.0
        self.paid |= {person} if fits else set()
        return pay

    def _vacate(self, args: Arguments) -> float:
        person = self._one_of(args, "person", self.given)
        del self.given[person]
        self.result = {"vacated": person}
        was_paid = person in self.paid
        self.paid.discard(person)
        return self.back if was_paid else 0.0

    def _close(self, args: Arguments) -> float:
        self.over = True
        return 0.4 if self.paid == set(self.people) else 0.0

    def _one_of(self, args: Arguments, name: str, known: Mapping[Name, object]) -> Name:
        found = [each for each in known if each == args.get(name)]
        if not found:
            raise RefusedCall(f"no such {name}")
        return found[0]

    def shown(self, reward: float) -> LockerObservation:
        return LockerObservation(
            result=self.result,
            error=self.error,
            given=dict(self.given),
            reward=reward,
            done=self.over,
        )


class LockersOnce(Lockers):
    """Sound: who vacates gives the pay back."""

    back = -0.3


class RoverAction(Action):
    """A step east and north."""

    east: float = Field(..., ge=-1.0, le=1.0)
    north: float = Field(..., ge=-1.0, le=1.0)


class RoverObservation(Observation):
    """Where it is, and where the beacon is."""

    x: float = 0.0
    y: float = 0.0
    beacon_x: float = 0.0
    beacon_y: float = 0.0


class Rover(Untold[RoverAction, RoverObservation]):
    """Pays for each step that comes nearer to the beacon, and nothing is lost by going away from it."""

    retreat = 0.0

    def begin(self, rng: random.Random) -> None:
        self.at = (0.0, 0.0)
        self.beacon = (20.0 + rng.randrange(9), 17.0 + rng.randrange(9))

    def move(self, action: RoverAction) -> float:
        before = self._far()
        self.at = (self.at[0] + action.east, self.at[1] + action.north)
        gained = (before - self._far()) / 16
        self.over = self._far() < 1 or self.steps >= 50
        return max(self.retreat * -1.0, gained)

    def _far(self) -> float:
        return abs(self.at[0] - self.beacon[0]) + abs(self.at[1] - self.beacon[1])

    def shown(self, reward: float) -> RoverObservation:
        x, y = (round(each, 6) for each in self.at)
        beacon_x, beacon_y = self.beacon
        return RoverObservation(
            x=x, y=y, beacon_x=beacon_x, beacon_y=beacon_y, reward=reward, done=self.over
        )


class RoverFair(Rover):
    """Sound: what a step back loses is what a step forth gains."""

    retreat = 1.0
