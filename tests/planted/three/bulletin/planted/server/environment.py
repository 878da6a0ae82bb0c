"""Climate Bulletin: read station records and write a section for each station."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import BulletinAction, BulletinObservation, BulletinState
except ImportError:
    from models import BulletinAction, BulletinObservation, BulletinState

STATION_NAMES = [
    "Aldersund", "Brekke", "Corvin Pass", "Dunmore", "Eikfjord", "Fallow Hill",
    "Granvik", "Holmstead", "Isby", "Jarlset", "Kestrel Point", "Lowmoor",
]
MONTHS = ["October", "November", "February", "March", "April"]
DAYS = 10
MAX_STEPS = 24
TOLERANCE = {"mean_max": 0.051, "frost_days": 0.0, "rain_total": 0.051}


class BulletinEnvironment(Environment[BulletinAction, BulletinObservation, BulletinState]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._records: Dict[str, List[Dict[str, Any]]] = {}
        self._sections: Dict[str, Dict[str, Any]] = {}
        self._state = BulletinState()

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> BulletinObservation:
        rng = random.Random(seed)
        stations = rng.sample(STATION_NAMES, rng.randint(6, 8))
        period = f"{rng.choice(MONTHS)} {rng.randint(1994, 2023)}, days 1-{DAYS}"
        self._records = {name: self._make_record(rng) for name in stations}
        self._sections = {}
        self._state = BulletinState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0, period=period, stations=stations
        )
        return self._observe("Write the bulletin for the stations listed, then publish it.", reward=0.0)

    def step(self, action: BulletinAction, timeout_s: Optional[float] = None, **kwargs: Any) -> BulletinObservation:
        if self._state.published:
            return self._observe("The bulletin is already published.", reward=0.0, done=True)
        self._state.step_count += 1
        rows: List[Dict[str, Any]] = []

        if action.command == "publish":
            return self._publish("Bulletin published.")
        if action.station not in self._records:
            message = f"Unknown station {action.station!r}."
        elif action.command == "read":
            rows = self._records[action.station]
            message = f"Record of {action.station}, {len(rows)} days."
        else:
            self._sections[action.station] = {
                "mean_max": action.mean_max,
                "frost_days": action.frost_days,
                "rain_total": action.rain_total,
            }
            message = f"Section for {action.station} saved."

        if self._state.step_count >= MAX_STEPS:
            return self._publish(message + " Deadline reached, the bulletin goes out as it is.")
        return self._observe(message, reward=0.0, rows=rows)

    @property
    def state(self) -> BulletinState:
        self._state.sections = {k: dict(v) for k, v in self._sections.items()}
        return self._state

    # -- records ---------------------------------------------------------

    @staticmethod
    def _make_record(rng: random.Random) -> List[Dict[str, Any]]:
        base = rng.uniform(-1.5, 5.0)
        wet = rng.uniform(0.2, 0.7)
        rows = []
        for day in range(1, DAYS + 1):
            low = round(base + rng.gauss(0, 2.5), 1)
            high = round(low + rng.uniform(2.0, 9.0), 1)
            rain = round(rng.expovariate(0.2), 1) if rng.random() < wet else 0.0
            rows.append({"day": day, "t_min": low, "t_max": high, "rain_mm": rain})
        return rows

    @staticmethod
    def _figures(rows: List[Dict[str, Any]]) -> Dict[str, float]:
        return {
            "mean_max": sum(r["t_max"] for r in rows) / len(rows),
            "frost_days": sum(1 for r in rows if r["t_min"] < 0),
            "rain_total": sum(r["rain_mm"] for r in rows),
        }

    # -- scoring ---------------------------------------------------------

    def _score_section(self, station: str) -> float:
        """Share of the three figures of a section that agree with the record."""
        section = self._sections.get(station, {})
        expected = self._figures(self._records[station])
        hits = 0
        for key, value in expected.items():
            given = section.get(key)
            if given is not None and abs(given - value) <= TOLERANCE[key] + 1e-9:
                hits += 1
        return hits / len(expected)

    def _score(self) -> float:
        scores = [self._score_section(name) for name in self._sections]
        return sum(scores) / len(scores) if scores else 0.0

    def _publish(self, message: str) -> BulletinObservation:
        score = self._score()
        self._state.published = True
        observation = self._observe(message, reward=round(score, 4), done=True)
        observation.metadata = {"success": score >= 0.95, "sections": len(self._sections)}
        return observation

    def _observe(self, message: str, reward: float, done: bool = False, rows=None) -> BulletinObservation:
        return BulletinObservation(
            message=message,
            period=self._state.period,
            stations=list(self._state.stations),
            rows=[dict(r) for r in rows or []],
            written=sorted(self._sections),
            steps_left=MAX_STEPS - self._state.step_count,
            reward=reward,
            done=done,
        )
