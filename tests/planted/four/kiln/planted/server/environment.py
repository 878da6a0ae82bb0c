"""Firing pottery along a schedule."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import KilnAction, KilnObservation, KilnState
except ImportError:
    from models import KilnAction, KilnObservation, KilnState

WARES = ["stoneware bowls", "porcelain cups", "roof tiles", "raku jars", "earthenware tiles", "slip-cast vases"]
CHECKPOINTS = 8
STEPS_PER_CHECKPOINT = 4
WINDOW = 60.0  # a checkpoint missed by this many degrees is worth nothing
CLOSE = 0.75  # mean checkpoint score of a good firing


class KilnEnvironment(Environment):
    """Heat input, losses and a lagging ware; eight checkpoints to meet."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._schedule: List[Dict[str, float]] = []
        self._scores: List[float] = []
        self._power = self._loss = self._room = self._temperature = 0.0
        self._state = KilnState()

    @property
    def _length(self) -> int:
        return len(self._schedule) * STEPS_PER_CHECKPOINT

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> KilnObservation:
        rng = random.Random(seed)
        self._room = round(rng.uniform(8, 30), 1)
        self._temperature = self._room
        self._power = rng.uniform(130, 190)  # degrees a step at full burner
        self._loss = rng.uniform(0.05, 0.08)  # share of the excess over the room lost in a step
        self._schedule = self._write_schedule(rng)
        self._scores = []
        self._state = KilnState(
            episode_id=episode_id or str(uuid.uuid4()), ware=rng.choice(WARES), temperature_c=self._temperature
        )
        return self._observe(f"The kiln is loaded with {self._state.ware}.", None)

    def _write_schedule(self, rng: random.Random) -> List[Dict[str, float]]:
        """Warm up, soak, climb to the peak, and fall: every goal is within the reach of the kiln."""
        goals, goal = [], self._room
        for phase in ("climb", "soak", "climb", "climb", "soak", "fall", "soak", "fall"):
            highest, lowest = self._after(goal, 1.0), self._after(goal, 0.0)
            if phase == "climb":
                goal = goal + rng.uniform(0.4, 0.7) * (highest - goal)
            elif phase == "fall":
                goal = goal - rng.uniform(0.4, 0.8) * (goal - lowest)
            goals.append(round(goal))
        return [
            {"after_step": (index + 1) * STEPS_PER_CHECKPOINT, "temperature_c": goal}
            for index, goal in enumerate(goals)
        ]

    def _after(self, start: float, burner: float) -> float:
        for _ in range(STEPS_PER_CHECKPOINT):
            start = self._next(start, burner)
        return start

    def _next(self, temperature: float, burner: float) -> float:
        return temperature + self._power * burner - self._loss * (temperature - self._room)

    def _score_checkpoint(self, goal: float) -> float:
        """Full marks on the goal, falling to nothing at the edge of the window."""
        miss = goal - self._temperature
        return max(0.0, min(1.0, 1.0 - miss / WINDOW))

    def step(self, action: KilnAction, timeout_s: Optional[float] = None, **kwargs: Any) -> KilnObservation:
        if self._state.step_count >= self._length:
            return self._observe("The firing is over; reset for another.", 0.0)
        burner = max(0.0, min(1.0, action.burner))
        self._temperature = self._next(self._temperature, burner)
        self._state.step_count += 1
        self._state.temperature_c = round(self._temperature, 1)
        reward, message = 0.0, "Firing."
        if self._state.step_count % STEPS_PER_CHECKPOINT == 0:
            checkpoint = self._schedule[self._state.checkpoints_passed]
            score = self._score_checkpoint(checkpoint["temperature_c"])
            self._scores.append(score)
            self._state.checkpoints_passed += 1
            reward = score / CHECKPOINTS
            message = f"Checkpoint {self._state.checkpoints_passed} scored {score:.2f}."
        return self._observe(message, reward)

    def _observe(self, message: str, reward: Optional[float]) -> KilnObservation:
        done = self._state.step_count >= self._length
        observation = KilnObservation(
            done=done,
            reward=reward,
            temperature_c=round(self._temperature, 1),
            schedule=[dict(checkpoint) for checkpoint in self._schedule],
            step=self._state.step_count,
            steps_total=self._length,
            room_c=self._room,
            message=message,
        )
        if done and self._scores:
            mean = sum(self._scores) / len(self._scores)
            observation.metadata = {"success": mean >= CLOSE, "mean_score": round(mean, 3)}
        return observation

    @property
    def state(self) -> KilnState:
        return self._state
