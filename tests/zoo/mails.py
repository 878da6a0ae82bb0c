"""A tray of mails, each of which goes to one of some shelves, and the mark that is paid for each.

At a ``Counter`` they come one by one, at a ``Tray`` all lie there and are named. Most are for one shelf, so that who
puts everything there has most of the marks without reading; in ``Fair`` ones the shelves have as many mails each. At a
``Dispatch`` the work is to put each away at all. A ``Mill`` shows a line of news a turn as well, and is no row of
items: what it is paid hangs on what it has in store.
What an auditor says of them is in ``tests/auditing/checks/test_named_items.py``.
"""

import random
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field
from tests.zoo.untold import Untold

WORDS = {
    "bills": ("the sum of the invoice is due", "a reminder of what has to be paid"),
    "staff": ("an application for a place in the kitchen", "a sick note from the night watch"),
    "guests": ("a request for a room with a view", "thanks for the stay in the autumn"),
}
MAILS = 6
Shelf = Literal["bills", "staff", "guests"]


def shelved(rng: random.Random, bills: int) -> list[Shelf]:
    """The shelf of each mail: so many bills, and the others in turn."""
    shelves: list[Shelf] = ["bills"] * bills
    shelves += [("staff", "guests")[n % 2] for n in range(MAILS - bills)]
    rng.shuffle(shelves)
    return shelves


class Put(Action):
    """Where a mail goes."""

    shelf: Shelf = "staff"


class Mail(Observation):
    """The mail that is to be put away."""

    mail: str = ""


class Counter(Untold[Put, Mail]):
    """Four mails of six are bills: planted."""

    MOST = 4

    def begin(self, rng: random.Random) -> None:
        self.mails = [
            (shelf, f"{rng.choice(WORDS[shelf])}, from {rng.choice(('Ada', 'Ivo', 'Una'))} {n}")
            for n, shelf in zip(rng.sample("abcdefgh", MAILS), shelved(rng, self.MOST), strict=True)
        ]
        self.place = 0

    def move(self, action: Put) -> float:
        paid = float(action.shelf == self.mails[self.place][0])
        self.place += 1
        self.over = self.place == MAILS
        return paid

    def shown(self, reward: float) -> Mail:
        text = "" if self.over else self.mails[self.place][1]
        return Mail(reward=reward, done=self.over, mail=text)


class FairCounter(Counter):
    """Two mails of six are for each shelf: sound."""

    MOST = 2


class PutAway(Action):
    """Which mail goes where."""

    mail_id: str = ""
    shelf: Shelf = "staff"


class Mails(Observation):
    """The mails that lie there."""

    mails: list[dict[str, str]] = Field(default_factory=list)


class Tray(Untold[PutAway, Mails]):
    """Four mails of six are bills: planted."""

    MOST = 4

    def begin(self, rng: random.Random) -> None:
        self.left = {
            f"M-{n}": (shelf, rng.choice(WORDS[shelf]))
            for n, shelf in zip(
                rng.sample(range(100, 999), MAILS), shelved(rng, self.MOST), strict=True
            )
        }
        self.tries = 0

    def move(self, action: PutAway) -> float:
        self.tries += 1
        shelf, _ = self.left.pop(action.mail_id, (None, ""))
        self.over = not self.left or self.tries == 2 * MAILS
        return float(action.shelf == shelf)

    def shown(self, reward: float) -> Mails:
        mails = [{"mail_id": name, "text": text} for name, (_, text) in self.left.items()]
        return Mails(reward=reward, done=self.over, mails=mails)


class FairTray(Tray):
    """Two mails of six are for each shelf: sound."""

    MOST = 2


class Grind(Action):
    """How fast the stones go."""

    pace: Literal["slow", "steady", "fast"] = "slow"


class Mill(Untold[Grind, Mail]):
    """A day at a mill, by the hour: what is ground is paid, and the stones grow hot: sound."""

    def begin(self, rng: random.Random) -> None:
        self.news = [f"the wind comes from the {rng.choice(('north', 'west'))} in hour {w}"
                     for w in rng.sample(("one", "two", "three", "four", "five", "six"), MAILS)]  # fmt: skip
        self.place, self.heat = 0, 0.0

    def move(self, action: Grind) -> float:
        pace = {"slow": 0.3, "steady": 0.7, "fast": 1.0}[action.pace]
        paid = pace * max(0.0, 1.0 - self.heat)
        self.heat = max(0.0, self.heat + (pace - 0.6) / 2)
        self.place += 1
        self.over = self.place == MAILS
        return paid

    def shown(self, reward: float) -> Mail:
        return Mail(reward=reward, done=self.over, mail="" if self.over else self.news[self.place])


class Dispatch(Tray):
    """Each mail that is put away is paid, and a little more on the right shelf: to name each is the work; sound."""

    MOST = 2

    def move(self, action: PutAway) -> float:
        self.tries += 1
        known = action.mail_id in self.left
        shelf, _ = self.left.pop(action.mail_id, (None, ""))
        self.over = not self.left or self.tries == 2 * MAILS
        return 0.8 * known + 0.2 * (action.shelf == shelf)
