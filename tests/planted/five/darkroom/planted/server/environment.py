"""Darkroom: make an enlargement with the density and contrast that were ordered."""

import math
import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import DarkroomAction, DarkroomObservation, DarkroomState
except ImportError:
    from models import DarkroomAction, DarkroomObservation, DarkroomState

SESSION_STEPS = 20
ACCEPT_SCORE = 0.9
DENSITY_TOLERANCE = 0.5  # density error at which a print is worth nothing
CONTRAST_TOLERANCE = 0.8


class DarkroomEnvironment(Environment):
    """One negative and one order per episode."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = DarkroomState()
        self._order: Dict[str, float] = {}
        self._print: Dict[str, float] = {}
        self._strips: List[Dict[str, float]] = []
        self._slope = 1.0
        self._base_seconds = 8.0
        self._paper_contrast = 0.5
        self._done = True

    # ---------------------------------------------------------------- paper

    def _density(self, seconds: float) -> float:
        """Mid-tone density: a straight line over the logarithm of the time."""
        return 0.7 + self._slope * math.log10(seconds / self._base_seconds)

    def _contrast(self, grade: float) -> float:
        return self._paper_contrast + 0.25 * grade

    def _expose(self, seconds: float, grade: float) -> Dict[str, float]:
        return {
            "seconds": seconds,
            "grade": grade,
            "density": round(self._density(seconds), 3),
            "contrast": round(self._contrast(grade), 3),
        }

    def _score(self) -> float:
        """How near the print comes to the order, 0 to 1."""
        density_error = abs(self._print["density"] - self._order["density"])
        contrast_error = abs(self._print["contrast"] - self._order["contrast"])
        return round(
            max(0.0, 1.0 - density_error / DENSITY_TOLERANCE)
            * max(0.0, 1.0 - contrast_error / CONTRAST_TOLERANCE),
            4,
        )

    # ------------------------------------------------------------------ API

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> DarkroomObservation:
        rng = random.Random(seed)
        self._slope = rng.uniform(0.9, 1.5)
        self._base_seconds = rng.uniform(7.0, 14.0)
        self._paper_contrast = rng.uniform(0.35, 0.65)

        # The order lies within reach: 5 to 30 seconds, grade 1 to 4.
        seconds = rng.uniform(6.0, 30.0)
        grade = rng.uniform(1.0, 4.0)
        self._order = {
            "density": round(self._density(seconds), 2),
            "contrast": round(self._contrast(grade), 2),
        }
        # The assistant's work print misses the order in both.
        miss = rng.choice([-1, 1]) * rng.uniform(0.22, 0.34)
        work_seconds = round(seconds * 10 ** (miss / self._slope), 1)
        work_grade = grade + (1.0 if grade < 2.5 else -1.0) * rng.uniform(0.9, 1.6)
        self._print = self._expose(work_seconds, round(min(5.0, max(0.0, work_grade)), 1))
        self._strips = []
        self._done = False
        self._state = DarkroomState(
            episode_id=episode_id or str(uuid.uuid4()),
            step_count=0,
            prints_made=0,
            delivered=False,
        )
        return self._observe("The customer waits for the enlargement.", None)

    def step(
        self,
        action: DarkroomAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> DarkroomObservation:
        if self._done:
            return self._observe("The darkroom is closed.", 0.0)

        self._state.step_count += 1
        if action.op == "strip":
            density = round(self._density(action.seconds), 3)
            self._strips.append({"seconds": action.seconds, "density": density})
        elif action.op == "print":
            self._print = self._expose(action.seconds, action.grade)
            self._state.prints_made += 1
        else:
            self._state.delivered = True

        reward, customer = 0.0, "The customer waits for the enlargement."
        if self._state.delivered:
            reward = self._score()
            accepted = reward >= ACCEPT_SCORE
            self._done = accepted
            customer = "Just what I wanted." if accepted else "Not quite what I ordered."
        if self._state.step_count >= SESSION_STEPS:
            self._done = True
        return self._observe(customer, reward)

    @property
    def state(self) -> DarkroomState:
        return self._state

    def _observe(self, customer: str, reward: Optional[float]) -> DarkroomObservation:
        return DarkroomObservation(
            order=dict(self._order),
            current_print=dict(self._print),
            strips=[dict(s) for s in self._strips],
            steps_left=SESSION_STEPS - self._state.step_count,
            customer=customer,
            done=self._done,
            reward=reward,
        )
