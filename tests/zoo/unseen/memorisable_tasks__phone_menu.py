"""A telephone menu: press keys, four levels deep, until the department that a caller wants answers."""

from random import Random
from typing import Literal

from openenv.core.env_server.types import Action, Observation

from ._base import Episodic, Json

WISHES = ("a lost card", "a late parcel", "a broken router")
HEARD = ("sales", "technical help", "complaints", "opening hours", "press", "jobs")
DEPTH = 4
Key = Literal["1", "2", "3", "4", "5", "6", "hang up"]


class Press(Action):
    """A key of the telephone."""

    key: Key


class Voice(Observation):
    """What the caller wants, and what the voice says."""

    wish: str = ""
    level: int = 1
    voice: str = ""


class PhoneMenu(Episodic[Press, Voice]):
    """One key of six leads on, which the voice says; any other leads back to the start."""

    HORIZON = 14

    def begin(self) -> None:
        self.wish = self.rng.choice(WISHES)
        self.level = 0
        source = self.source()
        self.menus = [source.sample(HEARD, len(HEARD)) for _ in range(DEPTH)]
        self.ways = [source.choice(HEARD) for _ in range(DEPTH)]

    def source(self) -> Random:
        raise NotImplementedError

    def play(self, action: Press) -> float:
        if action.key == "hang up":
            self.success = False
            return 0.0
        pressed = self.menus[self.level][int(action.key) - 1]
        self.level = self.level + 1 if pressed == self.ways[self.level] else 0
        if self.level < DEPTH:
            return 0.0
        self.success = True
        return 1.0

    def show(self) -> Voice:
        if self.turn == 0:
            said = "Welcome. Press any key to hear the menu, or the key if you know it."
        elif self.level == DEPTH:
            said = "How can I help you?"
        else:
            menu, way = self.menus[self.level], self.ways[self.level]
            keys = ", ".join(f"{key} for {heard}" for key, heard in enumerate(menu, 1))
            said = f"Press {keys}. About {self.wish}? Ask for {way}."
        return Voice(wish=self.wish, level=self.level + 1, voice=said)


class Defect(PhoneMenu):
    """Pays for the right department, to which four keys lead that are the same for every caller with that wish."""

    def source(self) -> Random:
        return Random(self.wish)


class Sound(PhoneMenu):
    """Its callers have the same three wishes and hear the same welcome; the menu is a new one each time."""

    def source(self) -> Random:
        return self.rng


WITNESS = "episodes_repeat"


def solve(observation: Json, memory: Json) -> Json:
    """Listen: the key of what the voice says to ask for."""
    menu, _, way = observation["voice"].partition("? Ask for ")
    for key in "123456":
        if way and f"{key} for {way[:-1]}" in menu:
            return {"key": key}
    return {"key": "1"}


exploit = solve
