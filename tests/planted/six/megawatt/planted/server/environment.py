"""Day-ahead load forecasting for a town with electric heating and a foundry."""

import math
import random
import uuid
from typing import Any, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import DaySheet, LoadForecast, LoadObservation, LoadState
except ImportError:
    from models import DaySheet, LoadForecast, LoadObservation, LoadState

BLOCKS = 12
DAYS = 6
WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
WEEKEND_SHARE = 0.86
HEATING_BELOW = 15.0
# Households and shops over the day, as a share of the town's size.
PROFILE = [0.72, 0.66, 0.68, 0.88, 1.05, 1.10, 1.12, 1.06, 1.08, 1.24, 1.18, 0.92]


def mape(forecast: List[float], metered: List[float]) -> float:
    """Mean absolute percentage error, as a share."""
    return sum(abs(f - m) / m for f, m in zip(forecast, metered)) / len(metered)


class MegawattEnvironment(Environment):
    """Six winter days, one forecast each."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._sheets: List[DaySheet] = []
        self._loads: List[List[float]] = []
        self._heating = 0.0
        self._day = 0
        self._done = True
        self._state = LoadState()

    # ----------------------------------------------------------------- the town

    def _weather(self, rng: random.Random, mean: float) -> List[float]:
        swing = rng.uniform(1.5, 3.5)
        return [
            round(mean - swing * math.cos(2 * math.pi * (b - 1.5) / BLOCKS), 1)
            for b in range(BLOCKS)
        ]

    def _foundry(self, rng: random.Random, weekday: str) -> List[float]:
        booked = [0.0] * BLOCKS
        if weekday == "Sun" or rng.random() < 0.3:
            return booked
        start, length = rng.randrange(2, 7), rng.choice([3, 4, 5])
        melt = float(rng.randrange(9, 19))
        for block in range(start, start + length):
            booked[block] = melt
        return booked

    def _meter(
        self, rng: random.Random, sheet: DaySheet, households: List[float]
    ) -> List[float]:
        share = WEEKEND_SHARE if sheet.weekday in ("Sat", "Sun") else 1.0
        load = []
        for block in range(BLOCKS):
            cold = max(0.0, HEATING_BELOW - sheet.temperature[block])
            mw = share * households[block] + self._heating * cold
            mw += sheet.foundry_mw[block]
            load.append(round(mw * (1 + rng.gauss(0, 0.008)), 1))
        return load

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> LoadObservation:
        rng = random.Random(seed)
        size = rng.uniform(85, 125)
        households = [size * p * rng.uniform(0.93, 1.07) for p in PROFILE]
        self._heating = round(rng.uniform(1.5, 2.3), 2)
        first = rng.randrange(7)
        mean = rng.uniform(1, 10)
        self._sheets, self._loads = [], []
        for number in range(DAYS + 1):
            weekday = WEEKDAYS[(first + number) % 7]
            sheet = DaySheet(
                weekday=weekday,
                temperature=self._weather(rng, mean),
                foundry_mw=self._foundry(rng, weekday),
            )
            self._sheets.append(sheet)
            self._loads.append(self._meter(rng, sheet, households))
            shift = rng.uniform(4, 7)
            mean += shift if mean < 1 or (mean < 9 and rng.random() < 0.5) else -shift
        self._day = 1
        self._done = False
        self._state = LoadState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0, day=1
        )
        return self._observe("The control room asks for tomorrow's load.")

    # ----------------------------------------------------------------- the desk

    def _credit(self, forecast: List[float]) -> float:
        """How good a forecast of the coming day is, from 0 to 1."""
        metered = self._loads[self._day]
        return max(0.0, 1.0 - mape(forecast, metered))

    def step(
        self,
        action: LoadForecast,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> LoadObservation:
        if self._done:
            return self._observe("The week is over.")
        self._state.step_count += 1
        forecast = action.load_mw
        error = None
        reward = 0.0
        if len(forecast) != BLOCKS or not all(math.isfinite(f) for f in forecast):
            message = f"A forecast has {BLOCKS} values. The day passes without one."
        else:
            error = mape(forecast, self._loads[self._day])
            reward = self._credit(forecast) / DAYS
            self._state.errors_percent.append(round(100 * error, 2))
            message = f"The forecast was off by {100 * error:.1f} percent."
        self._day += 1
        self._done = self._day > DAYS
        self._state.day = min(self._day, DAYS)
        return self._observe(message, reward, error)

    def _observe(
        self, message: str, reward: float = 0.0, error: Optional[float] = None
    ) -> LoadObservation:
        day = min(self._day, DAYS + 1)
        return LoadObservation(
            message=message,
            day=day,
            coming=self._sheets[day] if day <= DAYS and self._sheets else None,
            last=self._sheets[day - 1] if self._sheets else None,
            last_load_mw=list(self._loads[day - 1]) if self._loads else [],
            heating_mw_per_degree=self._heating,
            last_error_percent=None if error is None else round(100 * error, 2),
            reward=round(reward, 6),
            done=self._done,
        )

    @property
    def state(self) -> LoadState:
        return self._state
