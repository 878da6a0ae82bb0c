"""A night shift of the harbour tugs."""

import random
from typing import Any, Dict, List, Optional
from uuid import uuid4

from openenv.core.env_server import Environment

try:
    from ..models import TugAction, TugObservation, TugState
except ImportError:
    from models import TugAction, TugObservation, TugState

NIGHT_HOURS = 16
MAX_ORDERS = 40
TUGS = 4
BERTHS = 3
NAMES = [
    "Alkmaar", "Bergen Star", "Cordelia", "Dione", "Estrella", "Frisia", "Gotland",
    "Halden", "Isola", "Juno", "Kestrel", "Lagan", "Mirna", "Norderney",
]


class HarbourTugsEnvironment(Environment[TugAction, TugObservation, TugState]):
    """Ships at anchor cost money until the tugs bring them in."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = TugState(episode_id=str(uuid4()))
        self._ships: Dict[str, Dict[str, Any]] = {}
        self._tug_jobs: List[Dict[str, int]] = []
        self._berth_until: List[int] = []
        self._reference = 1
        self._closed = True

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> TugObservation:
        rng = random.Random(seed)
        self._ships = {}
        for i, name in enumerate(rng.sample(NAMES, rng.randint(8, 10))):
            self._ships[name] = {
                "ship": name,
                "arrives": 0 if i < 2 else rng.randint(1, 12),
                "tugs": rng.choice([1, 2, 2, 3]),
                "tug_hours": rng.choice([1, 1, 2]),
                "berth_hours": rng.randint(2, 4),
                "rate": rng.randint(2, 12),
                "berthed": False,
            }
        self._tug_jobs = []
        self._berth_until = []
        self._reference = sum(
            s["rate"] * (NIGHT_HOURS - s["arrives"]) for s in self._ships.values()
        )
        self._closed = False
        self._state = TugState(episode_id=episode_id or str(uuid4()))
        return self._observe("The night shift begins.")

    # ------------------------------------------------------------------ state

    def _at_anchor(self) -> List[Dict[str, Any]]:
        return [
            s
            for s in self._ships.values()
            if not s["berthed"] and s["arrives"] <= self._state.hour
        ]

    def _tugs_free(self) -> int:
        return TUGS - sum(j["tugs"] for j in self._tug_jobs if j["until"] > self._state.hour)

    def _berths_free(self) -> int:
        return BERTHS - sum(until > self._state.hour for until in self._berth_until)

    # ------------------------------------------------------------------- step

    def step(
        self, action: TugAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> TugObservation:
        if self._closed:
            return self._observe("The shift is closed.")
        self._state.step_count += 1
        if action.order == "berth":
            report = self._berth(action.ship or "")
        elif action.order == "next_hour":
            self._end_hour()
            report = f"It is hour {self._state.hour}."
        else:
            report = "The crews go home."
        if (
            action.order == "stand_down"
            or self._state.hour >= NIGHT_HOURS
            or self._state.step_count >= MAX_ORDERS
        ):
            self._closed = True
            return self._observe(report, reward=self._settle())
        return self._observe(report, reward=0.0)

    def _berth(self, name: str) -> str:
        ship = self._ships.get(name)
        if ship is None or ship not in self._at_anchor():
            return f"{name or 'That ship'} is not at anchor."
        if self._tugs_free() < ship["tugs"]:
            return f"{name} needs {ship['tugs']} tugs, {self._tugs_free()} are free."
        if self._berths_free() < 1:
            return "No berth is free."
        hour = self._state.hour
        ship["berthed"] = True
        self._tug_jobs.append({"tugs": ship["tugs"], "until": hour + ship["tug_hours"]})
        self._berth_until.append(hour + ship["tug_hours"] + ship["berth_hours"])
        self._state.berthed = self._state.berthed + [name]
        return f"{name} is brought in by {ship['tugs']} tugs."

    def _end_hour(self) -> None:
        self._state.demurrage += sum(s["rate"] for s in self._at_anchor())
        self._state.hour += 1

    def _settle(self) -> float:
        """Close the books of the night."""
        return max(0.0, 1.0 - self._state.demurrage / self._reference)

    # ------------------------------------------------------------ observation

    def _observe(self, report: str, reward: Optional[float] = None) -> TugObservation:
        fields = ("ship", "arrives", "tugs", "tug_hours", "berth_hours", "rate")
        metadata: Dict[str, Any] = {}
        if self._closed:
            metadata = {
                "berthed": len(self._state.berthed),
                "ships": len(self._ships),
                "success": len(self._state.berthed) == len(self._ships),
            }
        return TugObservation(
            done=self._closed,
            reward=reward,
            metadata=metadata,
            hour=self._state.hour,
            anchorage=[{k: s[k] for k in fields} for s in self._at_anchor()],
            expected=[
                {k: s[k] for k in fields}
                for s in self._ships.values()
                if s["arrives"] > self._state.hour
            ],
            tugs_total=TUGS,
            tugs_free=self._tugs_free(),
            berths_total=BERTHS,
            berths_free=self._berths_free(),
            demurrage=self._state.demurrage,
            report=report,
        )

    @property
    def state(self) -> TugState:
        return self._state
