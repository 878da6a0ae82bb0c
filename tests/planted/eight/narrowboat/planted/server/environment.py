"""A week of canal cruising: one route a day."""

import random
import uuid
from itertools import pairwise
from typing import Any, List, Optional, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import (
        NarrowboatAction, NarrowboatObservation, NarrowboatState, Order,
    )
    from .waterways import Waterways
except ImportError:
    from models import (
        NarrowboatAction, NarrowboatObservation, NarrowboatState, Order,
    )
    from server.waterways import Waterways

LEGS = 6
STOPPAGES = 3
AFAR = 14.0  # kilometres at least between the ends of a leg


class NarrowboatEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._canals: Optional[Waterways] = None
        self._orders: List[Tuple[Order, float]] = []  # order, minutes of the best route
        self._leg = 0
        self._arrived = 0
        self._state = NarrowboatState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> NarrowboatObservation:
        rng = random.Random(seed)
        self._canals = Waterways(rng)
        self._orders = []
        here = rng.choice(sorted(self._canals.junctions))
        for _ in range(LEGS):
            order, minutes = self._draw(rng, here)
            self._orders.append((order, minutes))
            here = order.destination
        self._leg = 0
        self._arrived = 0
        self._state = NarrowboatState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("The tank is full, the water is on board.")

    def _draw(self, rng: random.Random, here: str) -> Tuple[Order, float]:
        channels = sorted(tuple(sorted(channel)) for channel in self._canals.channels)
        far = [n for n in sorted(self._canals.junctions)
               if self._canals.distance(here, n) >= AFAR
               and n not in self._canals.neighbours(here)]
        while True:
            destination = rng.choice(far)
            stoppages = rng.sample(channels, STOPPAGES)
            closed = frozenset(map(frozenset, stoppages))
            minutes = self._canals.quickest(here, destination, closed)
            if minutes is not None:
                order = Order(start=here, destination=destination, stoppages=stoppages)
                return order, minutes

    def step(
        self,
        action: NarrowboatAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> NarrowboatObservation:
        if self._leg >= len(self._orders):
            return self._look("The boat is back at the yard.")
        self._state.step_count += 1
        order, best = self._orders[self._leg]
        minutes, log = self._cruise(order, action.route)
        self._leg += 1
        if minutes is None:
            log += f" You are towed to {order.destination}."
            return self._look(log, arrived=False)
        self._arrived += 1
        reward = round(min(1.0, best / minutes) / LEGS, 4)
        return self._look(log, arrived=True, minutes=minutes, reward=reward)

    def _cruise(self, order: Order, route: List[str]) -> Tuple[Optional[float], str]:
        """Follows the route; the minutes it takes, or None where it cannot be done."""
        if len(route) < 2 or route[0] != order.start:
            return None, f"The route does not begin at {order.start}."
        if route[-1] != order.destination:
            return None, f"The route does not end at {order.destination}."
        closed = set(map(frozenset, order.stoppages))
        minutes = 0.0
        for name in route:
            if name not in self._canals.junctions:
                return None, f"Nobody has heard of {name}."
        for here, there in pairwise(route):
            if frozenset((here, there)) in closed:
                return None, f"The channel from {here} to {there} is closed."
            minutes += self._canals.passage(here, there)
        return round(minutes, 1), f"Moored at {order.destination}."

    def _look(
        self,
        log: str,
        arrived: Optional[bool] = None,
        minutes: Optional[float] = None,
        reward: float = 0.0,
    ) -> NarrowboatObservation:
        done = self._leg >= len(self._orders)
        canals = self._canals
        self._state.leg = self._leg
        self._state.legs_arrived = self._arrived
        return NarrowboatObservation(
            junctions=list(canals.junctions.values()) if canals else [],
            channels=sorted(tuple(sorted(c)) for c in canals.channels) if canals else [],
            order=None if done else self._orders[self._leg][0],
            leg=self._leg if done else self._leg + 1,
            legs=LEGS,
            arrived=arrived,
            minutes=minutes,
            legs_arrived=self._arrived,
            log=log,
            reward=reward,
            done=done,
        )

    @property
    def state(self) -> NarrowboatState:
        return self._state
