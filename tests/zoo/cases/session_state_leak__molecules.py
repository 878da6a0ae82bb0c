"""Molecules: grow a chain of atoms towards a formula; a bonus rewards exploring."""

from collections import Counter
from math import sqrt
from typing import ClassVar, Literal, get_args

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Json
from ._told import Told

Atom = Literal["C", "N", "O", "S", "F"]
ATOMS: tuple[Atom, ...] = get_args(Atom)
LONGEST = 8


class Edit(Action):
    """Append an atom, drop the last one, or hand the molecule in."""

    edit: Literal["append", "drop", "hand_in"]
    atom: Atom | None = None


class Bench(Observation):
    """The formula that is wanted and the chain so far."""

    formula: dict[str, int] = Field(default_factory=dict)
    smiles: str = ""
    novelty: float = 0.0
    success: bool | None = None


class Synthesis(Told[Edit, Bench]):
    """Success is a chain of the right formula. The bonus falls with how often a chain has been made."""

    HORIZON = 12
    SUCCESS = "success"
    PARTS_KEY = "components"
    EVER_MADE: ClassVar[Counter[str]] = Counter()
    MADE_BY_LENGTH: ClassVar[Counter[int]] = Counter()

    def begin(self) -> None:
        self.formula = Counter(self.rng.choices(ATOMS, k=self.rng.randint(4, LONGEST)))
        self.smiles, self.novelty = "", 0.0
        self.made = self.open_log()

    def open_log(self) -> Counter[str]:
        raise NotImplementedError

    def play(self, action: Edit) -> float:
        if action.edit == "append" and action.atom and len(self.smiles) < LONGEST:
            self.smiles += action.atom
        elif action.edit == "drop":
            self.smiles = self.smiles[:-1]
        elif action.edit == "hand_in":
            self.success = Counter(self.smiles) == self.formula
        self.made[self.smiles] += 1
        self.MADE_BY_LENGTH[len(self.smiles)] += 1
        self.novelty = 1 / sqrt(self.made[self.smiles])
        return self.earn(formula=float(bool(self.success)), novelty=0.005 * self.novelty)

    def show(self) -> Bench:
        return Bench(formula=dict(self.formula), smiles=self.smiles, novelty=self.novelty)


class Defect(Synthesis):
    """Pays a bonus for chains that were seldom made, by a count that the class keeps for every session."""

    def open_log(self) -> Counter[str]:
        return self.EVER_MADE


class Sound(Synthesis):
    """Pays the same bonus by a count of the episode's own; what the class counts for all is for nobody to see."""

    def open_log(self) -> Counter[str]:
        return Counter()


ALSO = ("episode_state_leak",)
WITNESS = "beside_another_session_differs"


def solve(observation: Json, memory: Json) -> Json:
    """Append what is missing."""
    missing = Counter(observation["formula"]) - Counter(observation["smiles"])
    if missing:
        return {"edit": "append", "atom": min(missing)}
    return {"edit": "hand_in"}


exploit = solve
