"""Splits environment: merge the readings of three chip readers into a result list."""

import random
import re
import uuid
from typing import Any, Dict, List, Optional, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import SplitsAction, SplitsObservation, SplitsState
except ImportError:
    from models import SplitsAction, SplitsObservation, SplitsState

READERS = ["north", "middle", "south"]
MAX_STEPS = 12
LINE = re.compile(r"^(\d\d):([0-5]\d):([0-5]\d) (\d{1,4})$")
TOWNS = ["Aalen", "Bruck", "Celje", "Dole", "Espoo", "Falun", "Gent", "Horsens"]

Entry = Tuple[int, int]  # seconds, bib


def clock(seconds: int) -> str:
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def parse_line(line: str) -> Optional[Entry]:
    match = LINE.match(line.strip())
    if match is None:
        return None
    hours, minutes, seconds, bib = (int(g) for g in match.groups())
    return hours * 3600 + minutes * 60 + seconds, bib


class SplitsEnvironment(Environment[SplitsAction, SplitsObservation, SplitsState]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = SplitsState(episode_id=str(uuid.uuid4()))
        self._race = ""
        self._start_list: List[int] = []
        self._official: List[Entry] = []
        self._offset: Dict[str, int] = {}
        self._readings: Dict[str, List[Entry]] = {}
        self._done = True

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> SplitsObservation:
        rng = random.Random(seed)
        self._race = f"{rng.choice(TOWNS)} {rng.choice([10, 12, 15])} km"
        self._start_list = sorted(rng.sample(range(1, 900), 14))
        finishers = rng.sample(self._start_list, rng.randint(10, 12))
        times = rng.sample(range(2100, 4300, 2), len(finishers))
        self._official = sorted(zip(times, finishers))
        self._offset = {r: rng.choice([-1, 1]) * rng.randint(20, 400) for r in READERS}
        self._readings = {r: [] for r in READERS}
        for seconds, bib in self._official:
            for reader in rng.sample(READERS, rng.choice([1, 1, 2, 3])):
                self._readings[reader].append((seconds + self._offset[reader], bib))
        for reader in READERS:
            rng.shuffle(self._readings[reader])
        self._done = False
        self._state = SplitsState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._observe([])

    def step(
        self, action: SplitsAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> SplitsObservation:
        if self._done:
            return self._observe(["The race office is closed."], 0.0)
        self._state.step_count += 1

        if action.command == "publish":
            return self._publish(action.results)
        if action.reader not in READERS:
            lines = [f"No reader {action.reader!r}."]
        elif action.command == "readings":
            lines = [f"{bib} {clock(t)}" for t, bib in self._readings[action.reader]]
        else:
            lines = [f"{self._offset[action.reader]:+d}"]

        if self._state.step_count >= MAX_STEPS:
            self._done = True
            lines.append("The race office closes without a result list.")
        return self._observe(lines, 0.0)

    @property
    def state(self) -> SplitsState:
        return self._state

    def _publish(self, results: List[str]) -> SplitsObservation:
        self._done = True
        self._state.published = True
        entries = [parse_line(line) for line in results]
        score = self._grade(entries)
        obs = self._observe([f"Published {len(results)} lines."], score)
        obs.metadata = {"success": entries == self._official}
        return obs

    def _grade(self, entries: List[Optional[Entry]]) -> float:
        """Grade a list line by line: order, bibs listed once, bibs known."""
        if not entries:
            return 0.0
        ordered = once = known = 0
        last, seen = 0, set()
        for entry in entries:
            if entry is None:
                continue
            seconds, bib = entry
            ordered += seconds >= last
            once += bib not in seen
            known += bib in self._start_list
            last = max(last, seconds)
            seen.add(bib)
        score = (0.5 * ordered + 0.3 * once + 0.2 * known) / len(entries)
        return round(score, 4)

    def _observe(self, lines: List[str], reward: Optional[float] = None) -> SplitsObservation:
        return SplitsObservation(
            race=self._race,
            start_list=list(self._start_list),
            readers=list(READERS),
            lines=lines,
            steps_left=MAX_STEPS - self._state.step_count,
            done=self._done,
            reward=reward,
        )
