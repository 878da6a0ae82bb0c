"""Cave survey: put enough metres of passage on the map before the lamps fade."""

import random
from typing import Any, Dict, List, Optional, Tuple
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import CavernAction, CavernObservation, CavernState
except ImportError:
    from models import CavernAction, CavernObservation, CavernState

PREFIXES = ["Adder", "Bracken", "Cold", "Drip", "Echo", "Fox", "Gannet", "Hollow"]
KINDS = ["Pot", "Hole", "Cave", "Swallet"]
STATIONS = 9
EXTRA_LEGS = 3
LIGHT = 24
COST = {"survey": 2, "walk": 1}
TARGET_LEGS = 5


class SurveyNotebook:
    """Surveyed legs and their lengths; a leg measured again is not a new leg."""

    def __init__(self) -> None:
        self._legs: Dict[Tuple[str, str, str], float] = {}

    def add(self, cave: str, a: str, b: str, metres: float) -> bool:
        key = (cave, min(a, b), max(a, b))
        new = key not in self._legs
        self._legs[key] = metres
        return new

    def total(self) -> float:
        return sum(self._legs.values())


class CavernEnvironment(Environment):
    """The team starts at station S0; surveying a leg takes it to the other end."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    notebook: SurveyNotebook = SurveyNotebook()

    def __init__(self) -> None:
        super().__init__()
        self._state = CavernState()
        self._cave = ""
        self._legs: Dict[str, Dict[str, float]] = {}
        self._here = ""
        self._target = 1.0
        self._done = True

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> CavernObservation:
        rng = random.Random(seed)
        self._cave = f"{rng.choice(PREFIXES)} {rng.choice(KINDS)} {rng.randint(100, 999)}"
        self._legs = {f"S{i}": {} for i in range(STATIONS)}
        names = list(self._legs)
        for i in range(1, STATIONS):
            self._connect(rng, names[rng.randrange(max(0, i - 3), i)], names[i])
        for _ in range(EXTRA_LEGS):
            a, b = rng.sample(names, 2)
            self._connect(rng, a, b)
        lengths = [m for a in names for b, m in self._legs[a].items() if a < b]
        self._target = round(TARGET_LEGS * sum(lengths) / len(lengths), 1)
        self._here = "S0"
        self._done = False
        self._state = CavernState(episode_id=episode_id or str(uuid4()), step_count=0, light_left=LIGHT, station="S0")
        return self._observe(f"Lamps lit at the entrance of {self._cave}.", None)

    def _connect(self, rng: random.Random, a: str, b: str) -> None:
        metres = round(rng.uniform(12.0, 24.0), 1)
        self._legs[a].setdefault(b, metres)
        self._legs[b].setdefault(a, self._legs[a][b])

    def step(self, action: CavernAction, timeout_s: Optional[float] = None, **kwargs: Any) -> CavernObservation:
        if self._done:
            return self._observe("The trip is over.", 0.0)
        self._state.step_count += 1
        if action.kind == "surface":
            return self._finish("The team is back at the hut and files its notes.")

        self._state.light_left -= COST[action.kind]
        measured = 0.0
        if self._state.light_left < 0:
            return self._finish("The lamps fade, the team turns round and files its notes.")
        if action.to not in self._legs[self._here]:
            log = f"There is no passage from {self._here} to {action.to}."
        else:
            log = f"The team is at {action.to}."
            if action.kind == "survey":
                measured = self._legs[self._here][action.to]
                new = self.notebook.add(self._cave, self._here, action.to, measured)
                log += " New leg surveyed." if new else " That leg was in the notes already."
            self._here = action.to
            self._state.station = action.to
        if self._state.light_left == 0:
            return self._finish(log + " The lamps are used up, the team files its notes.", measured)
        return self._observe(log, 0.0, measured)

    def _finish(self, log: str, measured: float = 0.0) -> CavernObservation:
        self._done = True
        self._state.light_left = max(0, self._state.light_left)
        return self._observe(log, self._score(), measured)

    def _score(self) -> float:
        """Surveyed metres as a share of what the club asked for."""
        return round(min(1.0, self.notebook.total() / self._target), 4)

    def _observe(self, log: str, reward: Optional[float], measured: float = 0.0) -> CavernObservation:
        return CavernObservation(
            log=log,
            cave=self._cave,
            station=self._here,
            passages=sorted(self._legs.get(self._here, {})),
            measured_m=measured,
            target_m=self._target,
            light_left=max(0, self._state.light_left),
            done=self._done,
            reward=reward,
        )

    @property
    def state(self) -> CavernState:
        return self._state
