"""Dispatching three riders from a parcel desk."""

import math
import random
from typing import Any, Dict, List, Optional, Tuple
from uuid import uuid4

from openenv.core.env_server import Environment

try:
    from ..models import CourierAction, CourierObservation, CourierState
except ImportError:
    from models import CourierAction, CourierObservation, CourierState

LAST_TICK = 24
MAX_ACTIONS = 40
BLOCKS_PER_TICK = 2
RIDERS = ("ana", "bo", "cem")


def travel(a: Tuple[int, int], b: Tuple[int, int]) -> int:
    """Ticks between two street corners."""
    return math.ceil((abs(a[0] - b[0]) + abs(a[1] - b[1])) / BLOCKS_PER_TICK)


class CourierDeskEnvironment(Environment[CourierAction, CourierObservation, CourierState]):
    """Parcels arrive at a desk and have to be at the door in time."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = CourierState(episode_id=str(uuid4()))
        self._parcels: Dict[str, Dict[str, Any]] = {}
        self._arrivals: Dict[int, List[str]] = {}
        self._waiting: List[str] = []
        self._back_at: Dict[str, int] = {}
        self._drops: List[Tuple[int, str]] = []
        self._done = True

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> CourierObservation:
        rng = random.Random(seed)
        self._parcels, self._arrivals = {}, {}
        for i in range(rng.randint(10, 12)):
            arrives = 0 if i < 3 else rng.randint(1, 16)
            x, y = rng.randint(-5, 5), rng.randint(-5, 5)
            if (x, y) == (0, 0):
                x = 3
            parcel_id = f"P{i + 1:02d}"
            due = arrives + travel((0, 0), (x, y)) + rng.randint(3, 6)
            self._parcels[parcel_id] = {
                "id": parcel_id,
                "x": x,
                "y": y,
                "due": min(due, LAST_TICK),
            }
            self._arrivals.setdefault(arrives, []).append(parcel_id)
        self._waiting = list(self._arrivals.get(0, []))
        self._back_at = {name: 0 for name in RIDERS}
        self._drops = []
        self._done = False
        self._state = CourierState(episode_id=episode_id or str(uuid4()))
        return self._observe("The desk opens.")

    def step(
        self, action: CourierAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> CourierObservation:
        if self._done:
            return self._observe("The shift is over.")
        self._state.step_count += 1
        if action.command == "dispatch":
            message = self._dispatch(action)
        else:
            message = self._wait()
        reward = 0.0
        if self._state.tick >= LAST_TICK or self._state.step_count >= MAX_ACTIONS:
            self._done = True
            reward = self._punctuality()
            self._state.punctuality = reward
        return self._observe(message, reward=reward)

    def _dispatch(self, action: CourierAction) -> str:
        if action.rider not in self._back_at:
            return f"There is no rider {action.rider}."
        if self._back_at[action.rider] > self._state.tick:
            return f"{action.rider} is on the road."
        load = list(dict.fromkeys(action.parcels))
        if not 1 <= len(load) <= 2 or any(p not in self._waiting for p in load):
            return "A rider takes one or two of the waiting parcels."
        clock, here = self._state.tick, (0, 0)
        for parcel_id in load:
            parcel = self._parcels[parcel_id]
            door = (parcel["x"], parcel["y"])
            clock += travel(here, door)
            here = door
            self._drops.append((clock, parcel_id))
            self._waiting.remove(parcel_id)
        self._back_at[action.rider] = clock + travel(here, (0, 0))
        return f"{action.rider} leaves with {', '.join(load)}, back at tick {self._back_at[action.rider]}."

    def _wait(self) -> str:
        self._state.tick += 1
        now = self._state.tick
        for tick, parcel_id in [d for d in self._drops if d[0] <= now]:
            self._drops.remove((tick, parcel_id))
            self._state.delivered += 1
            if tick <= self._parcels[parcel_id]["due"]:
                self._state.on_time += 1
        new = self._arrivals.get(now, [])
        self._waiting.extend(new)
        return f"New at the desk: {', '.join(new)}." if new else "Nothing new."

    def _punctuality(self) -> float:
        """Share of parcels on time over the shift."""
        total = self._state.delivered
        return self._state.on_time / total if total else 0.0

    def _observe(self, message: str, reward: Optional[float] = None) -> CourierObservation:
        return CourierObservation(
            done=self._done,
            reward=reward,
            tick=self._state.tick,
            last_tick=LAST_TICK,
            waiting=[dict(self._parcels[p]) for p in self._waiting],
            riders=[
                {"name": name, "idle": back <= self._state.tick, "back_at": back}
                for name, back in self._back_at.items()
            ],
            delivered=self._state.delivered,
            on_time=self._state.on_time,
            message=message,
        )

    @property
    def state(self) -> CourierState:
        return self._state
