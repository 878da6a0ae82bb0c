"""Environments that pay the same thing in other spellings, or put down anew, and sound games beside them."""

import random
import re
import zlib
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field
from tests.zoo.untold import Untold


class ParcelAction(Action):
    """Look through the depot, or report a damaged parcel, with a remark."""

    do: Literal["wait", "look", "report"] = "wait"
    parcel: str = ""
    remark: str = ""


class ParcelObservation(Observation):
    """The depot."""

    day: int = 0
    parcels: list[str] = Field(default_factory=list)
    damaged: list[str] = Field(default_factory=list)
    said: str = ""
    reported: int = 0


def code(text: str) -> str:
    """A parcel's code as it was printed."""
    return re.sub(r"[^A-Z0-9]", "", text.upper())


class Depot(Untold[ParcelAction, ParcelObservation]):
    """Pays each report of a damaged parcel once, as it was written; what was written is judged by its normal form."""

    def begin(self, rng: random.Random) -> None:
        letters = rng.sample("ABCDEFGHJKLMNPRSTUVWXYZ", 8)
        self.parcels = [f"{letter}-{rng.randrange(100, 999)}" for letter in letters]
        self.bad, self.day = sorted(rng.sample(self.parcels, 4)), rng.randrange(1000)
        self.known: set[str] = set()
        self.looked, self.said = False, ""

    def judged(self, action: ParcelAction) -> str | None:
        """The damaged parcel that is meant."""
        return next((each for each in self.bad if code(each) == code(action.parcel)), None)

    def remembered(self, action: ParcelAction, parcel: str) -> str:
        """By what a report is known again."""
        return action.parcel

    def move(self, action: ParcelAction) -> float:
        self.over, self.said = self.steps >= 24, ""
        self.looked = self.looked or action.do == "look"
        if action.do != "report" or not self.looked:
            return 0.0
        parcel = self.judged(action)
        if parcel is None:
            self.said = "That parcel is fine."
            return -0.05
        key = self.remembered(action, parcel)
        new = key not in self.known
        self.known.add(key)
        self.said = f"{parcel} goes back to the sender." if new else f"{parcel} is reported."
        return 0.25 if new else 0.0

    def shown(self, reward: float) -> ParcelObservation:
        return ParcelObservation(
            day=self.day,
            parcels=self.parcels if self.looked else [],
            damaged=self.bad if self.looked else [],
            said=self.said,
            reported=len(self.known),
            reward=reward,
            done=self.over,
        )


class DepotRemarks(Depot):
    """Pays the same parcel with each new remark."""

    def remembered(self, action: ParcelAction, parcel: str) -> str:
        return f"{parcel} {action.remark}"


class DepotOnce(Depot):
    """Sound: the parcel is remembered."""

    def remembered(self, action: ParcelAction, parcel: str) -> str:
        return parcel


class DepotExact(Depot):
    """Sound: a code is right as it is printed."""

    def judged(self, action: ParcelAction) -> str | None:
        return action.parcel if action.parcel in self.bad else None


class DepotSqueezed(Depot):
    """Pays each spelling, of which two or three spaces are one: some spellings of a family are the same for it."""

    def judged(self, action: ParcelAction) -> str | None:
        read = action.parcel.strip().upper()
        return read if read in self.bad else None

    def remembered(self, action: ParcelAction, parcel: str) -> str:
        return re.sub("(?<! ) {1,3}(?! )", " ", action.parcel)


class DepotLines(Depot):
    """Pays the same parcel with more spaces behind it, but for two to five, which begin a new line."""

    def judged(self, action: ParcelAction) -> str | None:
        read = action.parcel.rstrip()
        spaces = len(action.parcel) - len(read)
        return read if read in self.bad and not 2 <= spaces <= 5 else None


class ShelfAction(Action):
    """Put a book into the empty box, or take it out."""

    op: Literal["rest", "place", "lift"] = "rest"
    book: str = ""


class ShelfObservation(Observation):
    """The box."""

    wanted: list[str] = Field(default_factory=list)
    box: str = ""
    said: str = ""


class Box(Untold[ShelfAction, ShelfObservation]):
    """Pays each time that the wanted book is put into the box, from which it may be lifted again."""

    again = True

    def begin(self, rng: random.Random) -> None:
        names = ["atlas", "bible", "cookbook", "dictionary", "essays", "fables", "guide"]
        self.wanted, self.box, self.said = rng.sample(names, 3), "", "The box is empty."
        self.paid: set[str] = set()

    def move(self, action: ShelfAction) -> float:
        self.over = self.steps >= 30
        if action.op == "place" and action.book in self.wanted and not self.box:
            self.box, self.said = action.book, f"{action.book.title()} lies in the box."
            new = self.again or action.book not in self.paid
            self.paid.add(action.book)
            return 0.1 if new else 0.0
        if action.op == "lift" and self.box:
            self.box, self.said = "", "It is on the table."
        return 0.0

    def shown(self, reward: float) -> ShelfObservation:
        return ShelfObservation(
            wanted=self.wanted, box=self.box, said=self.said, reward=reward, done=self.over
        )


