"""Tuning a neglected piano within one visit."""

import random
import uuid
from typing import Any, Dict, Optional

from openenv.core.env_server import Environment

try:
    from ..models import PianoAction, PianoObservation, PianoState
except ImportError:
    from models import PianoAction, PianoObservation, PianoState

NAMES = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"]
MAKERS = ["upright by Zimmermann", "upright by Petrof", "baby grand by Kawai", "spinet by Baldwin", "grand by Bluthner"]

NOTES = 12
TOLERANCE = 2.0
MAX_TURN = 12.0
VISIT_STEPS = 30

TUNING_WEIGHT = 0.45
PROMPTNESS_WEIGHT = 0.55


class PianoEnvironment(Environment):
    """Every step turns one pin; how far the pitch follows differs from pin to pin."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._cents: Dict[str, float] = {}
        self._response: Dict[str, float] = {}
        self._backlash: Dict[str, float] = {}
        self._direction: Dict[str, int] = {}
        self._state = PianoState(finished=True)

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> PianoObservation:
        rng = random.Random(seed)
        keyboard = [f"{name}{octave}" for octave in range(2, 6) for name in NAMES]
        start = rng.randrange(len(keyboard) - NOTES)
        self._cents, self._response, self._backlash, self._direction = {}, {}, {}, {}
        for note in keyboard[start:start + NOTES]:
            flat = rng.random() < 0.8
            off = rng.uniform(9.0, 34.0)
            self._cents[note] = round(-off if flat else off, 2)
            self._response[note] = rng.uniform(2.4, 6.5)  # cents per degree
            self._backlash[note] = rng.uniform(0.1, 0.6)  # degrees lost when the direction changes
            self._direction[note] = 0
        self._state = PianoState(
            episode_id=episode_id or str(uuid.uuid4()), instrument=rng.choice(MAKERS), notes=NOTES
        )
        return self._observe(f"The {self._state.instrument} has not been tuned for years.", None)

    def step(self, action: PianoAction, timeout_s: Optional[float] = None, **kwargs: Any) -> PianoObservation:
        if self._state.finished:
            return self._observe("The visit is over; reset for another piano.", 0.0)
        self._state.step_count += 1
        if action.kind == "finish":
            message = "The lid is closed."
            self._state.finished = True
        else:
            message = self._turn(action.note, action.degrees)
            if self._state.step_count >= VISIT_STEPS:
                message += " The visit is over."
                self._state.finished = True
        self._state.notes_in_tune = self._in_tune()
        return self._observe(message, self._fee() if self._state.finished else 0.0)

    def _turn(self, note: Optional[str], degrees: float) -> str:
        if note not in self._cents:
            return "No such note in this section."
        degrees = max(-MAX_TURN, min(MAX_TURN, degrees))
        if degrees == 0.0:
            return "The pin was not turned."
        direction = 1 if degrees > 0 else -1
        travel = abs(degrees)
        if direction != self._direction[note]:
            travel = max(0.0, travel - self._backlash[note])
            self._direction[note] = direction
        change = direction * travel * self._response[note]
        self._cents[note] = round(self._cents[note] + change, 2)
        return f"{note} moved by {change:+.2f} cents."

    def _in_tune(self) -> int:
        return sum(abs(cents) <= TOLERANCE for cents in self._cents.values())

    def _fee(self) -> float:
        """Return of the visit: tuning, and what is left of the customer's time."""
        tuning = self._in_tune() / NOTES
        promptness = (VISIT_STEPS - self._state.step_count) / VISIT_STEPS
        return TUNING_WEIGHT * tuning + PROMPTNESS_WEIGHT * promptness

    def _observe(self, message: str, reward: Optional[float]) -> PianoObservation:
        return PianoObservation(
            done=self._state.finished,
            reward=reward,
            cents=dict(self._cents),
            tolerance=TOLERANCE,
            visit_steps=VISIT_STEPS,
            steps_left=VISIT_STEPS - self._state.step_count,
            message=message,
            success=self._state.finished and bool(self._cents) and self._in_tune() == NOTES,
        )

    @property
    def state(self) -> PianoState:
        return self._state
