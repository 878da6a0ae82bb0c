"""What is to be done in its order, as a list that the state tells; and lists that look alike and are no answer.

Nothing says success. What an auditor says of them is in ``tests/auditing/checks/test_shown_in_order.py``.
"""

import random
from typing import Any, Literal

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field
from tests.zoo.untold import Untold

WAYS = ("north", "south", "east", "west")


class WalkAction(Action):
    """A step in the dark, or picking up what lies there."""

    do: Literal["wait", "north", "south", "east", "west", "pick"] = "wait"


class Dark(Observation):
    """How far one came, and what is told of the way."""

    came: int = 0
    note: str = ""
    orders: list[str] = Field(default_factory=list)
    solution: list[str] = Field(default_factory=list)
    correct_moves: list[str] = Field(default_factory=list)


class DarkWalk(Untold[WalkAction, Dark]):
    """A way through the dark; who takes a wrong turn falls."""

    length = 5
    before: list[str] = ["north", "east", "west"]  # noqa: RUF012

    def begin(self, rng: random.Random) -> None:
        self.way = [*rng.choices(WAYS, k=self.length), "pick"]
        self.came = 0
        self._state = State(episode_id="x", step_count=0, **self.told())  # type: ignore[arg-type]

    def told(self) -> dict[str, Any]:
        """What the state tells."""
        return {"solution": self.way}

    def move(self, action: WalkAction) -> float:
        right = action.do == self.way[self.came]
        self.came += right
        self.over = self.came == len(self.way) or not right
        return float(self.came == len(self.way))

    def shown(self, reward: float) -> Dark:
        return Dark(came=self.came, reward=reward, done=self.over)


class NumberedWalk(DarkWalk):
    """The state tells the way as objects of the action's own field, with a number beside it."""

    def told(self) -> dict[str, Any]:
        return {"plan": [{"step": n, "do": do} for n, do in enumerate(self.way)]}


class PromisedWalk(DarkWalk):
    """The observation itself shows the way, by a name that promises it."""

    def told(self) -> dict[str, Any]:
        return {}

    def shown(self, reward: float) -> Dark:
        return super().shown(reward).model_copy(update={"correct_moves": self.way})


class HintedWalk(PromisedWalk):
    """Sound, perhaps: what is called a solution may be what is to be followed, or what the water is."""

    def shown(self, reward: float) -> Dark:
        seen = super().shown(reward)
        return seen.model_copy(update={"solution": self.way, "correct_moves": []})


class LastWalk(DarkWalk):
    """Sound: the list is the way of the episode before."""

    def told(self) -> dict[str, Any]:
        last, DarkWalk.before = DarkWalk.before, self.way
        return {"solution": last}


class OtherWalk(DarkWalk):
    """Sound: the list is another way of the same length."""

    def told(self) -> dict[str, Any]:
        turned = [WAYS[(WAYS.index(way) + 1) % 4] for way in self.way[:-1]]
        return {"trail": [*turned, "pick"]}


class OrderedWalk(DarkWalk):
    """Sound: to follow the orders that are shown is the task."""

    def shown(self, reward: float) -> Dark:
        return super().shown(reward).model_copy(update={"orders": self.way})


class SpokenWalk(DarkWalk):
    """Sound: the state repeats what the note says."""

    def shown(self, reward: float) -> Dark:
        note = f"Go {', then '.join(self.way[:-1])}; then pick it up."
        return super().shown(reward).model_copy(update={"note": note})


class CalledWalk(DarkWalk):
    """Sound: each step is called out when it is to be taken; the state knows all of them before."""

    def shown(self, reward: float) -> Dark:
        note = "" if self.over else f"Now: {self.way[self.came]}."
        return super().shown(reward).model_copy(update={"note": note})


class PressAction(Action):
    """Press a button, read the slip, or hand in."""

    do: Literal["press", "read", "submit"] = "press"
    button: int = Field(0, ge=0, lt=10)


class Buttons(Observation):
    """How many were pressed, and the jobs that there are."""

    pressed: int = 0
    slip: str = ""
    jobs: list[dict[str, Any]] = Field(default_factory=list)


