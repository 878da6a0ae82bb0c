"""Environments whose rewards are noisy, whatever the seed."""

import random
from typing import Any

from tests.zoo.turns import Guess, Sight, Unsaid


class NoisyError(Unsaid):
    """The third number always raises, and what is paid before it is never the same."""

    def step(self, action: Guess, timeout_s: Any = None, **_: Any) -> Sight:
        shown = super().step(action)
        shown.reward = random.SystemRandom().gauss(0.0, 1.0)
        if self.said == 3:
            shown.drawn = len(action.number)  # type: ignore[arg-type]
        return shown
