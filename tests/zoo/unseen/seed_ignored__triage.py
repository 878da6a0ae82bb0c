"""A walk-in clinic: patients come in one by one and are given a colour by pulse, breath and pain."""

from random import Random
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import BaseModel

from ._base import Json, Told

Colour = Literal["green", "yellow", "red"]


class Triage(Action):
    """The patient's colour."""

    colour: Colour


class Vitals(BaseModel):
    """What the nurse measured."""

    pulse: int = 0
    breaths: int = 0
    pain: int = 0


class Patient(Observation):
    """Red from a pulse of 130 or 30 breaths, yellow from a pulse of 100 or a pain of 5, else green."""

    vitals: Vitals = Vitals()
    patients_left: int = 0
    succeeded: bool | None = None


class Clinic(Told[Triage, Patient]):
    """Eleven patients; success is that none got the wrong colour."""

    HORIZON = 11
    SUCCESS = "succeeded"

    def begin(self) -> None:
        self.files = Random(self._state.episode_id)
        self.wrong = 0
        self.call()

    def source(self) -> Random:
        raise NotImplementedError

    def call(self) -> None:
        drawn = self.source()
        self.vitals = Vitals(
            pulse=drawn.randint(55, 160), breaths=drawn.randint(10, 36), pain=drawn.randint(0, 10)
        )

    def play(self, action: Triage) -> float:
        self.wrong += action.colour != colour_of(self.vitals.model_dump())
        self.call()
        if not self.last:
            return 0.0
        self.success = self.wrong == 0
        return float(self.success)

    def show(self) -> Patient:
        seen = Patient(vitals=self.vitals, patients_left=self.HORIZON - self.turn)
        seen.metadata["file_number"] = f"{self.files.getrandbits(32):08x}"
        return seen


def colour_of(vitals: Json) -> Colour:
    """The colour by the rules of the house."""
    if vitals["pulse"] >= 130 or vitals["breaths"] >= 30:
        return "red"
    return "yellow" if vitals["pulse"] >= 100 or vitals["pain"] >= 5 else "green"


class Defect(Clinic):
    """Draws its patients by the episode's id, which is a new one at every reset, and not by the seed."""

    def source(self) -> Random:
        return self.files


class Sound(Clinic):
    """Draws by the episode's id as well, but only the number on the file in the metadata; patients are the seed's."""

    def source(self) -> Random:
        return self.rng


WITNESS = "same_seed_differs"
ALSO = ("nondeterministic", "process_dependent")


def solve(observation: Json, memory: Json) -> Json:
    """By the rules."""
    return {"colour": colour_of(observation["vitals"])}


exploit = solve
