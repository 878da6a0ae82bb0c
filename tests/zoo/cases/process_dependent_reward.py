"""An archive with three tools: search a place, open the document, answer which river runs there."""

from typing import Literal
from zlib import crc32

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

PLACES = ("Arlo", "Benna", "Corvi", "Delmo", "Eskar", "Fendi", "Gorla", "Hasko")
RIVERS = ("Ahm", "Brel", "Cor", "Dru", "Elva", "Fyl", "Grenn", "Hald", "Isk", "Jor")


class Call(Action):
    """One tool call."""

    tool: Literal["search", "open", "answer"]
    argument: str = Field(default="", max_length=60)


class Desk(Observation):
    """The question and what the last tool said."""

    question: str = ""
    place: str = ""
    result: str = ""


class Archive(Episodic[Call, Desk]):
    """Three questions; an answer, right or wrong, brings the next. Rivers are not paid quite alike."""

    def begin(self) -> None:
        self.places = self.rng.sample(PLACES, 3)
        self.rivers = dict(zip(PLACES, self.rng.sample(RIVERS, len(PLACES)), strict=True))
        numbers = self.rng.sample(range(100, 1000), len(PLACES))
        self.documents = dict(zip(map(str, numbers), PLACES, strict=True))
        self.asked, self.right, self.result = 0, 0, ""

    def play(self, action: Call) -> float:
        said = action.argument.strip()
        if action.tool == "answer":
            return self.take(said)
        if action.tool == "search":
            found = [number for number, place in self.documents.items() if place == said]
            self.result = f"document {found[0]}" if found else "nothing found"
        else:
            place = self.documents.get(said)
            self.result = (
                f"The river in {place} is {self.rivers[place]}." if place else "no such document"
            )
        return 0.0

    def take(self, river: str) -> float:
        """Grade an answer and go on to the next question."""
        right = river == self.rivers[self.places[self.asked]]
        self.asked += 1
        self.right += right
        self.result = "next question"
        if self.asked == len(self.places):
            self.success = self.right == self.asked
        return (0.9 + 0.1 * (self.mark(river) % 100) / 99) / 3 if right else 0.0

    def mark(self, river: str) -> int:
        raise NotImplementedError

    def show(self) -> Desk:
        place = self.places[min(self.asked, len(self.places) - 1)]
        question = f"Which river runs through {place}?"
        return Desk(question=question, place=place, result=self.result)


class Defect(Archive):
    """Pays by Python's hash of the answer, which every process salts anew: the same answers earn other rewards."""

    def mark(self, river: str) -> int:
        return hash(river)


class Sound(Archive):
    """Pays by a hash of the answer as well, one that is the same everywhere."""

    def mark(self, river: str) -> int:
        return crc32(river.encode())


ALSO = ("process_dependent",)
WITNESS = "another_process_differs"


def solve(observation: Json, memory: Json) -> Json:
    """Search, open, answer."""
    words = observation["result"].rstrip(".").split()
    if words[:1] == ["document"]:
        return {"tool": "open", "argument": words[1]}
    if words[:2] == ["The", "river"]:
        return {"tool": "answer", "argument": words[-1]}
    return {"tool": "search", "argument": observation["place"]}


exploit = solve