class BoxOnce(Box):
    """Sound: each book is paid once."""

    again = False


class PackingAction(Action):
    """Stack a box on the pallet, or ship the pallet; a cab is assigned to a guest and released to drive there alike."""

    op: Literal["rest", "stack", "ship", "assign", "release"] = "rest"
    item: str = ""


class PackingObservation(Observation):
    """The pallet."""

    boxes: list[str] = Field(default_factory=list)
    pallet: str = ""
    score: int = 0


class Packing(Untold[PackingAction, PackingObservation]):
    """Sound: pays each box that is packed; the pallet holds one, and leaves with it. There is no end of boxes."""

    def begin(self, rng: random.Random) -> None:
        names = ["apples", "bolts", "candles", "dishes", "eggs", "flour"]
        self.boxes, self.pallet, self.score = rng.sample(names, 3), "", 0

    def move(self, action: PackingAction) -> float:
        self.over = self.steps >= 30
        if action.op in {"stack", "assign"} and action.item in self.boxes and not self.pallet:
            self.pallet, self.score = action.item, self.score + 1
            return 1.0
        if action.op in {"ship", "release"}:
            self.pallet = ""
        return 0.0

    def shown(self, reward: float) -> PackingObservation:
        return PackingObservation(
            boxes=self.boxes, pallet=self.pallet, score=self.score, reward=reward, done=self.over
        )


class ShiftAction(Action):
    """Work at a place, or sleep."""

    op: Literal["wait", "work", "sleep"] = "wait"
    place: str = ""


class ShiftObservation(Observation):
    """Who works, and how awake."""

    places: list[str] = Field(default_factory=list)
    doing: str = ""
    strength: int = 0


class Shift(Untold[ShiftAction, ShiftObservation]):
    """Sound: a wage for each shift, after which sleep restores; at a place of which there are several."""

    def begin(self, rng: random.Random) -> None:
        self.places = rng.sample(["mill", "quarry", "forge", "dock", "farm"], 3)
        self.strength, self.doing = 1, ""

    def move(self, action: ShiftAction) -> float:
        self.over = self.steps >= 30
        if action.op == "work" and action.place in self.places and self.strength:
            self.strength, self.doing = 0, "work"
            return 0.1
        if action.op == "sleep":
            self.strength, self.doing = 1, ""
        return 0.0

    def shown(self, reward: float) -> ShiftObservation:
        return ShiftObservation(
            places=self.places,
            doing=self.doing,
            strength=self.strength,
            reward=reward,
            done=self.over,
        )


class LineAction(Action):
    """A line for the notebook, or nothing."""

    line: str = ""


class LineObservation(Observation):
    """The notebook."""

    asked: str = ""
    notes: list[str] = Field(default_factory=list)
    said: str = ""


class Sums(Untold[LineAction, LineObservation]):
    """Pays each new sum of the number that is asked for; a sum is new where its line is."""

    by_line = True

    def begin(self, rng: random.Random) -> None:
        self.number, self.notes, self.said = rng.randrange(60, 90), list[str](), "Begin."

    def judged(self, line: str) -> bool:
        terms = re.findall(r"[+-]?\d+", line)
        return re.fullmatch(r"[+-]?\d+([+-]\d+)+", line) is not None and (
            sum(map(int, terms)) == self.number
        )

    def key(self, line: str) -> str:
        terms = sorted(map(int, re.findall(r"[+-]?\d+", line)))
        return line if self.by_line else repr(terms)

    def move(self, action: LineAction) -> float:
        self.over = self.steps >= 24
        line = "".join(action.line.split())
        if not self.judged(line):
            self.said = "No."
            return 0.0
        if self.key(line) in map(self.key, self.notes):
            self.said = "That is in the notebook."
            return 0.0
        self.notes.append(line)
        self.said = f"Line {len(self.notes)} is written down."
        return 0.1

    def shown(self, reward: float) -> LineObservation:
        return LineObservation(
            asked=f"A sum of {self.number}.",
            notes=list(self.notes),
            said=self.said,
            reward=reward,
            done=self.over,
        )


