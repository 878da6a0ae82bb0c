"""One container on its way to the berth."""

import math
import random
import uuid
from typing import Any, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import Crane, GantryAction, GantryObservation, GantryState
    from .plant import advance, load_at
except ImportError:
    from models import Crane, GantryAction, GantryObservation, GantryState
    from server.plant import advance, load_at

TICK = 0.5  # s
TICKS = 60
LANDING_BONUS = 0.5

# When the container can be set down.
NEAR = 0.25  # m
STILL_TROLLEY = 0.12  # m/s
STILL_SWAY = 0.03  # rad
STILL_RATE = 0.03  # rad/s


class GantryEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._crane = Crane()
        self._rope = 8.0
        self._berth = 0.0
        self._way = 1.0  # from the start to the berth, m
        self._left = 0.0  # from the load to the berth, m
        self._tick = 0
        self._landed = False
        self._done = True
        self._state = GantryState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> GantryObservation:
        rng = random.Random(seed)
        self._rope = round(rng.uniform(6.0, 10.0), 2)
        self._crane = Crane(
            trolley=round(rng.uniform(6.0, 10.0), 2),
            sway=round(rng.uniform(-0.04, 0.04), 3),
        )
        self._berth = round(self._crane.trolley + rng.uniform(20.0, 28.0), 2)
        self._way = self._left = self._distance()
        self._tick = 0
        self._landed = False
        self._done = False
        self._state = GantryState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("The container hangs free. Bring it to the berth.")

    def step(
        self,
        action: GantryAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> GantryObservation:
        if self._done:
            return self._look("The move is over.")
        self._state.step_count += 1
        self._tick += 1
        drive = action.drive if math.isfinite(action.drive) else 0.0
        before = self._crane.trolley
        self._crane = advance(self._crane, self._rope, max(-1.0, min(1.0, drive)), TICK)
        self._state.travelled += abs(self._crane.trolley - before)
        self._landed = self._can_land()
        self._done = self._landed or self._tick == TICKS
        reward = self._reward()
        if self._landed:
            return self._look("Set down. The twistlocks are closed.", reward)
        if self._done:
            return self._look("Time is up; the next ship's crew takes over.", reward)
        return self._look("", reward)

    def _distance(self) -> float:
        return abs(self._berth - load_at(self._crane, self._rope))

    def _can_land(self) -> bool:
        return (
            self._distance() <= NEAR
            and abs(self._crane.speed) <= STILL_TROLLEY
            and abs(self._crane.sway) <= STILL_SWAY
            and abs(self._crane.sway_rate) <= STILL_RATE
        )

    def _reward(self) -> float:
        """The way made towards the berth in this tick, and the bonus for landing."""
        left = self._distance()
        progress = max(0.0, self._left - left) / self._way
        self._left = left
        return round(progress + (LANDING_BONUS if self._landed else 0.0), 5)

    def _look(self, message: str, reward: float = 0.0) -> GantryObservation:
        self._state.landed = self._landed
        return GantryObservation(
            message=message,
            crane=self._crane.model_copy(),
            rope=self._rope,
            load=round(load_at(self._crane, self._rope), 4),
            berth=self._berth,
            seconds_left=0.0 if self._done else (TICKS - self._tick) * TICK,
            landed=self._landed,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> GantryState:
        return self._state
