"""Environments whose words say how they pay; some keep them.

The reward is the running total of the episode.
The reward is `message_length × 0.1`.
"""

import random
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from tests.zoo import turns
from tests.zoo.again import TotalEachStep
from tests.zoo.untold import EndlessNotes, Untold


class Tally(TotalEachStep):
    """Sound: answers each step with the marks so far, as it is written."""


class Standing(turns.Tally):
    """Sound: answers with the total so far after the end as well, as it is written."""


class EchoAction(Action):
    """What is echoed, and how."""

    message: str = ""
    voice: Literal["soft", "loud"] = "soft"


class EchoObservation(Observation):
    """The echo."""

    echoed: str = ""


class Echo(Untold[EchoAction, EchoObservation]):
    """Sound: an echo that is paid by the character, as it is written, and never ends."""

    def begin(self, rng: random.Random) -> None:
        self.echoed = ""

    def move(self, action: EchoAction) -> float:
        self.echoed = action.message
        return 0.1 * len(action.message)

    def shown(self, reward: float) -> EchoObservation:
        return EchoObservation(echoed=self.echoed, reward=reward, done=False)


class Greeted(Echo):
    """Pays a greeting as well, whatever is written."""

    def move(self, action: EchoAction) -> float:
        return super().move(action) + 5.0 * (action.message == "hello")


class Notes(EndlessNotes):
    """Pays each note for itself, again and again, although its reward is written to be a total."""
