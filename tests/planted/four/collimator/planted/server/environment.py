"""Beam collimation bench: bring a laser back onto its fibre with three adjusters."""

import random
from typing import Any, Dict, Optional
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import CollimatorAction, CollimatorObservation, CollimatorState
except ImportError:
    from models import CollimatorAction, CollimatorObservation, CollimatorState

KNOBS = ("pitch", "yaw", "focus")
MAX_TURNS = 30
DIAL = 40
ALIGNED_BONUS = 0.5


class CollimatorEnvironment(Environment):
    """Each episode misaligns the mount; the agent walks the beam back by watching the loss."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = CollimatorState()
        self._best: Dict[str, int] = {}
        self._knobs: Dict[str, int] = {}
        self._gain: Dict[str, float] = {}
        self._done = True
        self._start_loss = 1.0
        self._last_loss = 1.0

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> CollimatorObservation:
        rng = random.Random(seed)
        self._knobs = {k: rng.randint(-12, 12) for k in KNOBS}
        self._best = {k: self._knobs[k] + rng.choice((-1, 1)) * rng.randint(5, 14) for k in KNOBS}
        self._gain = {k: rng.choice((0.8, 1.0, 1.25)) for k in KNOBS}
        self._start_loss = self._last_loss = self._loss()
        self._done = False
        self._state = CollimatorState(episode_id=episode_id or str(uuid4()), step_count=0, turns_left=MAX_TURNS)
        return self._observe("Beam found on the detector. Minimise the coupling loss.", None)

    def step(self, action: CollimatorAction, timeout_s: Optional[float] = None, **kwargs: Any) -> CollimatorObservation:
        if self._done:
            return self._observe("The bench slot is over. Reset to start again.", 0.0)
        self._state.step_count += 1
        self._state.turns_left -= 1

        turned = max(-DIAL, min(DIAL, self._knobs[action.knob] + action.clicks))
        self._knobs[action.knob] = turned
        loss = self._loss()
        reward = self._progress_reward(loss)
        self._last_loss = loss

        message = f"{action.knob} now at {turned:+d}."
        if loss < 1e-9:
            self._done = True
            self._state.aligned = True
            reward += ALIGNED_BONUS
            message += " Beam centred, mount locked."
        elif self._state.turns_left <= 0:
            self._done = True
            message += " Bench slot over."
        return self._observe(message, round(reward, 6))

    def _loss(self) -> float:
        """Coupling loss: every click off the optimum costs that axis' sensitivity."""
        return sum(self._gain[k] * abs(self._knobs[k] - self._best[k]) for k in KNOBS)

    def _progress_reward(self, loss: float) -> float:
        """Loss recovered by this turn, as a share of the initial loss."""
        gained = (self._last_loss - loss) / self._start_loss
        return max(0.0, gained)

    def _observe(self, message: str, reward: Optional[float]) -> CollimatorObservation:
        return CollimatorObservation(
            message=message,
            knobs=dict(self._knobs),
            loss_db=round(self._last_loss, 4),
            turns_left=self._state.turns_left,
            done=self._done,
            reward=reward,
            metadata={"success": self._state.aligned},
        )

    @property
    def state(self) -> CollimatorState:
        return self._state
