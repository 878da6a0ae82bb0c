"""A place that is to be found, which the state tells in another shape than the action takes; and sound look-alikes.

Nothing says success. What an auditor says of them is in ``tests/auditing/checks/test_handed_parts.py``.
"""

import random
from typing import Any, Literal

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field
from tests.zoo.untold import Untold

SIZE = 20
LETTERS = "ABCDEFGHIJKLMNOPQRST"


class DigAction(Action):
    """Walk to a place and listen, or dig there, once."""

    do: Literal["listen", "dig"] = "listen"
    x: int = Field(0, ge=0, lt=SIZE)
    y: int = Field(0, ge=0, lt=SIZE)


class CellAction(Action):
    """The same by row and column."""

    do: Literal["listen", "dig"] = "listen"
    row: int = Field(0, ge=0, lt=SIZE)
    column: int = Field(0, ge=0, lt=SIZE)


class SpotAction(Action):
    """The same by one text."""

    do: Literal["listen", "dig"] = "listen"
    spot: str = ""


class PairAction(Action):
    """The same by one list."""

    do: Literal["listen", "dig"] = "listen"
    spot: list[int] = Field(default_factory=lambda: [0, 0], min_length=2, max_length=2)


class Meadow(Observation):
    """How far away it hums, and what is written there."""

    far: int = -1
    note: str = ""
    things: list[dict[str, Any]] = Field(default_factory=list)
    target: list[int] = Field(default_factory=list)
    expected_answer: list[int] = Field(default_factory=list)


class Buried(Untold[Any, Meadow]):
    """Something hums in a meadow, the louder the nearer; who digs there is paid, and it is over."""

    def begin(self, rng: random.Random) -> None:
        self.x, self.y = rng.sample(range(1, SIZE), 2)
        self.decoy, self.at = rng.sample(range(1, SIZE), 2), rng.sample(range(1, SIZE), 2)
        self.far = -1
        self._state = State(episode_id="x", step_count=0, **self.told())  # type: ignore[arg-type]

    def told(self) -> dict[str, Any]:
        """What the state tells."""
        return {}

    def place(self, action: Any) -> tuple[int, int]:
        """Where an action is meant."""
        return action.x, action.y

    def move(self, action: Any) -> float:
        x, y = self.place(action)
        self.far = abs(x - self.x) + abs(y - self.y)
        self.over = action.do == "dig" or self.steps >= 8
        return float(action.do == "dig" and self.far == 0)

    def shown(self, reward: float) -> Meadow:
        return Meadow(far=self.far, reward=reward, done=self.over)


class DigsByPlace(Buried):
    """Takes ``x`` and ``y``."""

    def step(self, action: DigAction, timeout_s: float | None = None, **_: Any) -> Meadow:
        return super().step(action)


class DigsByCell(Buried):
    """Takes ``row`` and ``column``."""

    def step(self, action: CellAction, timeout_s: float | None = None, **_: Any) -> Meadow:
        return super().step(action)

    def place(self, action: Any) -> tuple[int, int]:
        return action.column, action.row


class DigsBySpot(Buried):
    """Takes a text such as ``3,5``."""

    def step(self, action: SpotAction, timeout_s: float | None = None, **_: Any) -> Meadow:
        return super().step(action)

    def place(self, action: Any) -> tuple[int, int]:
        parts = action.spot.split(",")
        whole = len(parts) == 2 and all(part.strip().isdecimal() for part in parts)
        return (int(parts[0]), int(parts[1])) if whole else (-SIZE, -SIZE)


class DigsByPair(Buried):
    """Takes a list of two."""

    def step(self, action: PairAction, timeout_s: float | None = None, **_: Any) -> Meadow:
        return super().step(action)

    def place(self, action: Any) -> tuple[int, int]:
        return action.spot[0], action.spot[1]


class ListForFields(DigsByPlace):
    """The state has a list, the action two fields."""

    def told(self) -> dict[str, Any]:
        return {"site": [self.x, self.y]}


class NamesForFields(DigsByCell):
    """The state has an object whose names are the fields', in another order and with more beside them."""

    def told(self) -> dict[str, Any]:
        return {"site": {"depth": 2, "col": self.x, "row": self.y}}


