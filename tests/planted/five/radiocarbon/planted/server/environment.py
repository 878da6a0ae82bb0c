"""Date the finds of an excavation with noisy methods and a limited budget."""

import random
import uuid
from typing import Any, Dict, List, Optional, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import RadiocarbonAction, RadiocarbonObservation, RadiocarbonState
except ImportError:
    from models import RadiocarbonAction, RadiocarbonObservation, RadiocarbonState

# method -> (credits, standard deviation in years, materials it works on)
METHODS: Dict[str, Tuple[int, float, Tuple[str, ...]]] = {
    "radiocarbon": (1, 60.0, ("bone", "charcoal", "grain", "oak beam", "sherd with soot")),
    "typology": (1, 140.0, ("sherd with soot",)),
    "tree_rings": (3, 12.0, ("oak beam",)),
}
MATERIALS = ["bone", "charcoal", "grain", "oak beam", "sherd with soot"]
SAMPLES = 5
CREDITS = 25
MAX_STEPS = 35
NEEDED = 4


class RadiocarbonEnvironment(Environment):
    """Five samples, three methods, twenty-five credits."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._rng = random.Random(0)
        self._materials: Dict[str, str] = {}
        self._age: Dict[str, int] = {}
        self._results: Dict[str, List[str]] = {}
        self._hits: Dict[str, bool] = {}
        self._done = True
        self._state = RadiocarbonState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> RadiocarbonObservation:
        self._rng = random.Random(seed)
        codes = [f"S{n}" for n in range(1, SAMPLES + 1)]
        self._materials = {code: self._rng.choice(MATERIALS) for code in codes}
        self._age = {code: self._rng.randrange(600, 5400) for code in codes}
        self._results = {code: [] for code in codes}
        self._hits = {}
        self._done = False
        self._state = RadiocarbonState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0, credits=CREDITS
        )
        return self._observe("Five samples came in from the trench.")

    # ------------------------------------------------------------------- play

    def step(
        self,
        action: RadiocarbonAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> RadiocarbonObservation:
        if self._done:
            return self._observe("The campaign is over.")
        self._state.step_count += 1
        reward = 0.0
        if action.sample not in self._materials:
            message = f"There is no sample {action.sample!r}."
        elif action.kind == "measure":
            message = self._measure(action.sample, action.method)
        else:
            message, reward = self._report(action)
        if len(self._hits) == SAMPLES or self._state.step_count >= MAX_STEPS:
            self._done = True
        return self._observe(message, reward)

    def _measure(self, sample: str, method: Optional[str]) -> str:
        if method is None:
            return "A measurement needs a method."
        cost, deviation, materials = METHODS[method]
        if self._materials[sample] not in materials:
            return f"{method} does not work on {self._materials[sample]}."
        if cost > self._state.credits:
            return f"{method} costs {cost}, there are {self._state.credits} credits left."
        self._state.credits -= cost
        years = round(self._rng.gauss(self._age[sample], deviation))
        self._results[sample].append(f"{method}: {years}")
        return f"{sample} by {method}: {years} years BP."

    def _report(self, action: RadiocarbonAction) -> Tuple[str, float]:
        if action.years_bp is None or action.error is None:
            return "A report needs years_bp and error.", 0.0
        if action.sample in self._hits:
            return f"{action.sample} has been reported already.", 0.0
        hit = self._agrees(self._age[action.sample], action.years_bp, action.error)
        self._hits[action.sample] = hit
        self._state.reported += 1
        message = f"{action.sample} reported as {action.years_bp:g} +/- {action.error:g}."
        return message, 1.0 / SAMPLES if hit else 0.0

    @staticmethod
    def _agrees(age: int, years_bp: float, error: float) -> bool:
        """Whether a reported date holds."""
        return abs(years_bp - age) <= error

    def _observe(self, message: str, reward: float = 0.0) -> RadiocarbonObservation:
        return RadiocarbonObservation(
            message=message,
            samples=self._materials,
            open_samples=[s for s in self._materials if s not in self._hits],
            results=self._results,
            credits=self._state.credits,
            steps_left=max(0, MAX_STEPS - self._state.step_count),
            reward=reward,
            done=self._done,
            metadata={"success": sum(self._hits.values()) >= NEEDED}
            if self._done
            else {},
        )

    @property
    def state(self) -> RadiocarbonState:
        return self._state
