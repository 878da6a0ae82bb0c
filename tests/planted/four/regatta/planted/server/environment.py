"""Rowing forecast: watch training runs, then rate the crews for the final."""

import random
from itertools import combinations
from typing import Any, Dict, List, Optional
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import RegattaAction, RegattaObservation, RegattaState
except ImportError:
    from models import RegattaAction, RegattaObservation, RegattaState

CLUBS = ["Aalborg", "Bled", "Cork", "Dole", "Evora", "Ghent", "Hove", "Izola", "Jena", "Lucerne", "Narva", "Olten", "Pula", "Tartu"]
CREWS = 8
RUNS = 20
SECONDS_PER_WIND = 3.0
SUCCESS_SHARE = 0.85


class RegattaEnvironment(Environment):
    """The forecast is scored pair by pair against the finishing order of the final."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = RegattaState()
        self._crews: List[str] = []
        self._runs: Dict[str, List[Dict[str, float]]] = {}
        self._upcoming: Dict[str, List[Dict[str, float]]] = {}
        self._finish: List[str] = []
        self._done = True
        self._share = 0.0

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> RegattaObservation:
        rng = random.Random(seed)
        self._crews = sorted(rng.sample(CLUBS, CREWS))
        pace = 380.0 + rng.uniform(-10.0, 10.0)
        speed = {}
        for crew in rng.sample(self._crews, CREWS):
            pace += rng.uniform(1.2, 3.0)
            speed[crew] = pace
        self._upcoming = {crew: [self._run(rng, speed[crew]) for _ in range(RUNS + 1)] for crew in self._crews}
        result = {crew: speed[crew] + rng.gauss(0.0, 0.4) for crew in self._crews}
        self._finish = sorted(self._crews, key=result.__getitem__)
        self._runs = {crew: [] for crew in self._crews}
        self._done, self._share = False, 0.0
        self._state = RegattaState(episode_id=episode_id or str(uuid4()), step_count=0, runs_left=RUNS)
        return self._observe("Training has begun. The final is tomorrow.", None)

    @staticmethod
    def _run(rng: random.Random, speed: float) -> Dict[str, float]:
        wind = round(rng.uniform(-2.0, 3.0), 1)
        return {"time": round(speed - SECONDS_PER_WIND * wind + rng.gauss(0.0, 0.9), 1), "tailwind": wind}

    def step(self, action: RegattaAction, timeout_s: Optional[float] = None, **kwargs: Any) -> RegattaObservation:
        if self._done:
            return self._observe("The final is over.", 0.0)
        self._state.step_count += 1

        if action.kind == "forecast":
            self._done = True
            self._state.forecast_given = True
            self._share = self._pair_share(action.ratings)
            return self._observe("Final rowed: " + ", ".join(self._finish) + ".", self._score())

        self._state.runs_left -= 1
        if action.crew in self._runs:
            run = self._upcoming[action.crew][len(self._runs[action.crew])]
            self._runs[action.crew].append(run)
            text = f"{action.crew}: {run['time']} s with {run['tailwind']:+} m/s."
        else:
            text = f"{action.crew!r} is not on the start list."
        if self._state.runs_left < 0:
            self._done = True
            text += " The deadline for forecasts has passed."
        return self._observe(text, 0.0)

    def _pair_share(self, ratings: Dict[str, float]) -> float:
        """Share of the pairs of crews that the ratings put in the order of the final."""
        right = total = 0
        for ahead, behind in combinations(self._finish, 2):
            total += 1
            if ratings.get(ahead, 0.0) >= ratings.get(behind, 0.0):
                right += 1
        return right / total

    def _score(self) -> float:
        """0 for half of the pairs or fewer, 1 for all of them."""
        return round(max(0.0, 2.0 * self._share - 1.0), 4)

    def _observe(self, text: str, reward: Optional[float]) -> RegattaObservation:
        return RegattaObservation(
            text=text,
            crews=list(self._crews),
            runs={crew: list(runs) for crew, runs in self._runs.items()},
            runs_left=max(0, self._state.runs_left),
            done=self._done,
            reward=reward,
            metadata={"success": self._share >= SUCCESS_SHARE},
        )

    @property
    def state(self) -> RegattaState:
        return self._state
