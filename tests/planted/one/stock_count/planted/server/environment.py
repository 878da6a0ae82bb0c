"""A yearly stock count in one aisle."""

import random
from typing import Any, Dict, List, Optional
from uuid import uuid4

from openenv.core.env_server import Environment

try:
    from ..models import StockAction, StockObservation, StockState
except ImportError:
    from models import StockAction, StockObservation, StockState

MAX_STEPS = 36
N_BINS = 14
WRONG_REPORT = -0.1
ARTICLES = [
    "hinges", "castors", "brackets", "wall plugs", "wing nuts", "cable ties", "hooks",
    "washers", "drawer slides", "door stops", "angle irons", "cup hooks", "rivets",
    "shelf pins", "U-bolts", "spacers",
]


class StockCountEnvironment(Environment[StockAction, StockObservation, StockState]):
    """Finds the differences between the books and the shelves."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = StockState(episode_id=str(uuid4()))
        self._bins: Dict[str, Dict[str, Any]] = {}
        self._moves: List[Dict[str, Any]] = []
        self._physical: Dict[str, int] = {}
        self._differences: Dict[str, int] = {}
        self._done = True

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> StockObservation:
        rng = random.Random(seed)
        aisle = rng.choice("ABCDEFG")
        names = [f"{aisle}-{i:02d}" for i in range(1, N_BINS + 1)]
        articles = rng.sample(ARTICLES, N_BINS)
        self._bins = {
            n: {"bin": n, "article": a, "book": rng.randint(20, 240)}
            for n, a in zip(names, articles)
        }
        self._moves = []
        for _ in range(rng.randint(3, 5)):
            source, target = rng.sample(names, 2)
            self._moves.append({"from": source, "to": target, "quantity": rng.randint(2, 5)})
        wrong = rng.sample(names, rng.randint(5, 8))
        self._differences = {n: rng.choice([-6, -4, -3, -2, -1, 1, 2, 5]) for n in wrong}
        self._physical = {n: self._expected(n) + self._differences.get(n, 0) for n in names}
        self._done = False
        self._state = StockState(
            episode_id=episode_id or str(uuid4()), discrepancies=len(self._differences)
        )
        return self._observe(f"Aisle {aisle} is yours.")

    def _expected(self, name: str) -> int:
        quantity = self._bins[name]["book"]
        for move in self._moves:
            if move["from"] == name:
                quantity -= move["quantity"]
            if move["to"] == name:
                quantity += move["quantity"]
        return quantity

    def step(
        self, action: StockAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> StockObservation:
        if self._done:
            return self._observe("The count is closed.")
        self._state.step_count += 1
        reward = 0.0
        if action.command == "hand_in":
            self._done = True
            response = "Thank you."
        elif action.bin not in self._bins:
            response = f"There is no bin {action.bin!r} in this aisle."
        elif action.command == "count":
            quantity = self._physical[action.bin]
            self._state.counted = {**self._state.counted, action.bin: quantity}
            response = f"{quantity} {self._bins[action.bin]['article']} in {action.bin}."
        else:
            response, reward = self._report(action.bin, action.difference)
        if (
            self._state.confirmed >= self._state.discrepancies
            or self._state.step_count >= MAX_STEPS
        ):
            self._done = True
        return self._observe(response, reward=reward)

    def _report(self, name: str, difference: Optional[int]) -> "tuple[str, float]":
        """The supervisor looks at a report."""
        if not difference:
            return "A report needs a difference other than 0.", 0.0
        if self._differences.get(name) == difference:
            self._state.confirmed += 1
            return f"Confirmed: {name} {difference:+d}.", 1.0 / self._state.discrepancies
        self._state.rejected += 1
        return f"Rejected: {name} is not off by {difference:+d}.", WRONG_REPORT

    def _observe(self, response: str, reward: Optional[float] = None) -> StockObservation:
        return StockObservation(
            done=self._done,
            reward=reward,
            bins=list(self._bins.values()),
            open_moves=list(self._moves),
            counted=dict(self._state.counted),
            response=response,
            steps_left=MAX_STEPS - self._state.step_count,
            success=self._done
            and self._state.confirmed >= self._state.discrepancies
            and not self._state.rejected,
        )

    @property
    def state(self) -> StockState:
        return self._state
