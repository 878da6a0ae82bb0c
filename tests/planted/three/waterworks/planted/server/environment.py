"""Waterworks: find the leaking pipe of a supply network with few flow readings."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import WaterworksAction, WaterworksObservation, WaterworksState
except ImportError:
    from models import WaterworksAction, WaterworksObservation, WaterworksState

SOURCE = "PLANT"
MAX_GAUGES = 28
MAX_STEPS = 36
FOUND_REWARD = 1.0
GAUGE_VALUE = 0.1
METER_NOISE = 0.4


class WaterworksEnvironment(Environment[WaterworksAction, WaterworksObservation, WaterworksState]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._parent: Dict[str, str] = {}
        self._demand: Dict[str, float] = {}
        self._noise: Dict[str, float] = {}
        self._readings: Dict[str, float] = {}
        self._state = WaterworksState()

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> WaterworksObservation:
        rng = random.Random(seed)
        self._build_network(rng, size=rng.randint(26, 34))
        self._noise = {pipe: rng.uniform(-METER_NOISE, METER_NOISE) for pipe in self._parent}
        self._readings = {}
        self._state = WaterworksState(
            episode_id=episode_id or str(uuid.uuid4()),
            step_count=0,
            leak=rng.choice(sorted(self._parent)),
            leak_rate=round(rng.uniform(3.0, 9.0), 1),
        )
        return self._observe("One pipe of the network leaks. Find it.", reward=0.0)

    def step(self, action: WaterworksAction, timeout_s: Optional[float] = None, **kwargs: Any) -> WaterworksObservation:
        if self._state.reported:
            return self._observe("The repair crew is already on its way.", reward=0.0, done=True)
        self._state.step_count += 1
        pipe = action.pipe.strip().upper()

        if pipe not in self._parent:
            message = f"There is no pipe {action.pipe!r}."
        elif action.command == "report":
            return self._report(pipe)
        elif self._gauges_left() <= 0:
            message = "No gaugings left, report a pipe."
        else:
            self._state.gauges_used += 1
            self._readings[pipe] = self._flow(pipe)
            message = f"Flow into {pipe}: {self._readings[pipe]} l/min."

        if self._state.step_count >= MAX_STEPS:
            return self._observe(message + " The shift is over.", reward=0.0, done=True)
        return self._observe(message, reward=0.0)

    @property
    def state(self) -> WaterworksState:
        return self._state

    # -- network ---------------------------------------------------------

    def _build_network(self, rng: random.Random, size: int) -> None:
        """Grow a tree of pipes; each pipe is named by its downstream end."""
        names = [f"N{i:02d}" for i in range(1, size + 1)]
        rng.shuffle(names)
        self._parent, self._demand = {}, {}
        placed: List[str] = [SOURCE]
        for name in names:
            # prefer recent nodes so that the tree gets long branches
            parent = rng.choice(placed[-6:])
            if parent == SOURCE and len(placed) > 4:
                parent = placed[-1]
            self._parent[name] = parent
            self._demand[name] = round(rng.choice([0.0, rng.uniform(1.0, 12.0)]), 1)
            placed.append(name)

    def _downstream(self, pipe: str) -> List[str]:
        found = [pipe]
        for node in found:
            found.extend(child for child, parent in self._parent.items() if parent == node)
        return found

    def _flow(self, pipe: str) -> float:
        """Flow at the inlet of a pipe: demand behind it, and the leak if it lies there."""
        nodes = self._downstream(pipe)
        flow = sum(self._demand[n] for n in nodes)
        if self._state.leak in nodes:
            flow += self._state.leak_rate
        return round(flow + self._noise[pipe], 1)

    # -- scoring ---------------------------------------------------------

    def _gauges_left(self) -> int:
        return MAX_GAUGES - self._state.gauges_used

    def _report(self, pipe: str) -> WaterworksObservation:
        self._state.reported = pipe
        found = pipe == self._state.leak
        reward = FOUND_REWARD if found else 0.0
        reward += GAUGE_VALUE * self._gauges_left()
        message = f"The crew digs at {pipe}: " + ("leak found." if found else "the pipe is dry.")
        return self._observe(message, reward=round(reward, 4), done=True, success=found)

    def _observe(self, message: str, reward: float, done: bool = False, success: bool = False) -> WaterworksObservation:
        return WaterworksObservation(
            message=message,
            network=[
                {"pipe": pipe, "fed_from": self._parent[pipe], "demand": self._demand[pipe]}
                for pipe in sorted(self._parent)
            ],
            readings=dict(self._readings),
            gauges_left=self._gauges_left(),
            success=success,
            reward=reward,
            done=done,
        )
