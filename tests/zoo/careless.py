"""Environments in which what does not try is paid, in pairs: one pays it, and one pays alike and is sound.

What an auditor says of them without being told anything is in ``tests/auditing/checks/test_free_success.py``.
"""

import json
import random
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field
from tests.zoo.untold import Untold

ISLES, FRUIT = ("Arran", "Bute", "Coll", "Danna"), ("fig", "plum", "pear", "quince", "medlar")


class BasketAction(Action):
    """Ask an isle what it cannot use, or send a basket."""

    kind: Literal["wait", "ask", "send"]
    isle: str = ""
    basket: list[str] = Field(default_factory=list)


class BasketObservation(Observation):
    """Who waits for a basket, and what was said."""

    isles: list[str] = Field(default_factory=list)
    fruit: list[str] = Field(default_factory=list)
    said: str = ""


class AnyBasket(Untold[BasketAction, BasketObservation]):
    """A basket is right where it holds nothing that an isle cannot use, which an empty one does."""

    least = 0

    def begin(self, rng: random.Random) -> None:
        self.isles = rng.sample(ISLES, 3)
        self.cannot = {isle: rng.choice(FRUIT) for isle in self.isles}
        self.said, self.right = "", False

    def move(self, action: BasketAction) -> float:
        if action.kind == "ask":
            self.said = self.cannot.get(action.isle, "nobody")
        self.over = action.kind == "send" or self.steps >= 6
        if action.kind == "send":
            fit = all(f in FRUIT and f not in self.cannot.values() for f in action.basket)
            self.right = fit and len(action.basket) >= self.least
        return float(self.right)

    def shown(self, reward: float) -> BasketObservation:
        metadata = {"success": self.right} if self.over else {}
        return BasketObservation(
            isles=self.isles, fruit=list(FRUIT), said=self.said, reward=reward, done=self.over, metadata=metadata
        )  # fmt: skip


class FullBasket(AnyBasket):
    """Sound: a basket holds two things, and both are of use."""

    least = 2


class ShiftAction(Action):
    """Where the next case goes."""

    to: Literal["desk", "ward", "theatre"]


class ShiftObservation(Observation):
    """The next case."""

    case: str = ""


class LopsidedShift(Untold[ShiftAction, ShiftObservation]):
    """Nine cases, most of which belong at the desk; six right ones make a good shift."""

    shares = (0.75, 0.15, 0.1)

    def begin(self, rng: random.Random) -> None:
        self.right = self.drawn(rng)
        self.good = 0
        self.signs = [f"{rng.choice('bdgk')}{rng.randrange(90)}" for _ in self.right]

    def drawn(self, rng: random.Random) -> list[str]:
        """Where the cases belong."""
        return rng.choices(("desk", "ward", "theatre"), self.shares, k=9)

    def move(self, action: ShiftAction) -> float:
        self.good += action.to == self.right[self.steps - 1]
        self.over = self.steps >= 9
        return float(self.over and self.good >= 6)

    def shown(self, reward: float) -> ShiftObservation:
        metadata = {"success": self.good >= 6} if self.over else {}
        sign = "" if self.over else f"{self.right[self.steps][0]}: {self.signs[self.steps]}"
        return ShiftObservation(case=sign, reward=reward, done=self.over, metadata=metadata)


class EvenShift(LopsidedShift):
    """Sound: as many cases of each kind."""

    def drawn(self, rng: random.Random) -> list[str]:
        cases = ["desk", "ward", "theatre"] * 3
        rng.shuffle(cases)
        return cases


class OneLever(Untold[ShiftAction, ShiftObservation]):
    """Sound: there is one task only, in which one lever for ever is right, and it has to be found."""

    def begin(self, rng: random.Random) -> None:
        self.good = 0

    def move(self, action: ShiftAction) -> float:
        self.good += action.to == "ward"
        self.over = self.steps >= 5
        return float(self.over and self.good == 5)

    def shown(self, reward: float) -> ShiftObservation:
        metadata = {"success": self.good == 5} if self.over else {}
        return ShiftObservation(case="pull", reward=reward, done=self.over, metadata=metadata)


class DraftAction(Action):
    """Read the draft, mend a line or delete it, or hand it in."""

    tool: Literal["view", "replace_line", "delete_line", "submit"]
    line: int = 0
    text: str = ""


class DraftObservation(Observation):
    """The lines, and what is wrong with them."""

    lines: list[str] = Field(default_factory=list)
    wrong: list[str] = Field(default_factory=list)


