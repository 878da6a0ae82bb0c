"""Pairs: eight cards face down, two turned over a step."""

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

SYMBOLS = ("sun", "moon", "star", "tree")
CARDS = 2 * len(SYMBOLS)


class Flip(Action):
    """Two cards."""

    first: int = Field(ge=0, lt=CARDS)
    second: int = Field(ge=0, lt=CARDS)


class Table(Observation):
    """What the two cards showed, and which cards are gone."""

    first_symbol: str = ""
    second_symbol: str = ""
    gone: list[int] = Field(default_factory=list)


class Pairs(Episodic[Flip, Table]):
    """A pair is taken away; all of them make the success."""

    def begin(self) -> None:
        self.cards = self.rng.sample(SYMBOLS * 2, CARDS)
        self.gone: set[int] = set()
        self.shown = ("", "")

    def play(self, action: Flip) -> float:
        first, second = action.first, action.second
        self.shown = (self.cards[first], self.cards[second])
        pair = first != second and self.shown[0] == self.shown[1] and first not in self.gone
        if pair:
            self.gone |= {first, second}
        if len(self.gone) == CARDS:
            self.success = True
        return self.pay(bool(self.success))

    def pay(self, all_gone: bool) -> float:
        raise NotImplementedError

    def show(self) -> Table:
        first, second = self.shown
        return Table(first_symbol=first, second_symbol=second, gone=sorted(self.gone))


class Defect(Pairs):
    """Pays True when all the cards are gone and None before: neither is a number."""

    def pay(self, all_gone: bool) -> float:
        return True if all_gone else None  # type: ignore[return-value]


class Sound(Pairs):
    """Pays whole numbers, 1 and 0, which look like truth values and are numbers."""

    def pay(self, all_gone: bool) -> float:
        return int(all_gone)


ALSO = ("bool_reward", "missing_reward")
WITNESS = "reward_is_no_number"


def solve(observation: Json, memory: Json) -> Json:
    """Take known pairs; else turn over two unknown cards."""
    known: dict[int, str] = memory.setdefault("known", {})
    if "last" in memory:
        symbols = (observation["first_symbol"], observation["second_symbol"])
        known.update(zip(memory["last"], symbols, strict=True))
    left = [card for card in range(CARDS) if card not in observation["gone"]]
    pairs = [(a, b) for a in left for b in left if a < b and a in known and b in known]
    pair = next((p for p in pairs if known[p[0]] == known[p[1]]), None)
    unknown = [card for card in left if card not in known]
    memory["last"] = pair or (unknown[0], unknown[1])
    return {"first": memory["last"][0], "second": memory["last"][1]}


exploit = solve
