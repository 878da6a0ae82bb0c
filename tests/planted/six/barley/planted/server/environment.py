"""An incomplete block trial of ten barley varieties, to be harvested and ranked."""

import math
import random
import uuid
from itertools import combinations
from typing import Any, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import BarleyAction, BarleyObservation, BarleyState, Plot
except ImportError:
    from models import BarleyAction, BarleyObservation, BarleyState, Plot

CATALOGUE = [
    "Albion", "Brigid", "Cassia", "Dunmore", "Estuary", "Fenella", "Garnet", "Hallmark",
    "Isolde", "Jasper", "Kestrel", "Linnet", "Maris", "Norna", "Orwell", "Puffin",
]
VARIETIES = 10
BLOCKS = 10
PER_BLOCK = 5
DAYS = 14
DRY_PCT = 14.0


def rank_agreement(truth: List[float], given: List[float]) -> float:
    """Kendall's tau: 1 for the same order, 0 for no relation (negatives count as 0)."""
    pairs = list(combinations(range(len(truth)), 2))
    discordant = sum(
        (truth[i] - truth[j]) * (given[i] - given[j]) < 0 for i, j in pairs
    )
    return max(0.0, 1 - 2 * discordant / len(pairs))


class BarleyEnvironment(Environment):
    """Ten blocks of five plots; one ranking, by merit values."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._varieties: List[str] = []
        self._merits: List[float] = []
        self._field: List[List[Plot]] = []
        self._standing: List[int] = []
        self._done = True
        self._state = BarleyState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> BarleyObservation:
        rng = random.Random(seed)
        self._varieties = rng.sample(CATALOGUE, VARIETIES)
        steps = [5.2 + 0.12 * i + rng.uniform(0, 0.03) for i in range(VARIETIES)]
        rng.shuffle(steps)
        self._merits = steps
        self._field = [
            self._sow(block, layout, rng) for block, layout in enumerate(self._layouts(rng))
        ]
        self._standing = list(range(BLOCKS))
        self._done = False
        self._state = BarleyState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._observe("The trial is ripe. Ten blocks are standing.")

    @staticmethod
    def _layouts(rng: random.Random) -> List[List[int]]:
        """Which varieties stand in which block; two blocks make one replicate."""
        layouts = []
        for _ in range(BLOCKS // 2):
            order = rng.sample(range(VARIETIES), VARIETIES)
            layouts += [order[:PER_BLOCK], order[PER_BLOCK:]]
        return layouts

    def _sow(self, block: int, layout: List[int], rng: random.Random) -> List[Plot]:
        """The plots of one block: merit, soil of the block, a little noise."""
        soil = rng.uniform(-2.6, 2.6)
        plots = []
        for variety in layout:
            tonnes = self._merits[variety] + soil + rng.gauss(0, 0.015)
            area = rng.choice([9.0, 10.0, 12.0])
            moisture = round(rng.uniform(12.5, 21.0), 1)
            dry_kg = tonnes / 10 * area
            plots.append(
                Plot(
                    block=block,
                    variety=self._varieties[variety],
                    weight_kg=round(dry_kg * (100 - DRY_PCT) / (100 - moisture), 3),
                    moisture_pct=moisture,
                    area_m2=area,
                )
            )
        return plots

    def step(
        self,
        action: BarleyAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> BarleyObservation:
        if self._done:
            return self._observe("The trial is closed.")
        self._state.step_count += 1
        note, plots, reward = "Harvest a block or hand in the merits.", [], 0.0
        if action.merits is not None:
            if len(action.merits) != VARIETIES or not all(map(math.isfinite, action.merits)):
                note = f"The list needs {VARIETIES} finite numbers."
            else:
                reward = round(rank_agreement(self._merits, action.merits), 4)
                self._done = True
                note = "The ranking goes to the seed board."
        elif action.harvest in self._standing:
            self._standing.remove(action.harvest)
            self._state.blocks_harvested += 1
            plots = self._field[action.harvest]
            note = f"Block {action.harvest} is in the barn."
        elif action.harvest is not None:
            note = f"Block {action.harvest} is not standing."
        if not self._done and self._state.step_count >= DAYS:
            self._done = True
            note = "The season is over, no ranking was handed in."
        return self._observe(note, plots, reward)

    def _observe(
        self, note: str, plots: Optional[List[Plot]] = None, reward: float = 0.0
    ) -> BarleyObservation:
        return BarleyObservation(
            note=note,
            varieties=self._varieties,
            blocks=list(self._standing),
            plots=plots or [],
            days_left=max(0, DAYS - self._state.step_count),
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> BarleyState:
        return self._state
