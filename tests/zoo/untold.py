"""Environments in which nothing says success, in pairs: one pays for nothing, and one pays alike and is sound.

What an auditor says of them without being told anything is in ``tests/auditing/checks/test_without_success.py``.
"""

import random
from typing import Any, Generic, Literal, TypeVar

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

A = TypeVar("A", bound=Action)
O = TypeVar("O", bound=Observation)  # noqa: E741


class Untold(Environment[A, O, State], Generic[A, O]):
    """A game of some steps; a subclass says how it begins, what a move pays and what is seen."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> O:
        """Begin with what the seed draws."""
        self._state, self.over = State(episode_id=episode_id or "x", step_count=0), False
        self.begin(random.Random(seed))
        return self.shown(0.0)

    def step(self, action: A, timeout_s: float | None = None, **_: Any) -> O:
        """One move."""
        if self.over:
            return self.shown(0.0)
        self._state.step_count += 1
        return self.shown(self.move(action))

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state

    @property
    def steps(self) -> int:
        """Moves so far."""
        return self._state.step_count

    def begin(self, rng: random.Random) -> None:
        """Begin an episode."""
        raise NotImplementedError

    def move(self, action: A) -> float:
        """What a move is paid."""
        raise NotImplementedError

    def shown(self, reward: float) -> O:
        """What is seen."""
        raise NotImplementedError


class DeskAction(Action):
    """Write a note, or close the case."""

    kind: Literal["wait", "note", "close"]
    text: str = ""


class DeskObservation(Observation):
    """The case."""

    case: int = 0
    notes: list[str] = Field(default_factory=list)
    message: str = ""


class EndlessNotes(Untold[DeskAction, DeskObservation]):
    """Pays each note, whatever it says, and goes on until the case is closed, which is paid once."""

    def begin(self, rng: random.Random) -> None:
        self.case, self.notes, self.message = rng.randrange(1000), [], "new"

    def move(self, action: DeskAction) -> float:
        self.message = action.kind
        if action.kind == "note":
            self.notes.append(action.text)
            return 0.3
        self.over = action.kind == "close"
        return 0.5 if self.over and self.notes else 0.0

    def shown(self, reward: float) -> DeskObservation:
        return DeskObservation(
            case=self.case,
            notes=list(self.notes),
            message=self.message,
            reward=reward,
            done=self.over,
        )


class Wages(Untold[DeskAction, DeskObservation]):
    """Sound: pays a day's work, which tires; whoever never rests falls ill, and the month ends."""

    def begin(self, rng: random.Random) -> None:
        self.case, self.strength = rng.randrange(1000), rng.randrange(3, 6)

    def move(self, action: DeskAction) -> float:
        self.strength += {"wait": 2, "note": -1, "close": 0}[action.kind]
        self.over = self.steps >= 30 or action.kind == "close" or self.strength < 0
        return 0.3 if action.kind == "note" else 0.0

    def shown(self, reward: float) -> DeskObservation:
        return DeskObservation(
            case=self.case,
            message=f"strength {'*' * max(0, self.strength)}",
            reward=reward,
            done=self.over,
        )


class AlertAction(Action):
    """Label an alert, wait, or submit the labels."""

    do: Literal["wait", "label", "submit"]
    item: int = 0
    level: Literal["", "low", "high"] = ""


class AlertObservation(Observation):
    """The alerts and their labels."""

    alerts: list[str] = Field(default_factory=list)
    labels: dict[str, str] = Field(default_factory=dict)


class ScoreEachStep(Untold[AlertAction, AlertObservation]):
    """Pays the whole score at every step until the labels are submitted."""

    def begin(self, rng: random.Random) -> None:
        self.right = {str(n): rng.choice(["low", "high"]) for n in range(3)}
        self.labels: dict[str, str] = {}

    def move(self, action: AlertAction) -> float:
        if action.do == "label" and str(action.item) in self.right and action.level:
            self.labels[str(action.item)] = action.level
        self.over = action.do == "submit" or self.steps >= 15
        return self.paid()

    def paid(self) -> float:
        return sum(self.labels.get(n) == level for n, level in self.right.items()) / 3

    def shown(self, reward: float) -> AlertObservation:
        alerts = [
            f"alert {n}, {'calm' if level == 'low' else 'loud'}" for n, level in self.right.items()
        ]
        return AlertObservation(
            alerts=alerts, labels=dict(self.labels), reward=reward, done=self.over
        )


class ScoreGained(ScoreEachStep):
    """Sound: pays what a step adds to the score."""

    had = 0.0

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        self.had = 0.0

    def paid(self) -> float:
        had, self.had = self.had, super().paid()
        return self.had - had