class TextForFields(DigsByPlace):
    """The state has a text, the action two fields."""

    def told(self) -> dict[str, Any]:
        return {"site": f"{self.x},{self.y}"}


class SquareForFields(DigsByCell):
    """The state has the name of a square, as on a chess board, the action a row and a column that count from nought."""

    def told(self) -> dict[str, Any]:
        return {"site": f"{LETTERS[self.x]}{self.y + 1}"}


class ValuesForFields(DigsByPlace):
    """The state has two values, the action two fields."""

    def told(self) -> dict[str, Any]:
        return {"target_x": self.x, "target_y": self.y}


class ValuesForText(DigsBySpot):
    """The state has two values, the action one text."""

    def told(self) -> dict[str, Any]:
        return {"target_x": self.x, "target_y": self.y}


class ObjectForList(DigsByPair):
    """The state has an object, the action one list."""

    def told(self) -> dict[str, Any]:
        return {"site": {"x": self.x, "y": self.y}}


class PromisedPair(DigsByPlace):
    """The observation itself shows the answer, and says that it is the answer."""

    def shown(self, reward: float) -> Meadow:
        seen = super().shown(reward)
        return seen.model_copy(update={"expected_answer": [self.x, self.y]})


class DecoyPair(ListForFields):
    """Sound: the parts are those of a decoy."""

    def told(self) -> dict[str, Any]:
        return {"site": self.decoy}


class OwnPlace(ListForFields):
    """Sound: the parts are where the agent itself stands."""

    def told(self) -> dict[str, Any]:
        return {"position": self.at, "robot": {"x": self.at[0], "y": self.at[1]}}


class ShownPair(ListForFields):
    """Sound: to dig at the target that is shown is the task."""

    def shown(self, reward: float) -> Meadow:
        return super().shown(reward).model_copy(update={"target": [self.x, self.y]})


class SpokenPair(ListForFields):
    """Sound: the state repeats what the note says."""

    def shown(self, reward: float) -> Meadow:
        note = f"Dig {self.x} paces to the east and then {self.y} to the north."
        return super().shown(reward).model_copy(update={"note": note})


class NamedThing(ListForFields):
    """Sound: the note says at which of the things that are seen to dig, and each shows where it is."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        names = rng.sample(["lamp", "kettle", "anchor", "wheel", "barrel"], 5)
        places = [(self.x, self.y), *(rng.sample(range(1, SIZE), 2) for _ in names[1:])]
        self.things = [{"name": n, "x": x, "y": y} for n, (x, y) in zip(names, places, strict=True)]
        self.wanted = names[0]
        rng.shuffle(self.things)

    def shown(self, reward: float) -> Meadow:
        update = {"note": f"Dig at the {self.wanted}.", "things": self.things}
        return super().shown(reward).model_copy(update=update)


class OneOfTheThings(NamedThing):
    """Nothing that is seen says at which of the things to dig; the state does."""

    def shown(self, reward: float) -> Meadow:
        return super().shown(reward).model_copy(update={"note": ""})


class AnyPlace(ListForFields):
    """Sound, so far as this goes: every place is paid alike."""

    def move(self, action: Any) -> float:
        return float(super().move(action) >= 0 and action.do == "dig")


class ChessPlace(DigsByCell):
    """Sound: what is written names the place as on a chess board, with rows from one."""

    def told(self) -> dict[str, Any]:
        return {"target": [self.y, self.x]}

    def shown(self, reward: float) -> Meadow:
        note = f"Dig on {LETTERS[self.x]}{self.y + 1}."
        return super().shown(reward).model_copy(update={"note": note})


class CountedPlace(ChessPlace):
    """Sound: the same in words, from one."""

    words = "one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        self.x, self.y = rng.sample(range(10), 2)
        self._state = State(episode_id="x", step_count=0, **self.told())  # type: ignore[arg-type]

    def shown(self, reward: float) -> Meadow:
        note = f"Dig in row {self.words[self.y]}, in column {self.words[self.x]}."
        return super().shown(reward).model_copy(update={"note": note})


class FlownPlace(ListForFields):
    """Sound: it is seen where one is, and how far away the place lies each way."""

    def shown(self, reward: float) -> Meadow:
        away = [self.x - self.at[0], self.y - self.at[1]]
        things = [{"at": self.at, "away": away}]
        return super().shown(reward).model_copy(update={"things": things})
