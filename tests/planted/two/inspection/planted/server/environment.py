import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import InspectAction, InspectObservation, InspectState
except ImportError:
    from models import InspectAction, InspectObservation, InspectState

FEATURES = ["bore", "length", "flange", "shoulder", "pitch"]
GAUGE_ERROR = 0.002  # mm, either way


class GoodsInwardEnv(Environment):
    """
    Goods-inward inspection of a lot of turned parts.

    Accepted parts go straight to the line and are worth something at once;
    nonconforming ones come back as claims when the lot is settled.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    CLAIM = 2.0  # cost of a bad part on the line, in parts

    def __init__(self):
        super().__init__()
        self._state = InspectState()
        self._drawing: Dict[str, List[float]] = {}
        self._lot: List[Dict[str, float]] = []
        self._bad: List[bool] = []

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> InspectObservation:
        self._rng = random.Random(seed)
        self._state = InspectState(episode_id=episode_id or uuid.uuid4().hex, step_count=0)
        rng = self._rng
        self._drawing = {
            f: [round(rng.uniform(8, 60), 2), rng.choice([0.02, 0.03, 0.05])]
            for f in rng.sample(FEATURES, 3)
        }
        n = rng.randint(8, 11)
        n_bad = rng.randint(n * 2 // 5, n // 2)
        self._bad = [i < n_bad for i in range(n)]
        rng.shuffle(self._bad)
        self._lot = [self._turn_part(bad) for bad in self._bad]
        self._max_steps = 3 * n
        return self._obs(f"Lot of {n} parts received.")

    def _turn_part(self, bad: bool) -> Dict[str, float]:
        off = self._rng.choice(list(self._drawing)) if bad else None
        part = {}
        for feature, (nominal, tol) in self._drawing.items():
            if feature == off:
                dev = self._rng.uniform(1.2, 1.8) * tol
            else:
                dev = self._rng.uniform(0.0, 0.85) * tol
            part[feature] = nominal + self._rng.choice([-1, 1]) * dev
        return part

    def step(self, action: InspectAction, timeout_s: Optional[float] = None, **kwargs: Any) -> InspectObservation:
        if self._state.finished:
            return self._obs("The lot is closed.", done=True, reward=0.0)
        self._state.step_count += 1
        n = len(self._lot)
        reward, reading = 0.0, {}

        if action.command == "release":
            self._state.finished = True
            return self._obs("Lot released.", done=True, reward=self._settle())

        if action.part >= n:
            log = f"No part {action.part} in this lot."
        elif action.command == "gauge":
            reading = {
                f: round(v + self._rng.uniform(-GAUGE_ERROR, GAUGE_ERROR), 4)
                for f, v in self._lot[action.part].items()
            }
            log = f"Part {action.part} gauged."
        elif action.part in self._state.decisions:
            log = f"Part {action.part} is already {self._state.decisions[action.part]}."
        else:
            verdict = "accepted" if action.command == "accept" else "rejected"
            self._state.decisions = {**self._state.decisions, action.part: verdict}
            log = f"Part {action.part} {verdict}."
            if verdict == "accepted":
                reward = 1.0 / n

        if self._state.step_count >= self._max_steps:
            self._state.finished = True
            return self._obs(log + " Shift over.", done=True, reward=reward, reading=reading)
        return self._obs(log, reward=reward, reading=reading)

    def _settle(self) -> float:
        """Claims for bad parts that reached the line, credit for those rightly sent back."""
        total = 0.0
        for part, verdict in self._state.decisions.items():
            if self._bad[part]:
                total += -self.CLAIM if verdict == "accepted" else 1.0
            elif verdict == "rejected":
                total -= 1.0  # the supplier disputes a good part
        return total / len(self._lot)

    def _obs(self, log: str, done: bool = False, reward: Optional[float] = None, reading: Optional[dict] = None) -> InspectObservation:
        return InspectObservation(
            drawing=self._drawing,
            parts={str(i): self._state.decisions.get(i, "open") for i in range(len(self._lot))},
            reading=reading or {},
            log=log,
            step=self._state.step_count,
            max_steps=self._max_steps,
            done=done,
            reward=reward,
        )

    @property
    def state(self) -> InspectState:
        return self._state