class HeatAction(Action):
    """Set the heating, or leave it."""

    set: Literal["leave", "off", "low", "high"]


class HeatObservation(Observation):
    """The room."""

    warmth: int = 0
    heating: str = ""


class Warmth(Untold[HeatAction, HeatObservation]):
    """Sound: pays each hour in which the room is warm, for as long as it is kept so."""

    def begin(self, rng: random.Random) -> None:
        self.warmth, self.heating = rng.randrange(10, 14), "off"

    def move(self, action: HeatAction) -> float:
        self.heating = self.heating if action.set == "leave" else action.set
        goal = {"off": 8, "low": 20, "high": 30}[self.heating]
        self.warmth += (goal > self.warmth) - (goal < self.warmth)
        self.over = self.steps >= 40
        return 1.0 if 18 <= self.warmth <= 22 else 0.0

    def shown(self, reward: float) -> HeatObservation:
        return HeatObservation(
            warmth=self.warmth, heating=self.heating, reward=reward, done=self.over
        )


class EssayAction(Action):
    """An answer."""

    answer: str


class EssayObservation(Observation):
    """A question."""

    question: str = ""


class AnyEssay(Untold[EssayAction, EssayObservation]):
    """Pays whatever is answered."""

    def begin(self, rng: random.Random) -> None:
        self.numbers = rng.randrange(100), rng.randrange(100)

    def move(self, action: EssayAction) -> float:
        self.over = True
        return 0.8

    def shown(self, reward: float) -> EssayObservation:
        return EssayObservation(
            question="What is {} + {}?".format(*self.numbers), reward=reward, done=self.over
        )


class RightEssay(AnyEssay):
    """Sound: pays the right sum, and a little for trying."""

    def move(self, action: EssayAction) -> float:
        self.over = True
        return 1.0 if str(sum(self.numbers)) in action.answer else 0.05


class CleanAction(Action):
    """Leave a file, mend it or delete it."""

    do: Literal["leave", "mend", "delete"]
    file: int = 0


class CleanObservation(Observation):
    """Which files there are."""

    files: list[str] = Field(default_factory=list)


class HalfDone(Untold[CleanAction, CleanObservation]):
    """Grades a folder at the end, and most of it was right from the beginning."""

    base = 6

    def begin(self, rng: random.Random) -> None:
        self.files = ["good"] * self.base + ["bad"] * 2
        rng.shuffle(self.files)

    def move(self, action: CleanAction) -> float:
        if action.do != "leave" and 0 <= action.file < 8:
            self.files[action.file] = "good" if action.do == "mend" else "gone"
        self.over = self.steps >= 6
        return self.grade() if self.over else 0.0

    def grade(self) -> float:
        return self.files.count("good") / 8

    def shown(self, reward: float) -> CleanObservation:
        return CleanObservation(files=list(self.files), reward=reward, done=self.over)


class WhatWasDone(HalfDone):
    """Sound: grades what was added to the folder."""

    def grade(self) -> float:
        return max(0.0, (self.files.count("good") - self.base) / 2)


class PoleAction(Action):
    """Push to one side."""

    push: Literal["left", "right"]


class PoleObservation(Observation):
    """The pole."""

    angle: float = 0.0
    speed: float = 0.0


class Pole(Untold[PoleAction, PoleObservation]):
    """Sound: pays each step that the pole stands; either push alone soon lets it fall."""

    def begin(self, rng: random.Random) -> None:
        self.angle, self.speed = rng.uniform(-0.1, 0.1), 0.0

    def move(self, action: PoleAction) -> float:
        self.speed += 0.05 * self.angle + (0.02 if action.push == "right" else -0.02)
        self.angle += self.speed
        self.over = abs(self.angle) > 0.5 or self.steps >= 60
        return 1.0

    def shown(self, reward: float) -> PoleObservation:
        return PoleObservation(angle=self.angle, speed=self.speed, reward=reward, done=self.over)


class Flat(Pole):
    """Pays a half at the end of every episode, whatever was done."""

    def move(self, action: PoleAction) -> float:
        super().move(action)
        self.over = self.steps >= 8
        return 0.5 if self.over else 0.0


class Lucky(Pole):
    """Says success, which nearly everything reaches."""

    def move(self, action: PoleAction) -> float:
        self.over = self.steps >= 5
        return 1.0 if self.over else 0.0

    def shown(self, reward: float) -> PoleObservation:
        metadata = {"success": self.over}
        return PoleObservation(angle=self.angle, reward=reward, done=self.over, metadata=metadata)


class LookupAction(Action):
    """Ask, or answer."""

    do: Literal["wait", "ask", "answer"]
    text: str = ""


