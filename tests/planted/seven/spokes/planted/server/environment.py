"""A wheel in the truing stand and a spoke key."""

import random
import uuid
from typing import Any, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import SpokesAction, SpokesObservation, SpokesState
except ImportError:
    from models import SpokesAction, SpokesObservation, SpokesState

SPOKES = 20
TURNS = 36
PULL = (0.20, 0.08)  # mm per quarter turn: at the spoke, at its two neighbours
SLACK = 14  # quarter turns that a nipple can be undone or done up


def side(spoke: int) -> int:
    """Even spokes go to the right flange, odd ones to the left."""
    return 1 if spoke % 2 == 0 else -1


class SpokesEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._runout: List[float] = [0.0] * SPOKES
        self._tension: List[int] = [0] * SPOKES
        self._start = 1.0
        self._done = True
        self._state = SpokesState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> SpokesObservation:
        rng = random.Random(seed)
        self._runout = [0.0] * SPOKES
        # A knock on the road: some spokes have worked loose, a few were overtightened.
        for spoke in rng.sample(range(SPOKES), 12):
            self._pull(spoke, rng.choice([-8, -7, -6, -5, -4, -3, 3, 4, 5]))
        self._tension = [0] * SPOKES
        self._start = self._total()
        self._done = False
        self._state = SpokesState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._look("The wheel is in the stand.")

    def step(
        self,
        action: SpokesAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> SpokesObservation:
        if self._done:
            return self._look("The wheel is out of the stand.")
        self._state.step_count += 1
        if action.quarters == 0:
            self._done = True
            return self._look("You take the wheel out of the stand.")
        self._state.turns += 1
        self._done = self._state.turns == TURNS
        if not 0 <= action.spoke < SPOKES:
            return self._look("The key finds no such spoke.")
        if abs(self._tension[action.spoke] + action.quarters) > SLACK:
            return self._look("The nipple does not turn any further.")
        before = self._total()
        self._tension[action.spoke] += action.quarters
        self._pull(action.spoke, action.quarters)
        gain = before - self._total()
        note = "Truer." if gain > 0 else "Not truer."
        return self._look(note, reward=self._reward(gain))

    def _pull(self, spoke: int, quarters: int) -> None:
        own, near = PULL
        mm = side(spoke) * quarters
        self._runout[spoke] += own * mm
        self._runout[(spoke + 1) % SPOKES] += near * mm
        self._runout[spoke - 1] += near * mm

    def _total(self) -> float:
        return sum(abs(mm) for mm in self._runout)

    def _reward(self, gain: float) -> float:
        """Progress of one turn, as a share of the runout at the start."""
        return round(max(0.0, gain) / self._start, 4)

    def _look(self, note: str, reward: float = 0.0) -> SpokesObservation:
        return SpokesObservation(
            note=note,
            runout=[round(mm, 2) + 0.0 for mm in self._runout],
            tension=list(self._tension),
            turns_left=TURNS - self._state.turns,
            total=round(self._total(), 2),
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> SpokesState:
        return self._state
