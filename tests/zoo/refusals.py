"""Environments that refuse nonsense in words: some pay for it, some pay for time or for nothing but the task.

What an auditor says of them without being told anything is in ``tests/auditing/checks/test_refused.py``.
"""

import random
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError
from tests.zoo.untold import Untold

SHELVES = ("attic", "cellar", "garden", "kitchen", "library", "office")
LAST = 16


class LookAction(Action):
    """Look at a place, hand in what was found, or wait."""

    do: Literal["wait", "look", "hand_in"] = "wait"
    place: str = Field(default="", description="A place")


class House(Observation):
    """What is said of the last action."""

    places: tuple[str, ...] = ()
    said: str = ""


class Paying(Untold[LookAction, House]):
    """One place holds what is sought; no step is paid less than a little, a refused one neither."""

    least = 0.04
    waiting = 0.0

    def begin(self, rng: random.Random) -> None:
        self.names = [f"{rng.choice(SHELVES)} {n}" for n in rng.sample(range(90), 3)]
        self.held, self.said = rng.choice(self.names), "Find it."

    def move(self, action: LookAction) -> float:
        self.over = self.steps >= LAST
        if action.do == "wait":
            self.said = "Time goes by."
            return self.waiting
        if action.place not in self.names:
            self.said = f"Unknown place: {action.place!r}"
            return self.least
        found = action.place == self.held
        if action.do == "look":
            self.said = "It is here." if found else "It is not here."
            return 0.05
        self.over, self.said = True, "Handed in."
        return 0.9 if found else 0.0

    def shown(self, reward: float) -> House:
        return House(places=tuple(self.names), said=self.said, reward=reward, done=self.over)


class Frugal(Paying):
    """What is refused is not paid."""

    least = 0.0


class Token(Paying):
    """What is refused is paid next to nothing."""

    least = 0.005


class Timed(Paying):
    """Time is paid, whatever is done in it."""

    waiting = 0.04


class Enduring(Paying):
    """Each step survived is paid; nonsense is refused and loses earlier."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        self.lives = 8

    def move(self, action: LookAction) -> float:
        if action.do != "look" or action.place not in self.names:
            self.said = "Unknown place."
            self.lives -= 1
        else:
            self.said = "You look."
        self.over = self.steps >= LAST or self.lives < 1
        return 0.1


FORMS = ("address", "claim", "licence", "parking", "pension", "permit", "refund", "school", "tax")


class FormAction(Action):
    """Read what a form asks for, hand one in, or go home."""

    do: Literal["read", "hand_in", "go"] = "read"
    form: str = ""
    entries: dict[str, int] = Field(default_factory=dict)


class Counter(Observation):
    """The forms that are to be handed in, and how the last one was answered."""

    forms: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    status: int | None = None
    error: str | None = None


class AnyFormPaid(Untold[FormAction, Counter]):
    """Planted: each form that is handed in is paid once, also where the counter refuses it for what is missing."""

    size, shows = 7, True

    def begin(self, rng: random.Random) -> None:
        self.forms = rng.sample(FORMS, self.size)
        self.needs: dict[str, tuple[str, ...]] = {
            form: (f"{form[:3]}_{rng.randrange(90)}",) for form in self.forms
        }
        self.needs[rng.choice(self.forms)] = ()
        self.paid: set[str] = set()
        self.asks: tuple[str, ...] = ()
        self.status: int | None = None
        self.error: str | None = None

    def move(self, action: FormAction) -> float:
        self.asks, self.status, self.error = (), None, None
        needs = self.needs.get(action.form, ())
        pay = 0.0
        if action.do == "read":
            self.asks = needs
        elif action.do == "hand_in":
            self.status, self.error = self.answer(action, needs)
            fresh = action.form in self.needs and action.form not in self.paid
            pay = self.worth() / self.size if fresh else 0.0
            self.paid |= {action.form} if pay else set()
        self.over = action.do == "go" or self.steps >= 20 or len(self.paid) == self.size
        return pay

    def answer(self, action: FormAction, needs: tuple[str, ...]) -> tuple[int, str | None]:
        """How a form is answered: a status, and what is wrong."""
        if action.form not in self.needs:
            return 404, "no such form"
        return (422, "missing entry") if set(needs) - action.entries.keys() else (200, None)

    def worth(self) -> float:
        """What share of its pay a form earns."""
        return 1.0

    def shown(self, reward: float) -> Counter:
        status = self.status if self.shows else None
        return Counter(
            forms=tuple(self.forms),
            asks=self.asks,
            status=status,
            error=self.error,
            reward=reward,
            done=self.over,
        )


class AnyFormInWords(AnyFormPaid):
    """The same with no status: from words alone nobody can tell whether a refusal is news of the form."""

    shows = False


class TakenFormPaid(AnyFormPaid):
    """Sound: a form is paid where it is taken."""

    def worth(self) -> float:
        return float(self.error is None)


class TriedFormPaid(AnyFormPaid):
    """Sound: a form that is refused earns a little, and one that is taken far more."""

    def worth(self) -> float:
        return 1.0 if self.error is None else 0.2


class RefusalPaid(AnyFormPaid):
    """Sound: the counter is tested for whether it refuses what lacks an entry."""

    def worth(self) -> float:
        return float(self.error is not None)


class DeadLinks(AnyFormPaid):
    """Sound: each address is to be asked for once, and a dead one, which is news, is answered by 404 or 410."""

    def answer(self, action: FormAction, needs: tuple[str, ...]) -> tuple[int, str | None]:
        if action.form not in self.needs or needs:
            return (410 if needs and len(action.form) % 2 else 404), "not found"
        return 200, None


class MailAction(Action):
    """Answer a letter, or put it away; an answer needs a text."""

    do: Literal["answer", "file"]
    place: str | None = None
    text: str | None = None

    @model_validator(mode="after")
    def has_what_it_needs(self) -> "MailAction":
        """Raise unless an answer has a text, and what is filed a place."""
        if not (self.text if self.do == "answer" else self.place):
            raise PydanticCustomError("needed", "text is needed to answer, place to file")
        return self


class Letter(Observation):
    """A letter."""

    text: str = ""


class Mail(Untold[MailAction, Letter]):
    """Letters of which each asks for one of two things; what does least by the schema is always refused."""

    def begin(self, rng: random.Random) -> None:
        self.letters = rng.choices(("Please write back", "For your files"), k=4)

    def move(self, action: MailAction) -> float:
        asked = "answer" if self.letters.pop().startswith("Please") else "file"
        self.over = not self.letters
        return 0.25 * (action.do == asked)

    def shown(self, reward: float) -> Letter:
        text = "" if self.over else self.letters[-1]
        return Letter(text=text, reward=reward, done=self.over)