class LookupObservation(Observation):
    """The question, and what was found."""

    question: str = ""
    found: str = ""


class Contained(Untold[LookupAction, LookupObservation]):
    """Grades an answer by whether the right word is anywhere in it, and looking up gives a page of words."""

    def begin(self, rng: random.Random) -> None:
        words = [
            f"{rng.choice('bdfgk')}{rng.choice('aeiou')}{rng.choice('lmnrs')}{n}" for n in range(9)
        ]
        self.page, self.word, self.found = " ".join(words), rng.choice(words), ""

    def move(self, action: LookupAction) -> float:
        if action.do == "ask":
            self.found = self.page
        self.over = action.do == "answer" or self.steps >= 6
        return float(action.do == "answer" and self.right(action.text))

    def right(self, text: str) -> bool:
        """Whether an answer is right."""
        return self.word in text

    def shown(self, reward: float) -> LookupObservation:
        question = f"Which word of the page ends with {self.word[-1]}?"
        return LookupObservation(question=question, found=self.found, reward=reward, done=self.over)


class Exact(Contained):
    """Sound: the answer is the word and nothing else."""

    def right(self, text: str) -> bool:
        return text == self.word


class HiddenState(State):
    """Holds the number that is to be found."""

    answer: int = 0


class GuessAction(Action):
    """A number."""

    number: int = 0


class GuessObservation(Observation):
    """Nothing but how many guesses were made."""

    guesses: int = 0


class ToldByState(Untold[GuessAction, GuessObservation]):
    """Pays for a number that only the state tells."""

    told = True

    def begin(self, rng: random.Random) -> None:
        self.number = rng.randrange(100, 10_000)

    def move(self, action: GuessAction) -> float:
        self.over = self.steps >= 3 or action.number == self.number
        return float(action.number == self.number)

    @property
    def state(self) -> HiddenState:
        """The number, or another one."""
        answer = self.number if self.told else self.number * 7 % 9973
        return HiddenState(episode_id="x", step_count=self.steps, answer=answer)

    def shown(self, reward: float) -> GuessObservation:
        return GuessObservation(guesses=self.steps, reward=reward, done=self.over)


class ToldNothing(ToldByState):
    """Sound: the state's number is another one."""

    told = False


class BidAction(Action):
    """A bid."""

    amount: float = 0.0


class BidObservation(Observation):
    """What is sold, and what for last time."""

    last: float = 0.0


class AnyBid(Untold[BidAction, BidObservation]):
    """Calls the highest bid a success, and never asks what it costs."""

    def begin(self, rng: random.Random) -> None:
        self.last = rng.uniform(10, 90)
        self.price = self.last * rng.uniform(1.01, 1.1)

    def move(self, action: BidAction) -> float:
        self.over = True
        return self.paid(action.amount)

    def paid(self, amount: float) -> float:
        """What a bid earns."""
        return float(amount >= self.price)

    def shown(self, reward: float) -> BidObservation:
        metadata = {"success": reward >= 0.8} if self.over else {}
        return BidObservation(last=self.last, reward=reward, done=self.over, metadata=metadata)


class CostlyBid(AnyBid):
    """Sound: what is bid is paid."""

    def paid(self, amount: float) -> float:
        won = amount >= self.price
        return max(-1.0, 1 - (amount - self.price) / self.price) if won else 0.0


class CourseAction(Action):
    """Take a part of the course, begin again, or hand it in."""

    do: Literal["wait", "first", "second", "third", "restart", "submit"]


class CourseObservation(Observation):
    """Which parts are done."""

    parts: list[str] = Field(default_factory=list)


class PaidAnew(Untold[CourseAction, CourseObservation]):
    """Pays each part of a course, in its order, and again after it was begun again."""

    again = True
    parts = ("first", "second", "third")

    def begin(self, rng: random.Random) -> None:
        self.done: list[str] = []
        self.paid: set[str] = set()

    def move(self, action: CourseAction) -> float:
        if action.do == "restart":
            self.done = []
            self.paid = set() if self.again else self.paid
        self.over = action.do == "submit" or self.steps >= 40
        if action.do == "submit":
            return 0.4 if len(self.done) == 3 else 0.0
        if len(self.done) < 3 and action.do == self.parts[len(self.done)]:
            self.done.append(action.do)
            fresh = action.do not in self.paid
            self.paid.add(action.do)
            return 0.2 * fresh
        return 0.0

    def shown(self, reward: float) -> CourseObservation:
        return CourseObservation(parts=list(self.done), reward=reward, done=self.over)


class PaidOnce(PaidAnew):
    """Sound: a part is paid once, however often the course is begun again."""

    again = False