class AnyDraft(Untold[DraftAction, DraftObservation]):
    """Pays each fault that goes, and a draft without any when it is handed in; one without lines has none."""

    keeps = False

    def begin(self, rng: random.Random) -> None:
        self.lines = [
            f"{n} {rng.choice(('ok', 'bad', 'worse'))} {rng.randrange(99)}" for n in range(5)
        ]
        self.size = len(self.lines)

    def wrong(self) -> list[str]:
        """What is wrong with the lines."""
        lines = [line for line in self.lines if " ok " not in line]
        return [*lines, *["a line is missing"] * (self.size - len(self.lines) if self.keeps else 0)]

    def move(self, action: DraftAction) -> float:
        before = len(self.wrong())
        if action.tool == "delete_line" and 0 <= action.line < len(self.lines):
            self.lines.pop(action.line)
        if action.tool == "replace_line" and 0 <= action.line < len(self.lines):
            self.lines[action.line] = action.text
        after = len(self.wrong())
        self.over = action.tool == "submit" or self.steps >= 12
        handed_in = (0.5 if after == 0 else -0.1) if action.tool == "submit" else 0.0
        return 0.1 * (before - after) + handed_in

    def shown(self, reward: float) -> DraftObservation:
        return DraftObservation(
            lines=list(self.lines), wrong=self.wrong(), reward=reward, done=self.over
        )


class WholeDraft(AnyDraft):
    """Sound: a line that is gone is a fault."""

    keeps = True


class TillAction(Action):
    """Wait, serve who stands at a place, or close the till."""

    do: Literal["wait", "serve", "add_till", "close"]
    place: int = 0


class TillObservation(Observation):
    """Who waits."""

    waiting: list[str] = Field(default_factory=list)


class Till(Untold[TillAction, TillObservation]):
    """Sound: whoever is served is paid for and goes; the day is good when nobody waits any more."""

    def begin(self, rng: random.Random) -> None:
        self.waiting = [f"{rng.choice(ISLES)} {n}" for n in range(rng.randrange(3, 6))]
        self.share = 0.5 / len(self.waiting)

    def move(self, action: TillAction) -> float:
        served = action.do == "serve" and 0 <= action.place < len(self.waiting)
        if served:
            self.waiting.pop(action.place)
        self.over = action.do == "close" or self.steps >= 12
        good = action.do == "close" and not self.waiting
        return self.share * served + 0.5 * good

    def shown(self, reward: float) -> TillObservation:
        return TillObservation(waiting=list(self.waiting), reward=reward, done=self.over)


class SlipAction(Action):
    """What a delivery slip says."""

    text: str = ""


class SlipObservation(Observation):
    """A slip."""

    slip: str = ""
    said: str = ""


SLIP = {"town": str, "boxes": (int, float)}


class AnySlip(Untold[SlipAction, SlipObservation]):
    """Pays a slip as JSON whose fields have the right types, whatever they say."""

    form, content = 1.0, 0.0

    def begin(self, rng: random.Random) -> None:
        self.right = {"town": rng.choice(ISLES).lower(), "boxes": rng.randrange(2, 90)}
        self.said = "Answer with JSON."

    def move(self, action: SlipAction) -> float:
        self.over = self.steps >= 2
        try:
            held = json.loads(action.text)
        except ValueError:
            return -0.1
        if not isinstance(held, dict) or held.keys() != SLIP.keys():
            return -0.1
        if not all(isinstance(held[name], kind) for name, kind in SLIP.items()):
            return -0.1
        return (self.form + self.content * (held == self.right)) / 2

    def shown(self, reward: float) -> SlipObservation:
        slip = "To {town}: {boxes} boxes".format(**self.right)
        return SlipObservation(slip=slip, said=self.said, reward=reward, done=self.over)


class RightSlip(AnySlip):
    """Sound: a fifth is for the form, the rest for what it says."""

    form, content = 0.2, 0.8


NOTE = ["town", "boxes", "by"]


class AnyNote(AnySlip):
    """Calls each note a success that has the right keys, whatever stands in it: it pays more for them than it asks."""

    form, content, least = 0.6, 0.4, 0.6

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        self.right["by"] = rng.choice(FRUIT)
        self.said = f"Answer with one JSON object with just these keys: {', '.join(NOTE)}. Towns are in lower case."
        self.success = False

    def move(self, action: SlipAction) -> float:
        self.over = self.steps >= 3
        try:
            held = json.loads(action.text)
        except ValueError:
            return 0.0
        self.over = True
        if not isinstance(held, dict) or set(held) != set(NOTE):
            return 0.0
        paid = self.form + self.content * sum(held[key] == self.right[key] for key in NOTE) / 3
        self.success = paid >= self.least
        return paid

    def shown(self, reward: float) -> SlipObservation:
        shown = super().shown(reward)
        shown.metadata = {"success": self.success} if self.over else {}
        return shown


