"""A round on the fever ward: examine, then state the odds."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import SyndromeAction, SyndromeObservation, SyndromeState
except ImportError:
    from models import SyndromeAction, SyndromeObservation, SyndromeState

FEVERS = [
    "marsh fever", "reed fever", "harbour fever", "miller's fever",
    "thaw fever", "lantern fever", "quarry fever", "orchard fever",
]
EXAMINATIONS = {
    "pulse": ["slow", "even", "racing"],
    "skin": ["pale", "flushed", "mottled"],
    "tongue": ["clean", "coated", "dark"],
    "blood": ["thin", "plain", "clotting"],
    "eyes": ["clear", "yellow", "red"],
    "reflexes": ["weak", "lively", "absent"],
}
PATIENTS = 3
MAX_ACTIONS = 27
EXAMINATION_COST = 0.01


class SyndromeEnvironment(Environment):
    """Three patients, eight fevers, six examinations."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._handbook: Dict[str, Dict[str, str]] = {}
        self._illnesses: List[str] = []
        self._findings: Dict[str, str] = {}
        self._examined = 0
        self._done = True
        self._state = SyndromeState()

    # ---------------------------------------------------------------- the ward

    @staticmethod
    def _write_handbook(rng: random.Random) -> Dict[str, Dict[str, str]]:
        """Draws the picture of each fever; any two differ in two findings or more."""
        handbook: Dict[str, Dict[str, str]] = {}
        for fever in FEVERS:
            while True:
                picture = {name: rng.choice(shown) for name, shown in EXAMINATIONS.items()}
                if all(
                    sum(picture[name] != other[name] for name in EXAMINATIONS) >= 2
                    for other in handbook.values()
                ):
                    break
            handbook[fever] = picture
        return handbook

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> SyndromeObservation:
        rng = random.Random(seed)
        self._handbook = self._write_handbook(rng)
        self._illnesses = [rng.choice(FEVERS) for _ in range(PATIENTS)]
        self._findings = {}
        self._examined = 0
        self._done = False
        self._state = SyndromeState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._observe("The first patient is waiting.")

    # ------------------------------------------------------------------- marks

    def _mark(self, odds: Dict[str, float]) -> float:
        """Brier mark of the odds, less the cost of the examinations."""
        illness = self._illnesses[self._state.concluded]
        total = sum(odds.values())
        misses = [
            (odds.get(fever, 0.0) / total - (1.0 if fever == illness else 0.0)) ** 2
            for fever in FEVERS
        ]
        brier = sum(misses) / len(misses)
        mark = 1.0 - brier - EXAMINATION_COST * self._examined
        return round(max(0.0, mark) / PATIENTS, 4)

    # -------------------------------------------------------------------- play

    def step(
        self,
        action: SyndromeAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> SyndromeObservation:
        if self._done:
            return self._observe("The round is over.")
        self._state.step_count += 1
        reward = 0.0
        if (action.examine is None) == (action.odds is None):
            message = "Either examine or state odds."
        elif action.examine is not None:
            message = self._examine(action.examine)
        elif not set(action.odds) <= set(FEVERS):
            message = "The odds name a fever that is not in the handbook."
        elif sum(action.odds.values()) < 1e-6:
            message = "At least one of the odds must be above 0."
        else:
            reward = self._mark(action.odds)
            self._state.concluded += 1
            self._findings, self._examined = {}, 0
            message = "Noted. The next patient, please."
        if self._state.concluded == PATIENTS:
            self._done = True
            message = "Noted. The round is over."
        elif self._state.step_count >= MAX_ACTIONS:
            self._done = True
            message = "The shift is over."
        return self._observe(message, reward=reward)

    def _examine(self, name: str) -> str:
        if name not in EXAMINATIONS:
            return f"The examinations are {', '.join(EXAMINATIONS)}."
        illness = self._illnesses[self._state.concluded]
        self._findings[name] = self._handbook[illness][name]
        self._examined += 1
        self._state.examinations += 1
        return f"You examine the {name}: {self._findings[name]}."

    def _observe(self, message: str, reward: float = 0.0) -> SyndromeObservation:
        return SyndromeObservation(
            message=message,
            handbook={fever: dict(picture) for fever, picture in self._handbook.items()},
            patient=min(self._state.concluded + 1, PATIENTS),
            findings=dict(self._findings),
            actions_left=max(0, MAX_ACTIONS - self._state.step_count),
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> SyndromeState:
        return self._state
