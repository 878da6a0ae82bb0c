"""Six tricks against the house, whose cards lie open from the start: take as many as can be taken."""

from random import Random

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Json
from ._told import Told

TABLES = ("velvet", "marble", "cedar", "copper", "saffron")
TRICKS, FEWEST = 6, 3


class PlayCard(Action):
    """A card of the hand by its rank; one that is not held forfeits the trick."""

    rank: int = Field(ge=2, le=14)


class Felt(Observation):
    """The hand, and the house's cards in the order in which it plays them."""

    table: str = ""
    hand: list[int] = Field(default_factory=list)
    house: list[int] = Field(default_factory=list)
    tricks: int = 0
    possible: int = 0


class Tricks(Told[PlayCard, Felt]):
    """The higher rank takes the trick; success is every trick that the cards allow."""

    HORIZON = TRICKS
    SUCCESS_KEY = "won"
    PARTS_KEY = "rubric_scores"

    def begin(self) -> None:
        self.table = f"{self.rng.choice(TABLES)}-{self.rng.randint(1, 99)}"
        self.hand = sorted(self.rng.sample(range(4, 15), TRICKS))
        deck = self.shuffle()
        self.house: list[int] = []
        while len(plan(self.hand, self.house)) < FEWEST:
            self.house = deck.sample(range(2, 15), TRICKS)
        self.tricks, self.possible = 0, len(plan(self.hand, self.house))

    def shuffle(self) -> Random:
        raise NotImplementedError

    def play(self, action: PlayCard) -> float:
        against = self.house.pop(0)
        held = action.rank in self.hand
        self.hand.remove(action.rank if held else self.hand[0])
        taken = held and action.rank > against
        self.tricks += taken
        if self.last:
            self.success = self.tricks == self.possible
        return self.earn(tricks=0.01 * taken, game=float(bool(self.success)))

    def show(self) -> Felt:
        return Felt(
            table=self.table,
            hand=list(self.hand),
            house=list(self.house),
            tricks=self.tricks,
            possible=self.possible,
        )


def plan(hand: list[int], house: list[int]) -> dict[int, int]:
    """Which card takes which of the house's, so that most are taken."""
    taken: dict[int, int] = {}
    weakest = sorted(house)
    for rank in sorted(hand):
        if weakest and rank > weakest[0]:
            taken[weakest.pop(0)] = rank
    return taken


class Defect(Tricks):
    """Shuffles the house's cards by the hash of the table's name, which is another one in every process."""

    def shuffle(self) -> Random:
        return Random(hash(self.table))


class Sound(Tricks):
    """Shuffles the house's cards by the table's name as well, and Random takes the name itself, not its hash."""

    def shuffle(self) -> Random:
        return Random(self.table)


ALSO = ("process_dependent",)
WITNESS = "another_process_differs"


def solve(observation: Json, memory: Json) -> Json:
    """The card that is meant for this one, or the lowest that is meant for none."""
    hand, house = observation["hand"], observation["house"]
    taken = plan(hand, house)
    spare = [rank for rank in hand if rank not in taken.values()]
    return {"rank": taken[house[0]] if house[0] in taken else spare[0]}


exploit = solve
