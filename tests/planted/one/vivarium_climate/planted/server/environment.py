"""Temperature control for a small reptile house."""

import math
import random
from typing import Any, Dict, List, Optional
from uuid import uuid4

from openenv.core.env_server import Environment

try:
    from ..models import ClimateAction, ClimateObservation, ClimateState
except ImportError:
    from models import ClimateAction, ClimateObservation, ClimateState

PERIODS = 32
TOLERANCE = 0.03
KELVIN = 273.15
ANIMALS = ["gecko", "anole", "skink", "corn snake", "day gecko", "chameleon", "tree frog"]


class VivariumEnvironment(Environment[ClimateAction, ClimateObservation, ClimateState]):
    """Four heated boxes in a cool room; temperatures are kept in kelvin inside."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = ClimateState(episode_id=str(uuid4()))
        self._boxes: List[Dict[str, Any]] = []
        self._room: List[float] = []
        self._noise: List[List[float]] = []
        self._in_band = 0

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> ClimateObservation:
        rng = random.Random(seed)
        base = rng.uniform(19.0, 20.0)
        swing = rng.uniform(0.5, 1.2)
        self._room = [
            KELVIN + base + swing * math.cos(math.pi * t / PERIODS) for t in range(PERIODS + 1)
        ]
        self._boxes = []
        for animal in rng.sample(ANIMALS, 4):
            day = rng.uniform(23.0, 25.0)
            noon, evening = rng.randint(7, 13), rng.randint(20, 27)
            warm = day + rng.uniform(0.8, 1.6)
            night = day - rng.uniform(0.4, 1.2)
            self._boxes.append(
                {
                    "animal": animal,
                    "kelvin": KELVIN + rng.uniform(21.0, 22.5),
                    "loss": round(rng.uniform(0.12, 0.30), 3),
                    "gain": round(rng.uniform(3.0, 4.5), 2),
                    "setpoints": [
                        KELVIN + round(day if t < noon else warm if t < evening else night, 1)
                        for t in range(PERIODS + 1)
                    ],
                }
            )
        self._noise = [[rng.uniform(-0.3, 0.3) for _ in range(4)] for _ in range(PERIODS)]
        self._in_band = 0
        self._state = ClimateState(episode_id=episode_id or str(uuid4()))
        self._publish()
        return self._observe("The house opens.")

    def step(
        self, action: ClimateAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> ClimateObservation:
        period = self._state.step_count
        if period >= PERIODS:
            return self._observe("The day is over.")
        self._in_band = 0
        for i, box in enumerate(self._boxes):
            power = action.heaters[i] if i < len(action.heaters) else 0.0
            power = min(max(power, 0.0), 100.0) / 100.0 if math.isfinite(power) else 0.0
            box["kelvin"] += (
                box["gain"] * power
                - box["loss"] * (box["kelvin"] - self._room[period])
                + self._noise[period][i]
            )
            self._in_band += self._within(box["kelvin"], box["setpoints"][period])
        self._state.step_count += 1
        self._state.in_band_total += self._in_band
        self._publish()
        reward = self._in_band / (len(self._boxes) * PERIODS)
        return self._observe(action.note or "", reward=reward)

    @staticmethod
    def _within(temperature: float, setpoint: float) -> bool:
        """Is the temperature within the tolerance of its setpoint?"""
        return abs(temperature - setpoint) <= TOLERANCE * setpoint

    def _publish(self) -> None:
        self._state.temperatures = [round(b["kelvin"] - KELVIN, 2) for b in self._boxes]

    def _observe(self, log: str, reward: Optional[float] = None) -> ClimateObservation:
        t = self._state.step_count
        minutes = 7 * 60 + 30 * t
        return ClimateObservation(
            done=t >= PERIODS,
            reward=reward,
            time=f"{minutes // 60:02d}:{minutes % 60:02d}",
            room=round(self._room[t] - KELVIN, 2),
            terrariums=[
                {
                    "animal": b["animal"],
                    "temperature": round(b["kelvin"] - KELVIN, 2),
                    "setpoint": round(b["setpoints"][t] - KELVIN, 1),
                    "next_setpoint": round(b["setpoints"][min(t + 1, PERIODS)] - KELVIN, 1),
                    "loss": b["loss"],
                    "gain": b["gain"],
                }
                for b in self._boxes
            ],
            in_band=self._in_band,
            log=log,
        )

    @property
    def state(self) -> ClimateState:
        return self._state
