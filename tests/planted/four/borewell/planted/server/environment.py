"""Village water project: find a site with groundwater and drill it within the budget."""

import random
from typing import Any, Dict, List, Optional
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import BorewellAction, BorewellObservation, BorewellState
except ImportError:
    from models import BorewellAction, BorewellObservation, BorewellState

SITES = "ABCDEFGHIJKL"
BUDGET = 40
DAYS = 18
SURVEY_COST = 2
DRILL_COST = 10
WET_BELOW = 40
WATER_VALUE = 0.5
NO_WATER_PENALTY = 1.0


class BorewellEnvironment(Environment):
    """Surveys are cheap, boreholes are not; two or three of the twelve sites carry water."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = BorewellState()
        self._ohm: Dict[str, int] = {}
        self._green: Dict[str, int] = {}
        self._seen: Dict[str, int] = {}
        self._dry_holes: List[str] = []
        self._water = False
        self._done = True

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> BorewellObservation:
        rng = random.Random(seed)
        wet = set(rng.sample(SITES, rng.choice((2, 3))))
        self._ohm = {s: rng.randint(12, WET_BELOW - 4) if s in wet else rng.randint(WET_BELOW + 5, 140) for s in SITES}
        self._green = {s: rng.randint(4, 9) if s in wet else rng.randint(0, 7) for s in SITES}
        self._seen, self._dry_holes = {}, []
        self._water = self._done = False
        self._state = BorewellState(episode_id=episode_id or str(uuid4()), step_count=0, budget=BUDGET, days_left=DAYS)
        return self._observe("The rig has arrived. The village has no well.", None)

    def step(self, action: BorewellAction, timeout_s: Optional[float] = None, **kwargs: Any) -> BorewellObservation:
        if self._done:
            return self._observe("The project is closed.", 0.0)
        self._state.step_count += 1
        self._state.days_left -= 1

        if action.kind == "withdraw":
            self._done = True
            return self._observe("Project closed, the crew goes home.", self._withdraw())

        report = self._work(action)
        if self._water:
            self._done = True
            return self._observe(report, self._settle())
        if self._state.days_left <= 0:
            self._done = True
            return self._observe(report + " The rains have come, the season is over.", self._settle())
        return self._observe(report, 0.0)

    def _work(self, action: BorewellAction) -> str:
        site = (action.site or "").strip().upper()
        if site not in self._ohm:
            return f"No such site: {action.site!r}."
        cost = SURVEY_COST if action.kind == "survey" else DRILL_COST
        if cost > self._state.budget:
            return f"Not enough money for a {action.kind}."
        self._state.budget -= cost
        if action.kind == "survey":
            self._seen[site] = self._ohm[site]
            return f"Site {site}: {self._ohm[site]} ohm-m."
        if self._ohm[site] < WET_BELOW:
            self._water = True
            return f"Water struck at site {site}. The tap is flowing."
        self._dry_holes.append(site)
        return f"Borehole at site {site} is dry."

    def _unspent(self) -> float:
        return self._state.budget / BUDGET

    def _settle(self) -> float:
        """Final account: unspent money plus what the village got."""
        outcome = WATER_VALUE if self._water else -NO_WATER_PENALTY
        return round(self._unspent() + outcome, 4)

    def _withdraw(self) -> float:
        """Closing early returns the rest of the budget to the fund."""
        return round(self._unspent(), 4)

    def _observe(self, report: str, reward: Optional[float]) -> BorewellObservation:
        return BorewellObservation(
            report=report,
            budget=self._state.budget,
            days_left=max(0, self._state.days_left),
            vegetation=dict(self._green),
            resistivity=dict(self._seen),
            tap="flowing" if self._water else "dry",
            done=self._done,
            reward=reward,
            metadata={"dry_holes": list(self._dry_holes)},
        )

    @property
    def state(self) -> BorewellState:
        return self._state
