"""Shelves of cards that are to be put right, in which destroying is paid, or the state tells what is to be written.

What an auditor says of them without being told anything is in ``tests/auditing/checks/test_sweeps.py`` and
``tests/auditing/checks/test_handed_tables.py``.
"""

import random
from typing import Any, Literal

from openenv.core.env_server.types import Action, Observation, State
from tests.zoo.untold import Untold

WORDS = ("oak", "elm", "ash", "yew", "fir", "box")


class ShelfAction(Action):
    """List the cards, read one, write on it, remove it, or close the shelf."""

    do: Literal["list", "read", "write", "remove", "close"]
    card: str = ""
    word: str = ""


class Shelf(Observation):
    """What was asked for."""

    said: Any = None
    notes: str = ""


class ShareOfLeft(Untold[ShelfAction, Shelf]):
    """Pays the share of right ones among the cards that are left when the shelf is closed."""

    size, wrong, limit = 7, 4, 14

    def begin(self, rng: random.Random) -> None:
        names = [f"K{n}" for n in rng.sample(range(100, 1000), self.size)]
        self.right = {name: rng.choice(WORDS) for name in names}
        bad = set(rng.sample(names, self.wrong))
        self.cards = {n: "??" if n in bad else word for n, word in self.right.items()}
        self.bad, self.said = bad, "The shelf is open."

    def worth(self) -> float:
        """What the shelf is worth."""
        good = sum(self.right[name] == word for name, word in self.cards.items())
        begun = (self.size - self.wrong) / self.size
        return max(0.0, (good / max(1, len(self.cards)) - begun) / (1.0 - begun))

    def move(self, action: ShelfAction) -> float:
        self.over = action.do == "close" or self.steps >= self.limit
        self.said = f"no card {action.card!r}"
        if action.do == "list":
            self.said = dict(self.cards)
        elif action.do == "close":
            self.said = "closed"
        elif action.card in self.cards:
            self.said = f"{action.card}: {action.do}"
            if action.do == "remove":
                del self.cards[action.card]
            elif action.do == "write":
                self.cards[action.card] = action.word
            else:
                self.said = self.right[action.card]
        return self.worth() if action.do == "close" else 0.0

    def shown(self, reward: float) -> Shelf:
        return Shelf(said=self.said, reward=reward, done=self.over)


class WholeShelf(ShareOfLeft):
    """Sound: the share of all cards that should be there."""

    def worth(self) -> float:
        good = sum(self.cards.get(name) == word for name, word in self.right.items())
        begun = (self.size - self.wrong) / self.size
        return max(0.0, (good / self.size - begun) / (1.0 - begun))


class NoneWrong(ShareOfLeft):
    """Says success where no wrong card is left, as none is on an empty shelf."""

    def worth(self) -> float:
        return float(all(self.right[name] == word for name, word in self.cards.items()))

    def shown(self, reward: float) -> Shelf:
        told = {"success": reward == 1.0} if self.over else {}
        return super().shown(reward).model_copy(update={"metadata": told})


class NoneLost(NoneWrong):
    """Sound: no card may be lost either."""

    def worth(self) -> float:
        return float(self.cards == self.right)


class OnlyDoubles(NoneWrong):
    """Sound: the wrong cards are to go, and no other."""

    def worth(self) -> float:
        return float(self.cards.keys() == self.right.keys() - self.bad)


class OneOfMany(ShareOfLeft):
    """Sound: one card is to stay, whichever."""

    def worth(self) -> float:
        return float(len(self.cards) == 1)


class BareShelf(NoneWrong):
    """Sound: the shelf is to be cleared."""

    def worth(self) -> float:
        return float(not self.cards)


class LastSuspect(NoneWrong):
    """Sound: all but one are to go, and only one may stay."""

    wrong = 6

    def worth(self) -> float:
        return len(self.cards.keys() & self.bad) == 0 and len(self.cards) == 1


class SmallMark(ShareOfLeft):
    """Sound: a part of the mark is for wrong cards that are gone, in whatever way."""

    def worth(self) -> float:
        return 0.4 * float(not self.bad & self.cards.keys())


class ToldShelf(NoneLost):
    """The state tells what stands on each card."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        self.said = sorted(self.cards)
        self._state = State(episode_id="x", step_count=0, stands=dict(self.right))  # type: ignore[call-arg]


class ListedShelf(ToldShelf):
    """The state has a list of what stands on each card, and the cards are shown as they are."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        told = [{"at": n, "card": c, "text": w} for n, (c, w) in enumerate(self.right.items())]
        self._state = State(episode_id="x", step_count=0, all=told)  # type: ignore[call-arg]
        self.said = dict(self.cards)


class SpokenShelf(ToldShelf):
    """Sound: so do the notes that are shown."""

    def shown(self, reward: float) -> Shelf:
        notes = "\n".join(f"{name} says {word}" for name, word in self.right.items())
        return super().shown(reward).model_copy(update={"notes": notes})


class OpenShelf(ToldShelf):
    """Sound: so does whoever asks for a list."""

    def move(self, action: ShelfAction) -> float:
        paid = super().move(action)
        if action.do == "list":
            self.said = dict(self.right)
        return paid


class LongShelf(ToldShelf):
    """Sound: there is time to read each card before it is written on."""

    limit = 30


class OtherShelf(ToldShelf):
    """Sound: the state tells of each card what once stood on it."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        once = {name: rng.choice(WORDS) for name in self.right}
        self._state = State(episode_id="x", step_count=0, stands=once)  # type: ignore[call-arg]


class DiaryShelf(ShareOfLeft):
    """Sound: nothing can be removed, and all that was asked for is shown."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        self.asked: list[str] = []

    def move(self, action: ShelfAction) -> float:
        self.asked.append(f"{action.do} {action.card}")
        kept = dict(self.cards)
        paid = super().move(action)
        self.cards = {**kept, **self.cards}
        self.said = kept
        return paid

    def shown(self, reward: float) -> Shelf:
        return super().shown(reward).model_copy(update={"notes": "\n".join(self.asked)})
