"""A 25-metre dish, two drives, some wind, and a list of sources to record."""

import math
import random
import uuid
from typing import Any, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import Axis, DishAction, DishObservation, DishState, Source
except ImportError:
    from models import Axis, DishAction, DishObservation, DishState, Source

SOURCES = 3
TICKS = 60
BEAM = 0.8  # degrees within which the receiver has the source
DWELL = 3  # ticks on source that make a recording
TORQUE = 3.0  # degrees per tick² at full torque
TOP_RATE = 10.0
FRICTION = 0.05
GUST = 0.05
AZIMUTH = (0.0, 360.0)  # the cables end here
ELEVATION = (5.0, 88.0)

SLEW_SHARE = 0.7  # of what a source is worth, for getting there
RECORD_SHARE = 0.3  # and for the recording


class Drive:
    """One axis of the mount: torque in, angle out, a buffer at either end."""

    def __init__(self, angle: float, low: float, high: float) -> None:
        self.angle = angle
        self.rate = 0.0
        self._low, self._high = low, high

    def tick(self, torque: float, gust: float) -> None:
        torque = max(-1.0, min(1.0, torque))
        self.rate = self.rate * (1 - FRICTION) + TORQUE * torque + gust
        self.rate = max(-TOP_RATE, min(TOP_RATE, self.rate))
        self.angle += self.rate
        if not self._low <= self.angle <= self._high:
            self.angle = max(self._low, min(self._high, self.angle))
            self.rate = 0.0

    def read(self) -> Axis:
        return Axis(angle=round(self.angle, 3), rate=round(self.rate, 3))


class DishEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._rng = random.Random()
        self._azimuth = Drive(180.0, *AZIMUTH)
        self._elevation = Drive(45.0, *ELEVATION)
        self._sources: List[Source] = []
        self._recorded = 0
        self._tick = 0
        self._on_source = 0
        self._off = 0.0
        self._slew = 1.0
        self._done = True
        self._state = DishState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> DishObservation:
        self._rng = rng = random.Random(seed)
        azimuth, elevation = rng.uniform(90, 270), rng.uniform(30, 60)
        self._azimuth = Drive(azimuth, *AZIMUTH)
        self._elevation = Drive(elevation, *ELEVATION)
        self._sources = []
        for _ in range(SOURCES):
            near = True
            while near:
                source = Source(
                    azimuth=round(azimuth + rng.uniform(-60, 60), 2),
                    elevation=round(rng.uniform(20, 70), 2),
                )
                near = (
                    abs(source.azimuth - azimuth) < 30
                    or not 15 <= source.azimuth <= 345
                )
            self._sources.append(source)
            azimuth = source.azimuth
        self._recorded = 0
        self._tick = 0
        self._done = False
        self._aim()
        self._state = DishState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("Brakes are off. First source on the list.")

    def step(
        self,
        action: DishAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> DishObservation:
        if self._done:
            return self._look("The session is over.")
        self._state.step_count += 1
        self._tick += 1
        gusts = self._rng.gauss(0, GUST), self._rng.gauss(0, GUST)
        self._azimuth.tick(action.azimuth, gusts[0])
        self._elevation.tick(action.elevation, gusts[1])

        before, self._off = self._off, self._distance()
        reward = SLEW_SHARE * self._closing(before, self._off)
        message = "Slewing."
        if self._off <= BEAM:
            self._on_source += 1
            message = "On source."
        else:
            self._on_source = 0
        if self._on_source == DWELL:
            reward += RECORD_SHARE
            self._recorded += 1
            message = "Recorded."
            if self._recorded < SOURCES:
                self._aim()
                message += " Next source."
        self._done = self._recorded == SOURCES or self._tick >= TICKS
        if self._done:
            message += " The session is over."
        return self._look(message, reward=reward / SOURCES)

    def _closing(self, before: float, after: float) -> float:
        """The part of the way to the source that this tick has covered."""
        return max(0.0, before - after) / self._slew

    def _distance(self) -> float:
        source = self._sources[min(self._recorded, SOURCES - 1)]
        return math.hypot(
            source.azimuth - self._azimuth.angle,
            source.elevation - self._elevation.angle,
        )

    def _aim(self) -> None:
        """Takes up the next source: the way to it is what this slew is."""
        self._on_source = 0
        self._off = self._slew = self._distance()

    def _look(self, message: str, reward: float = 0.0) -> DishObservation:
        self._state.tick = self._tick
        self._state.recorded = self._recorded
        return DishObservation(
            message=message,
            tick=self._tick,
            ticks_left=TICKS - self._tick,
            azimuth=self._azimuth.read(),
            elevation=self._elevation.read(),
            source=None if self._done else self._sources[self._recorded],
            off=round(self._off, 3),
            on_source=self._on_source,
            sources_left=SOURCES - self._recorded,
            reward=round(reward, 6),
            done=self._done,
        )

    @property
    def state(self) -> DishState:
        return self._state