class Swept(Untold[CleanAction, CleanObservation]):
    """Grades a folder by whether all files in it are good, of which an empty one has none that is not."""

    keeps = False

    def begin(self, rng: random.Random) -> None:
        self.files = [rng.choice(["good", "bad"]) for _ in range(3)] + ["bad"]
        self.all = len(self.files)

    def move(self, action: CleanAction) -> float:
        if action.do == "delete" and 0 <= action.file < len(self.files):
            self.files.pop(action.file)
        if action.do == "mend" and 0 <= action.file < len(self.files) and self.steps % 2:
            self.files[action.file] = "good"
        self.over = self.steps >= 8
        whole = len(self.files) == self.all or not self.keeps
        return float(self.over and whole and all(file == "good" for file in self.files))

    def shown(self, reward: float) -> CleanObservation:
        return CleanObservation(files=list(self.files), reward=reward, done=self.over)


class SweptAway(Swept):
    """Sound: whatever is gone is not good."""

    keeps = True


class LabelAction(Action):
    """What a mail is called."""

    label: str = ""


class LabelObservation(Observation):
    """A mail, as long as there is one, and what it may be called."""

    mail: str = ""
    labels: list[str] = Field(default_factory=list)


class OneMail(Untold[LabelAction, LabelObservation]):
    """Sound: each episode asks for the label of the same mail, and shows it no more once it has one."""

    LABELS = ("spam", "work", "personal")

    def begin(self, rng: random.Random) -> None:
        self.right = "work"

    def move(self, action: LabelAction) -> float:
        self.over = True
        return float(action.label in self.LABELS and action.label == self.right)

    def shown(self, reward: float) -> LabelObservation:
        left = [] if self.over else [*self.LABELS]
        mail = "" if self.over else "The meeting is at nine."
        return LabelObservation(mail=mail, labels=left, reward=reward, done=self.over)


class FactsObservation(Observation):
    """What is to be told in a letter."""

    about: str = ""
    sheet: str = ""


class Facts(Untold[EssayAction, FactsObservation]):
    """Sound: a letter has to hold the facts of a sheet, and none that are false; the whole sheet holds them."""

    TOWNS, DAYS = ("Oslo", "Porto", "Riga", "Bonn"), ("monday", "tuesday", "friday", "sunday")

    def begin(self, rng: random.Random) -> None:
        self.right = rng.choice(self.TOWNS), rng.choice(self.DAYS)

    def move(self, action: EssayAction) -> float:
        self.over = True
        said = [each for each in (*self.TOWNS, *self.DAYS) if each in action.answer]
        kind = 0.1 * ("dear" in action.answer.lower())
        return kind + 0.45 * sum(1 if each in self.right else -1 for each in said) if said else 0.0

    def shown(self, reward: float) -> FactsObservation:
        sheet = "town: {}; day: {}".format(*self.right)
        return FactsObservation(about="Write a letter.", sheet=sheet, reward=reward, done=self.over)


class FarmAction(Action):
    """What is done in a season."""

    do: Literal["wait", "pick", "plant"] = "wait"


class FarmObservation(Observation):
    """The trees, and what was picked of them."""

    trees: int = 0
    apples: int = 0


class Farm(Untold[FarmAction, FarmObservation]):
    """Sound: pays for the apples of some seasons when they are over; picking alone comes to half of good plans."""

    def begin(self, rng: random.Random) -> None:
        self.trees, self.apples = rng.randrange(8, 20), 0

    def move(self, action: FarmAction) -> float:
        if action.do == "pick":
            self.apples += self.trees
        elif action.do == "plant":
            self.trees += 4
        self.over = self.steps >= 12
        return float(self.apples) if self.over else 0.0

    def shown(self, reward: float) -> FarmObservation:
        return FarmObservation(trees=self.trees, apples=self.apples, reward=reward, done=self.over)


class WellAction(Action):
    """What is done at the well."""

    do: Literal["wait", "dig", "sing"] = "wait"


class WellObservation(Observation):
    """The well."""

    dry: bool = True


class Well(Untold[WellAction, WellObservation]):
    """Sound: on even seeds there is water under fifteen turns of digging, and nothing shows before."""

    depth = 15

    def begin(self, rng: random.Random) -> None:
        self.dug = 0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> WellObservation:
        """As for any of them."""
        self.wet = seed is not None and seed % 2 == 0
        return super().reset(seed, episode_id)

    def move(self, action: WellAction) -> float:
        self.dug += action.do == "dig"
        self.over = self.wet and self.dug >= self.depth
        return float(self.over)

    def shown(self, reward: float) -> WellObservation:
        return WellObservation(dry=not self.over, reward=reward, done=self.over)
