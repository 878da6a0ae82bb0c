"""Ferry environment: load the car deck and sail."""

import random
import uuid
from itertools import combinations
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import FerryAction, FerryObservation, FerryState
except ImportError:
    from models import FerryAction, FerryObservation, FerryState

LANES = 4
BERTH_STEPS = 24
OVERLOAD_FINE = 0.4
SEGREGATION_FINE = 0.2
KEEP_APART = {
    frozenset(("fuel", "gas")),
    frozenset(("fuel", "livestock")),
    frozenset(("gas", "livestock")),
    frozenset(("chemicals", "livestock")),
    frozenset(("chemicals", "fuel")),
}
LANE_CARGO = [["fuel"], ["gas", "chemicals"], ["livestock"], ["chemicals", "gas"]]

Vehicle = Dict[str, Any]


class FerryEnvironment(Environment[FerryAction, FerryObservation, FerryState]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = FerryState(episode_id=str(uuid.uuid4()))
        self._queue: List[Vehicle] = []
        self._deck: List[List[Vehicle]] = [[] for _ in range(LANES)]
        self._total = 1
        self._limit = 0.0
        self._done = True

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> FerryObservation:
        rng = random.Random(seed)
        self._queue = self._draw_queue(rng)
        self._total = len(self._queue)
        self._deck = [[] for _ in range(LANES)]
        self._done = False
        self._state = FerryState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._observe(f"{self._total} vehicles are waiting on the quay.")

    def _draw_queue(self, rng: random.Random) -> List[Vehicle]:
        """Draw a queue from a deck that was loaded by the book, so that a full load exists."""
        queue: List[Vehicle] = []
        heaviest = 0.0
        for cargo in LANE_CARGO:
            load = 0.0
            for i in range(rng.choice([3, 4])):
                tonnes = round(rng.uniform(1.5, 6.0), 1)
                kind = rng.choice(cargo) if i < 2 else "plain"
                plate = f"{rng.choice('ABKLNT')}{rng.choice('CDHMRS')}-{rng.randrange(100, 999)}"
                queue.append({"plate": plate, "tonnes": tonnes, "cargo": kind})
                load += tonnes
            heaviest = max(heaviest, load)
        self._limit = round(heaviest + 1.5, 1)
        rng.shuffle(queue)
        return queue

    def step(
        self, action: FerryAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> FerryObservation:
        if self._done:
            return self._observe("The ferry has left the berth.", 0.0)
        self._state.step_count += 1
        reward = 0.0
        message = "Holding."

        if action.command == "depart":
            self._done = True
            fine = self._inspect()
            return self._observe(f"Ramp closed. Fines: {fine:.2f}.", -fine)

        if action.command == "load":
            if action.lane is None or not 0 <= action.lane < LANES:
                message = f"There is no lane {action.lane}."
            elif not self._queue:
                message = "The quay is empty."
            else:
                vehicle = self._queue.pop(0)
                self._deck[action.lane].append(vehicle)
                self._state.on_board += 1
                reward = 1.0 / self._total
                message = f"{vehicle['plate']} is in lane {action.lane}."
        elif action.command == "turn_away":
            if self._queue:
                vehicle = self._queue.pop(0)
                self._state.turned_away += 1
                message = f"{vehicle['plate']} goes home."
            else:
                message = "The quay is empty."

        if self._state.step_count >= BERTH_STEPS:
            self._done = True
            message += " The berth is needed, the ramp is closed."
        return self._observe(message, reward)

    @property
    def state(self) -> FerryState:
        return self._state

    def _inspect(self) -> float:
        """Walk along the lanes and add up the fines."""
        self._state.sailed = True
        fine = 0.0
        for lane in self._deck:
            if sum(v["tonnes"] for v in lane) > self._limit + 1e-9:
                fine += OVERLOAD_FINE
            for a, b in combinations(lane, 2):
                if frozenset((a["cargo"], b["cargo"])) in KEEP_APART:
                    fine += SEGREGATION_FINE
        return round(fine, 4)

    def _observe(self, message: str, reward: Optional[float] = None) -> FerryObservation:
        return FerryObservation(
            message=message,
            queue=[dict(v) for v in self._queue],
            deck=[[dict(v) for v in lane] for lane in self._deck],
            lane_limit=self._limit,
            steps_left=max(0, BERTH_STEPS - self._state.step_count),
            done=self._done,
            reward=reward,
        )