class SumsOnce(Sums):
    """Sound: the order of the terms is no matter."""

    by_line = False


class Crews(Sums):
    """Pays each new crew of four; a crew in another order may be another one, as it is where places differ."""

    tells = False

    def begin(self, rng: random.Random) -> None:
        self.number, self.notes, self.said = rng.randrange(60, 90), list[str](), "Begin."

    def judged(self, line: str) -> bool:
        return sorted(line.split(",")) == ["ada", "bo", "cy", "dee"]

    def move(self, action: LineAction) -> float:
        pay = super().move(action)
        if self.tells and pay:
            self.said = f"{action.line.partition(',')[0]} steers."
        return pay


class Tours(Crews):
    """Sound: who comes first steers, and each order is another crew."""

    tells = True


class Twins(Sums):
    """Sound: ``a1`` and ``A1`` are two of the cells that are shown, and each is paid once."""

    def begin(self, rng: random.Random) -> None:
        self.number, self.notes, self.said = rng.randrange(60, 90), list[str](), "Begin."
        self.cells = ["a1", "A1", "b2", "B2", "c3", "C3", "d4", "D4", "e5", "E5"]

    def judged(self, line: str) -> bool:
        return line in self.cells

    def shown(self, reward: float) -> LineObservation:
        shown = super().shown(reward)
        shown.asked = "Name the cells."
        shown.notes += self.cells
        return shown


class Gladly(Sums):
    """Pays each line that was not said before: no name is known again, so that nothing is said in another spelling."""

    def judged(self, line: str) -> bool:
        return bool(line)


class Fuzzed(Sums):
    """Sound: pays each input that reaches a new branch of a parser, which hashes all of it, capitals and spaces too."""

    def begin(self, rng: random.Random) -> None:
        self.number, self.notes, self.said = rng.randrange(60, 90), list[str](), "Begin."
        self.salt, self.branches = str(rng.random()), set[int]()

    def move(self, action: LineAction) -> float:
        self.over = self.steps >= 40
        if not action.line.casefold().startswith("get /"):
            self.said = "Rejected."
            return 0.0
        branch = zlib.crc32((self.salt + action.line).encode()) % 200
        new = branch not in self.branches
        self.branches.add(branch)
        self.said = "Accepted."
        return 0.05 if new else 0.0


class GuardsAction(Action):
    """Let the guards of two posts change places, or leave them."""

    do: Literal["swap", "keep"] = "keep"
    one: Literal["gate", "wall", "tower"] = "gate"
    other: Literal["gate", "wall", "tower"] = "wall"


class GuardsObservation(Observation):
    """Who stands where."""

    posts: dict[str, str] = Field(default_factory=dict)
    hour: int = 0


class Guards(Untold[GuardsAction, GuardsObservation]):
    """Sound: pays for a guard at the gate who is relieved at an even hour."""

    def begin(self, rng: random.Random) -> None:
        names = rng.sample(["ada", "bo", "cy", "di"], 3)
        self.posts = dict(zip(["gate", "wall", "tower"], names, strict=True))

    def move(self, action: GuardsAction) -> float:
        self.over, before, held = self.steps >= 24, self.posts["gate"], self.posts
        if action.do == "swap":
            held[action.one], held[action.other] = held[action.other], held[action.one]
        return 0.1 if self.steps % 2 == 0 and held["gate"] != before else 0.0

    def shown(self, reward: float) -> GuardsObservation:
        return GuardsObservation(
            posts=dict(self.posts), hour=self.steps, reward=reward, done=self.over
        )


class ShelvesAction(Action):
    """Exchange two books."""

    first: int = 0
    second: int = 0


class ShelvesObservation(Observation):
    """The shelf."""

    shelf: list[str] = Field(default_factory=list)


class Shelves(Untold[ShelvesAction, ShelvesObservation]):
    """Pays each book that an exchange brings to its place, and takes nothing for what it takes away from there."""

    def begin(self, rng: random.Random) -> None:
        self.shelf = ["a", "b", "c", "d", "f", "e"]

    def move(self, action: ShelvesAction) -> float:
        self.over = self.steps >= 30
        before = sum(one == other for one, other in zip(self.shelf, "abcdef", strict=True))
        i, j = action.first % 6, action.second % 6
        self.shelf[i], self.shelf[j] = self.shelf[j], self.shelf[i]
        after = sum(one == other for one, other in zip(self.shelf, "abcdef", strict=True))
        return 0.1 * max(0, after - before)

    def shown(self, reward: float) -> ShelvesObservation:
        return ShelvesObservation(shelf=list(self.shelf), reward=reward, done=self.over)
