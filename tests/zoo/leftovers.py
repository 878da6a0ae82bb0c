"""Rooms whose doors are to be locked: some carry what was locked into the next episode, others keep what is no harm.

What an auditor says of them without being told anything is in ``tests/auditing/checks/test_left_over.py``.
"""

import random
from typing import Any, Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field
from tests.zoo.untold import Untold

DOORS = ("attic", "cellar", "garden")
LAST = 8


class KeyAction(Action):
    """Try a key on a door, or leave."""

    do: Literal["lock", "leave"] = "lock"
    door: Literal["attic", "cellar", "garden"] = "attic"
    key: int = Field(default=0, ge=0, le=3)


class Rooms(Observation):
    """What is said of the last action."""

    said: str = ""
    success: bool = False
    visits: int = 0
    level: int = 0


class Emptied(Untold[KeyAction, Rooms]):
    """Pays the share of doors that are locked when one leaves; sound."""

    keys = 4

    def __init__(self) -> None:
        super().__init__()
        self.locked: set[str] = set()
        self.start()

    def start(self) -> None:
        """What an instance begins with."""

    def empty(self) -> None:
        """Open all doors."""
        self.locked = set()

    def begin(self, rng: random.Random) -> None:
        self.wanted = {door: rng.randrange(self.keys) for door in DOORS}
        self.said, self.success = "Lock the doors, then leave.", False
        self.empty()

    def move(self, action: KeyAction) -> float:
        self.said = "It does not turn."
        if action.do == "lock" and self.wanted[action.door] == action.key:
            self.locked.add(action.door)
            self.said = "Locked."
        self.over = action.do == "leave" or self.steps >= LAST
        return self.left() if self.over else 0.0

    def left(self) -> float:
        """What leaving is paid."""
        self.success = len(self.locked) == len(DOORS)
        return len(self.locked) / len(DOORS)

    def shown(self, reward: float) -> Rooms:
        return Rooms(reward=reward, done=self.over, said=self.said, success=self.success)


class Kept(Emptied):
    """The doors stay locked: planted."""

    def empty(self) -> None:
        """Open nothing."""


class Unreached(Kept):
    """The same, and nobody finds a key."""

    keys = 10**9


class UnreachedEmptied(Emptied):
    """Nobody finds a key, and a reset empties what is locked: sound."""

    keys = 10**9


class Round:
    """What was locked in one episode."""

    def __init__(self, wanted: dict[str, int], locked: set[str] = set()) -> None:  # noqa: B006
        self.wanted = wanted
        self.locked = locked

    def turn(self, door: str, key: int) -> bool:
        """Whether a key locks a door."""
        turns = self.wanted[door] == key
        if turns:
            self.locked.add(door)
        return turns

    def score(self) -> float:
        """The share of doors that are locked."""
        return len(self.locked) / len(DOORS)


class Shared(Emptied):
    """One set of locked doors for the whole process, a default argument: planted."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        self.round = self.made()

    def made(self) -> Round:
        """A round of an episode."""
        return Round(self.wanted)

    def move(self, action: KeyAction) -> float:
        turned = action.do == "lock" and self.round.turn(action.door, action.key)
        self.said = "Locked." if turned else "It does not turn."
        self.over = action.do == "leave" or self.steps >= LAST
        reward = self.round.score() if self.over else 0.0
        self.success = reward >= 1.0
        return reward


class Own(Shared):
    """A set of each episode's own: sound."""

    def made(self) -> Round:
        return Round(self.wanted, set())


class Counted(Emptied):
    """Shows how often it was opened; sound."""

    def start(self) -> None:
        self.visits = 0

    def begin(self, rng: random.Random) -> None:
        self.visits += 1
        super().begin(rng)

    def shown(self, reward: float) -> Rooms:
        return super().shown(reward).model_copy(update={"visits": self.visits})


class Cached(Emptied):
    """Keeps what it has computed by key; sound."""

    def start(self) -> None:
        self.worths: dict[int, float] = {}

    def worth(self, doors: int) -> float:
        """What so many doors are worth."""
        if doors not in self.worths:
            self.worths[doors] = doors / len(DOORS)
        return self.worths[doors]

    def left(self) -> float:
        self.success = len(self.locked) == len(DOORS)
        return self.worth(len(self.locked))


class Harder(Emptied):
    """A curriculum: after each success the next episode asks for other keys, and shows its level; sound."""

    def start(self) -> None:
        self.level = 0

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        self.wanted = {door: (key + self.level) % self.keys for door, key in self.wanted.items()}
        self.said += f" This is level {self.level}."

    def left(self) -> float:
        paid = super().left()
        if self.success:
            self.level += 1
        return paid

    def shown(self, reward: float) -> Rooms:
        return super().shown(reward).model_copy(update={"level": self.level})


class Drawn(Emptied):
    """Its generator outlives resets, which seed it; sound."""

    def start(self) -> None:
        self.rng = random.Random(0)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Rooms:
        """Begin with what the seed draws."""
        self.rng.seed(seed)
        return super().reset(seed, episode_id)

    def move(self, action: KeyAction) -> float:
        self.rng.random()
        return super().move(action)


class Tallied(Emptied):
    """Pays leaving once enough doors were locked, counted from each reset on; sound."""

    enough = len(DOORS)

    def __init__(self) -> None:
        self.turned = 0
        super().__init__()

    def empty(self) -> None:
        super().empty()
        self.anew()

    def anew(self) -> None:
        """Count from nothing."""
        self.turned = 0

    def move(self, action: KeyAction) -> float:
        self.said = "It does not turn."
        shut = action.door in self.locked
        if action.do == "lock" and not shut and self.wanted[action.door] == action.key:
            self.locked.add(action.door)
            self.turned += 1
            self.said = "Locked."
        self.over = action.do == "leave" or self.steps >= LAST
        self.success = self.over and self.turned >= self.enough
        return float(self.success)


class TalliedOn(Tallied):
    """The count goes on over resets, and it takes more than two episodes until it pays. Planted."""

    enough = 8

    def anew(self) -> None:
        """Count on."""


class TalliedUnseen(Tallied):
    """The same under a name of what is kept on purpose, so that the source does not tell. Planted."""

    def start(self) -> None:
        self.turned_total = 0

    def move(self, action: KeyAction) -> float:
        self.turned = self.turned_total
        paid = super().move(action)
        self.turned_total = self.turned
        return paid


class Lucky(Tallied):
    """Whoever leaves has luck or has not, whatever the seed: nobody's doing."""

    def move(self, action: KeyAction) -> float:
        super().move(action)
        self.success = self.over and self.luck() < 0.5
        return float(self.success)

    def luck(self) -> float:
        """What nobody seeds."""
        return random.random()


class Streamed(Lucky):
    """The same by one generator that no reset seeds: alike in each process, and nobody's doing either."""

    def start(self) -> None:
        self.rng = random.Random(3)

    def luck(self) -> float:
        return self.rng.random()
