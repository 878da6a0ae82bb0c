"""Fault finding in a valve radio: trace the signal, replace the part that failed."""

import random
import uuid
from typing import Any, Dict, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import ReceiverAction, ReceiverObservation, ReceiverState
except ImportError:
    from models import ReceiverAction, ReceiverObservation, ReceiverState

# Signal path in order: (part, test point at its output, range of healthy readings).
CHAIN = [
    ("aerial coil", "mixer grid", (2.0, 6.0)),
    ("mixer valve", "mixer anode", (20.0, 60.0)),
    ("first IF transformer", "IF valve grid", (15.0, 40.0)),
    ("IF valve", "IF valve anode", (300.0, 900.0)),
    ("second IF transformer", "detector input", (250.0, 700.0)),
    ("detector diode", "detector output", (100.0, 300.0)),
    ("volume control", "audio grid", (80.0, 200.0)),
    ("audio valve", "audio anode", (2000.0, 5000.0)),
    ("output valve", "output anode", (20000.0, 60000.0)),
    ("output transformer", "loudspeaker", (900.0, 2500.0)),
]
RECTIFIER, OSCILLATOR = "rectifier", "oscillator coil"
PARTS = [RECTIFIER, OSCILLATOR] + [part for part, _, _ in CHAIN]
COMPLAINTS = [
    "It went quiet during the news.",
    "Hardly a whisper since Sunday.",
    "My grandson dropped it and now it is dumb.",
    "It lights up but does not play.",
]
MAX_STEPS = 30


class ReceiverEnvironment(Environment):
    """One set on the bench, one failed part out of twelve."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._sheet: Dict[str, float] = {}
        self._actual: Dict[str, float] = {}
        self._fault = ""
        self._complaint = ""
        self._done = True
        self._state = ReceiverState()

    # -------------------------------------------------------------------- set

    def _build_set(self, rng: random.Random) -> None:
        self._sheet = {
            "HT rail": float(rng.randrange(180, 260, 5)),
            "oscillator grid": round(rng.uniform(6.0, 12.0), 1),
        }
        for _, point, (low, high) in CHAIN:
            self._sheet[point] = round(rng.uniform(low, high), 1)
        self._fault = rng.choice(PARTS)
        self._complaint = rng.choice(COMPLAINTS)

        # A failed part passes little or nothing on; all later points suffer alike.
        weak = rng.choice([0.0, 0.02, 0.1, 0.25])
        rail = weak if self._fault == RECTIFIER else 1.0
        oscillation = rail * (weak if self._fault == OSCILLATOR else 1.0)
        gain = 1.0
        factors = {"HT rail": rail, "oscillator grid": oscillation}
        for part, point, _ in CHAIN:
            if part == self._fault:
                gain *= weak
            if part == "mixer valve":
                gain *= oscillation
            factors[point] = gain
        self._actual = {
            point: round(nominal * factors[point] * rng.uniform(0.88, 1.12), 1)
            for point, nominal in self._sheet.items()
        }

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> ReceiverObservation:
        self._build_set(random.Random(seed))
        self._done = False
        self._state = ReceiverState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._observe("A set is on the bench, the back is off.")

    # ------------------------------------------------------------------- play

    def step(
        self,
        action: ReceiverAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> ReceiverObservation:
        if self._done:
            return self._observe("The job is closed.")
        self._state.step_count += 1
        reading: Optional[float] = None
        if action.kind == "measure":
            reading = self._actual.get(action.target)
            if reading is None:
                message = f"The set has no test point {action.target!r}."
            else:
                self._state.measurements += 1
                message = f"{action.target}: {reading}"
        elif action.target not in PARTS:
            message = f"The set has no part {action.target!r}."
        else:
            return self._replace(action.target)
        return self._next(message, reading)

    def _replace(self, part: str) -> ReceiverObservation:
        self._state.replacements += 1
        if part == self._fault:
            self._state.repaired = True
            self._done = True
            return self._observe(f"With a new {part} the set plays.", reward=1.0)
        return self._next(f"You fitted a new {part}. The set still does not play.")

    def _next(
        self, message: str, reading: Optional[float] = None
    ) -> ReceiverObservation:
        if self._state.step_count >= MAX_STEPS:
            self._done = True
            message += " The shop closes, the customer takes the set home."
        return self._observe(message, reading)

    def _observe(
        self,
        message: str,
        reading: Optional[float] = None,
        reward: float = 0.0,
    ) -> ReceiverObservation:
        return ReceiverObservation(
            message=message,
            complaint=self._complaint,
            parts=PARTS,
            service_sheet=self._sheet,
            reading=reading,
            repaired=self._state.repaired,
            steps_left=max(0, MAX_STEPS - self._state.step_count),
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> ReceiverState:
        return self._state