class Safe(Untold[PressAction, Buttons]):
    """Buttons are to be pressed in the right order, and then it is to be handed in."""

    def begin(self, rng: random.Random) -> None:
        self.right, self.pressed = rng.sample(range(10), 4), list[int]()
        self.due = rng.sample(range(100), 4)
        self._state = State(episode_id="x", step_count=0, **self.told(rng))  # type: ignore[arg-type]

    def told(self, rng: random.Random) -> dict[str, Any]:
        """What the state tells."""
        return {"order": self.right}

    def move(self, action: PressAction) -> float:
        self.over = action.do == "submit" or self.steps >= 12
        if action.do == "press":
            self.pressed.append(action.button)
            return 0.0
        return float(self.opens())

    def opens(self) -> bool:
        """Whether the right buttons were pressed."""
        return self.pressed == self.right

    def shown(self, reward: float) -> Buttons:
        return Buttons(pressed=len(self.pressed), reward=reward, done=self.over)


class ReadSafe(Safe):
    """Sound: the order is on a slip that may be read first."""

    def move(self, action: PressAction) -> float:
        self.read = action.do == "read"
        return super().move(action)

    def shown(self, reward: float) -> Buttons:
        read = self.steps > 0 and self.read
        slip = f"Press {', '.join(map(str, self.right))}." if read else ""
        return super().shown(reward).model_copy(update={"slip": slip})


class WordedSafe(Safe):
    """The state tells the order as short texts."""

    def told(self, rng: random.Random) -> dict[str, Any]:
        return {"steps": [f"press:{button}" for button in self.right] + ["submit"]}


class WholeSafe(Safe):
    """The state tells whole actions."""

    def told(self, rng: random.Random) -> dict[str, Any]:
        presses = [{"do": "press", "button": button} for button in self.right]
        return {"reference": [*presses, {"do": "submit"}]}


class SortedSafe(Safe):
    """Sound: the state tells the jobs by their due dates, as anybody can sort them who sees them."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        jobs = zip(self.right, sorted(self.due), strict=True)
        self.jobs = [{"button": button, "due": due} for button, due in jobs]
        rng.shuffle(self.jobs)

    def shown(self, reward: float) -> Buttons:
        return super().shown(reward).model_copy(update={"jobs": self.jobs})


class RankedSafe(SortedSafe):
    """Sound: the same by words that rank."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        words = ("urgent", "soon", "some day", "never")
        for n, button in enumerate(self.right):
            (job,) = [job for job in self.jobs if job["button"] == button]
            job["due"] = words[n]


class TimedSafe(SortedSafe):
    """Sound: the same by times of day, which no text sorts."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        hours = dict(zip(self.right, sorted(rng.sample(range(8, 19), 4)), strict=True))
        for job in self.jobs:
            hour = hours[job["button"]]
            job["due"] = f"{(hour - 1) % 12 + 1}:30 {'am' if hour < 12 else 'pm'}"


class NeedySafe(Safe):
    """Sound: it is seen which buttons each one needs before."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        needs = [self.right[max(0, n - 1) : n] for n in range(4)]
        self.jobs = [{"button": b, "needs": n} for b, n in zip(self.right, needs, strict=True)]
        rng.shuffle(self.jobs)

    def shown(self, reward: float) -> Buttons:
        return super().shown(reward).model_copy(update={"jobs": self.jobs})


class AnyOrderSafe(SortedSafe):
    """Sound: all that is seen is to be pressed, in whatever order, which is no secret."""

    def opens(self) -> bool:
        return set(self.pressed) == set(self.right)

    def told(self, rng: random.Random) -> dict[str, Any]:
        return {"queue": rng.sample(self.right, 4)}


class AskedWalk(DarkWalk):
    """Sound: who waits is told the next turn, and it costs nothing."""

    length = 4

    def told(self) -> dict[str, Any]:
        return {"route": self.way}

    def move(self, action: WalkAction) -> float:
        self.asked = action.do == "wait"
        self.over = self.steps >= 20
        return 0.0 if self.asked else super().move(action)

    def shown(self, reward: float) -> Dark:
        asked = self.steps and self.asked and not self.over
        note = f"Now {self.way[self.came]}." if asked else "A crossing."
        return super().shown(reward).model_copy(update={"note": note})
