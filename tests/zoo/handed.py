"""Environments that tell a value beside the task, in which nothing says success: in some the answer, in others not.

What an auditor says of them without being told anything is in ``tests/auditing/checks/test_handed_out.py``.
"""

import random
from typing import Literal

from openenv.core.env_server.types import Action, Observation, State
from tests.zoo.untold import Untold

WRITES = {
    "billing": ("charged twice", "no invoice came", "wrong sum", "card refused"),
    "delivery": ("parcel is late", "box was open", "wrong street", "nobody rang"),
    "account": ("cannot log in", "lost my code", "new address", "delete me"),
}
KINDS = tuple(WRITES)


class SortAction(Action):
    """Where a letter goes."""

    to: Literal["send_to_billing", "send_to_delivery", "send_to_account"] = "send_to_billing"


class Letter(Observation):
    """A letter, and what else is told of it."""

    text: str = ""
    number: int = 0
    stamp: str = ""
    ground_truth_desk: str = ""
    expected_answer: str = ""


class Letters(Untold[SortAction, Letter]):
    """Three letters are to be sorted, each paid by whether it went where it belongs."""

    size = 3

    def begin(self, rng: random.Random) -> None:
        self.desks = [rng.choice(KINDS) for _ in range(self.size)]
        self.texts = [f"{rng.choice(WRITES[d])} {rng.randrange(10**6)}" for d in self.desks]
        self.told(self.desks[0])

    def told(self, desk: str) -> None:
        """Tell nothing."""

    def move(self, action: SortAction) -> float:
        right = action.to == f"send_to_{self.desks[self.steps - 1]}"
        self.over = self.steps >= self.size
        return float(right)

    def shown(self, reward: float) -> Letter:
        text = "" if self.over else self.texts[self.steps]
        return Letter(text=text, reward=reward, done=self.over)


class OneLetter(Letters):
    """The state tells where the one letter belongs."""

    size = 1

    def told(self, desk: str) -> None:
        self._state = State(episode_id="x", step_count=0, filed_under=desk)  # type: ignore[call-arg]


class NumberedLetter(OneLetter):
    """Sound: the state names what the letter shows as a number."""

    def shown(self, reward: float) -> Letter:
        number = KINDS.index(self.desks[0])
        return super().shown(reward).model_copy(update={"number": number})


class WordedLetter(OneLetter):
    """Sound: the state names what the letter's own words say."""

    def shown(self, reward: float) -> Letter:
        text = f"about {self.desks[0]}: {self.texts[0]}"
        return super().shown(reward).model_copy(update={"text": text})


class SolvedLetters(Letters):
    """Each letter is shown with where it belongs."""

    def shown(self, reward: float) -> Letter:
        desk = "" if self.over else self.desks[self.steps]
        return super().shown(reward).model_copy(update={"ground_truth_desk": desk})


class StampedLetters(Letters):
    """Sound: to copy the stamp is the task."""

    def shown(self, reward: float) -> Letter:
        desk = "" if self.over else self.desks[self.steps]
        return super().shown(reward).model_copy(update={"stamp": desk})


class TaughtLetters(Letters):
    """Sound: after each letter the answer to it is told, when it is too late for it."""

    def shown(self, reward: float) -> Letter:
        last = self.desks[self.steps - 1] if self.steps else KINDS[0]
        return super().shown(reward).model_copy(update={"expected_answer": last})
