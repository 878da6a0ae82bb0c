"""Specimen: identify the typeface of a printed sheet with the help of a specimen book."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import SpecimenAction, SpecimenObservation, SpecimenState
except ImportError:
    from models import SpecimenAction, SpecimenObservation, SpecimenState

FEATURES: Dict[str, List[str]] = {
    "serif": ["bracketed", "slab", "hairline", "wedge", "none"],
    "stress": ["oblique", "vertical", "absent"],
    "x_height": ["low", "medium", "high"],
    "ear_of_g": ["flag", "teardrop", "straight"],
    "terminal": ["ball", "beak", "sheared"],
    "ampersand": ["italic", "roman", "et-ligature"],
}
FIRST = ["Alder", "Bram", "Cor", "Dun", "Elze", "Fal", "Garm", "Hol", "Ister", "Jan"]
LAST = ["grotesk", "antiqua", "mont", "field", "vir", "son", "mediaeval", "text"]

BOOK_SIZE = 24
MAX_STEPS = 36

NAMED_REWARD = 1.0
INSPECTION_COST = 0.01
WRONG_NAME_COST = 0.1
MAX_DEDUCTION = 0.15


class SpecimenEnvironment(Environment):
    """One sheet per episode, drawn from a freshly composed specimen book."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = SpecimenState()
        self._book: List[Dict[str, str]] = []
        self._sheet: Dict[str, str] = {}
        self._found: Dict[str, str] = {}
        self._deducted = 0.0
        self._done = True

    # ----------------------------------------------------------------- book

    def _compose_book(self, rng: random.Random) -> None:
        names = rng.sample([a + b for a in FIRST for b in LAST], BOOK_SIZE)
        used = set()
        self._book = []
        for name in sorted(names):
            while True:
                values = tuple(rng.choice(options) for options in FEATURES.values())
                if values not in used:
                    used.add(values)
                    break
            self._book.append({"typeface": name, **dict(zip(FEATURES, values))})
        self._sheet = rng.choice(self._book)

    # ------------------------------------------------------------------ API

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> SpecimenObservation:
        self._compose_book(random.Random(seed))
        self._found = {}
        self._deducted = 0.0
        self._done = False
        self._state = SpecimenState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._observe("A printed sheet lies under the loupe.", None)

    def step(
        self,
        action: SpecimenAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> SpecimenObservation:
        if self._done:
            return self._observe("The sheet has been filed.", 0.0)

        self._state.step_count += 1
        value = action.value.strip()
        success = False

        if action.op == "inspect":
            reward, message = self._inspect(value.lower())
        elif value.lower() == self._sheet["typeface"].lower():
            success = self._done = True
            reward, message = NAMED_REWARD, f"Yes, the sheet is set in {value}."
        else:
            self._state.wrong_names += 1
            reward = -self._deduct(WRONG_NAME_COST)
            message = f"No, the sheet is not set in {value or 'that'}."

        if not self._done and self._state.step_count >= MAX_STEPS:
            self._done = True
            message += " The reading room closes."
        return self._observe(message, reward, success)

    def _inspect(self, feature: str) -> tuple[float, str]:
        self._state.inspections += 1
        if feature not in FEATURES:
            return -INSPECTION_COST, "There is no such feature to look at."
        self._found[feature] = self._sheet[feature]
        return -INSPECTION_COST, f"{feature}: {self._sheet[feature]}."

    def _deduct(self, amount: float) -> float:
        """Book a deduction and return what it costs."""
        amount = min(amount, MAX_DEDUCTION - self._deducted)
        self._deducted += amount
        return amount

    @property
    def state(self) -> SpecimenState:
        return self._state

    def _observe(
        self, message: str, reward: Optional[float], success: bool = False
    ) -> SpecimenObservation:
        return SpecimenObservation(
            book=[dict(entry) for entry in self._book],
            features=list(FEATURES),
            found=dict(self._found),
            steps_left=MAX_STEPS - self._state.step_count,
            message=message,
            done=self._done,
            reward=None if reward is None else round(reward, 6),
            metadata={"success": success, "wrong_names": self._state.wrong_names},
        )
