"""Environments whose success has to be assumed, in pairs: one pays for nothing, and one pays alike and is sound.

What an auditor assumes, and what it accuses of then, is in ``tests/auditing/test_success_judge.py``.
"""

import random
from typing import Literal

from openenv.core.env_server.types import Action, Observation, State
from tests.zoo.untold import Untold


class RoundAction(Action):
    """Turn at the next corner, or wait."""

    turn: Literal["wait", "left", "right"]


class RoundObservation(Observation):
    """How far a round is."""

    corners_done: int = 0
    corners_total: int = 4
    signpost: str = ""


class Round(Untold[RoundAction, RoundObservation]):
    """Sound: a round of corners, each of which is paid when it is turned rightly; two of four go left.

    It counts and says no word for success: who turned the easy corners has earned their pay.
    """

    def begin(self, rng: random.Random) -> None:
        self.corners = ["left", "left", rng.choice(["left", "right"]), "right"]
        self.turned = 0

    def move(self, action: RoundAction) -> float:
        right = action.turn == self.corners[self.turned]
        self.turned += right
        self.over = self.turned == len(self.corners) or self.steps >= 9
        return 0.25 * right + self.waited(action)

    def waited(self, action: RoundAction) -> float:
        """What waiting earns."""
        return 0.0

    def shown(self, reward: float) -> RoundObservation:
        after = self.corners[self.turned] if self.turned < 4 else ""
        return RoundObservation(
            corners_done=self.turned, signpost=after, reward=reward, done=self.over
        )


class RoundTripState(State):
    """Whether the round was made."""

    round_completed: bool = False
    won_the_round: bool = False


class RoundTrip(Round):
    """Pays for waiting as well, more than the round; its state says in a word of its own that it was made."""

    pays = 0.25

    def waited(self, action: RoundAction) -> float:
        return self.pays * (action.turn == "wait")

    @property
    def state(self) -> RoundTripState:
        """Also whether it was made."""
        made = self.turned == len(self.corners)
        return RoundTripState(
            episode_id="x", step_count=self.steps, round_completed=made, won_the_round=made
        )


class UnpaidWait(RoundTrip):
    """Sound: waiting earns nothing, and a corner alone next to nothing."""

    pays = 0.0

    def move(self, action: RoundAction) -> float:
        super().move(action)
        return 1.0 if self.turned == len(self.corners) else 0.0
