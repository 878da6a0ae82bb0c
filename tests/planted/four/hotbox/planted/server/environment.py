"""Calling failing axle bearings from the readings of a hot box detector."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import HotboxAction, HotboxObservation, HotboxState
except ImportError:
    from models import HotboxAction, HotboxObservation, HotboxState

OPERATORS = ["Northline", "Transval", "Marches Freight", "Orebelt", "Delta Bulk", "Coastways"]
AXLES = 36
HEAT_PER_KMH = 0.28


class HotboxEnvironment(Environment):
    """One train an episode, one axle a step; the calls are assessed when the train is past."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._readings: List[Dict[str, Any]] = []
        self._failing: List[bool] = []
        self._calls: List[bool] = []
        self._weather: Dict[str, Any] = {}
        self._state = HotboxState()

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> HotboxObservation:
        rng = random.Random(seed)
        side = rng.choice(["left", "right", "none"])
        self._weather = {
            "ambient_c": round(rng.uniform(-12, 34), 1),
            "speed_kmh": round(rng.uniform(55, 115), 1),
            "sun_side": side,
            "sun_offset_c": 0.0 if side == "none" else round(rng.uniform(4, 18), 1),
        }
        failing = set(rng.sample(range(AXLES), rng.randint(2, 4)))
        self._failing = [axle in failing for axle in range(AXLES)]
        self._readings = [self._read_axle(rng, bad) for bad in self._failing]
        self._calls = []
        self._state = HotboxState(
            episode_id=episode_id or str(uuid.uuid4()),
            train=f"{rng.choice(OPERATORS)} {rng.randint(1000, 9999)}",
            axles=AXLES,
        )
        return self._observe(f"Train {self._state.train} runs over the detector.", None)

    def _read_axle(self, rng: random.Random, bad: bool) -> Dict[str, Any]:
        base = self._weather["ambient_c"] + HEAT_PER_KMH * self._weather["speed_kmh"]
        if rng.random() < 0.2:  # a dragging brake warms the whole axle
            base += rng.uniform(25, 55)
        temps = {side: base + rng.uniform(-4, 4) for side in ("left", "right")}
        if self._weather["sun_side"] != "none":
            temps[self._weather["sun_side"]] += self._weather["sun_offset_c"]
        if bad:
            temps[rng.choice(["left", "right"])] += rng.uniform(26, 60)
        return {"left_c": round(temps["left"], 1), "right_c": round(temps["right"], 1)}

    def step(self, action: HotboxAction, timeout_s: Optional[float] = None, **kwargs: Any) -> HotboxObservation:
        if len(self._calls) >= len(self._readings):
            return self._observe("The train is past; reset for the next.", 0.0)
        self._calls.append(action.call == "stop")
        self._state.step_count += 1
        self._state.axles_called += 1
        self._state.stops_called += action.call == "stop"
        if len(self._calls) < AXLES:
            return self._observe("Noted.", 0.0)
        return self._observe("The train is past; the calls go to the workshop.", self._assess())

    def _assess(self) -> float:
        """Quality of the calls over the whole train, 0 to 1."""
        right = sum(call == bad for call, bad in zip(self._calls, self._failing))
        return right / AXLES

    def _observe(self, message: str, reward: Optional[float]) -> HotboxObservation:
        index = len(self._calls)
        done = index >= len(self._readings)
        reading = {} if done else {"axle": index + 1, **self._readings[index]}
        return HotboxObservation(
            done=done, reward=reward, axles=AXLES, message=message, **self._weather, **reading
        )

    @property
    def state(self) -> HotboxState:
        return self._state