class RightNote(AnyNote):
    """Sound: pays each value, and only all of them are a success."""

    form, content, least = 0.0, 1.0, 1.0


class LetterAction(Action):
    """Think, write the letter, or send it."""

    do: Literal["think", "write", "send"]
    title: str | None = None
    text: str | None = None


class LetterObservation(Observation):
    """What the letter is about."""

    about: str = ""
    written: bool = False


class AnyLetter(Untold[LetterAction, LetterObservation]):
    """Grades a letter that is sent by whether it has a title and a text."""

    def begin(self, rng: random.Random) -> None:
        self.about = f"{rng.choice(ISLES)} {rng.randrange(10, 99)}"
        self.letter: tuple[str, str] | None = None

    def move(self, action: LetterAction) -> float:
        if action.do == "write" and action.title is not None and action.text is not None:
            self.letter = action.title, action.text
        self.over = action.do == "send" or self.steps >= 8
        return float(action.do == "send" and self.letter is not None and self.good(*self.letter))

    def good(self, title: str, text: str) -> bool:
        """Whether a letter is what was asked for."""
        return True

    def shown(self, reward: float) -> LetterObservation:
        written = self.letter is not None
        return LetterObservation(about=self.about, written=written, reward=reward, done=self.over)


class RightLetter(AnyLetter):
    """Sound: the title says what it is about, and the text that it was read to its end."""

    def good(self, title: str, text: str) -> bool:
        isle, number = self.about.split()
        return title == isle and text == number[::-1]


class QuestionAction(Action):
    """Whether it is so, and in which unit."""

    label: Literal["no", "yes"]
    unit: Literal["F", "C", "K", "R"]


class QuestionObservation(Observation):
    """A question."""

    question: str = ""


class FairQuestion(Untold[QuestionAction, QuestionObservation]):
    """Sound: each of two answers is right as often, and the unit is always the same."""

    right: QuestionAction

    def begin(self, rng: random.Random) -> None:
        self.right = QuestionAction(label=self.drawn(rng), unit="C")
        self.question = f"Is {rng.choice(ISLES)} warmer than {rng.randrange(90)}?"

    def drawn(self, rng: random.Random) -> Literal["no", "yes"]:
        """What is right."""
        return rng.choice(("no", "yes"))

    def move(self, action: QuestionAction) -> float:
        self.over = True
        return float((action.label, action.unit) == (self.right.label, self.right.unit))

    def shown(self, reward: float) -> QuestionObservation:
        metadata = {"success": reward == 1} if self.over else {}
        return QuestionObservation(
            question=self.question, reward=reward, done=self.over, metadata=metadata
        )


class LopsidedQuestion(FairQuestion):
    """Lopsided by nature: nine of ten are so, and no constant is right on each."""

    def drawn(self, rng: random.Random) -> Literal["no", "yes"]:
        return "yes" if rng.random() < 0.9 else "no"


CHORES = ("sweep", "water", "feed", "fold", "dust", "polish", "stack")


class RoundAction(Action):
    """Do a chore, or close the round and say what is done."""

    kind: Literal["rest", "do", "close"]
    chore: str = ""
    done: list[str] = Field(default_factory=list)


class RoundObservation(Observation):
    """The chores of the round."""

    chores: list[str] = Field(default_factory=list)


class ClaimedRound(Untold[RoundAction, RoundObservation]):
    """A round is right where all chores are said to be done."""

    def begin(self, rng: random.Random) -> None:
        self.chores, self.did, self.right = rng.sample(CHORES, 3), set[str](), False

    def move(self, action: RoundAction) -> float:
        if action.kind == "do":
            self.did.add(action.chore)
        self.over = action.kind == "close" or self.steps >= 8
        if action.kind == "close":
            self.right = self.is_done(set(action.done))
        return float(self.right)

    def is_done(self, claimed: set[str]) -> bool:
        """Whether the round is done."""
        return claimed == set(self.chores)

    def shown(self, reward: float) -> RoundObservation:
        metadata = {"success": self.right} if self.over else {}
        return RoundObservation(
            chores=self.chores, reward=reward, done=self.over, metadata=metadata
        )


class DoneRound(ClaimedRound):
    """Sound: what is said to be done has to be done."""

    def is_done(self, claimed: set[str]) -> bool:
        return claimed == set(self.chores) == self.did
