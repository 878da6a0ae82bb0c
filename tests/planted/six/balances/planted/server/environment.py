"""A morning in the calibration laboratory: four analytical balances, one technician."""

import random
import uuid
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import State

try:
    from ..models import BalancesAction, BalancesObservation, Kind
except ImportError:
    from models import BalancesAction, BalancesObservation, Kind

LOADS = [50, 100, 200]
TOLERANCE_MG = 5.0
ON_BENCH = 4
MAX_STEPS = 40
SPAN_RANGE = (0.99, 1.01)
ZERO_RANGE_MG = 500.0


@dataclass
class Balance:
    """A balance with its errors; `bend` is the share that no adjustment removes."""

    offset_mg: float
    gain: float
    bend_mg: float
    zero_mg: float = 0.0
    span: float = 1.0
    status: str = "waiting"

    @property
    def faulty(self) -> bool:
        return self.bend_mg != 0.0

    def reading(self, load: int) -> float:
        raw = load * (1 + self.gain) + self.offset_mg / 1000
        if load == 100:
            raw += self.bend_mg / 1000
        return round(raw * self.span - self.zero_mg / 1000, 3)


class BalancesEnvironment(Environment):
    """Weigh, adjust, certify; withdraw what cannot be put right."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._bench: Dict[str, Balance] = {}
        self._settled_well = 0
        self._done = True
        self._state = State()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> BalancesObservation:
        rng = random.Random(seed)
        tags = [f"BAL-{n}" for n in sorted(rng.sample(range(1, 100), ON_BENCH))]
        bent = rng.choice(tags)
        self._bench = {}
        for tag in tags:
            self._bench[tag] = Balance(
                offset_mg=rng.choice([-1, 1]) * rng.uniform(12, 80),
                gain=rng.choice([-1, 1]) * rng.uniform(150, 900) / 1e6,
                bend_mg=rng.choice([-1, 1]) * rng.uniform(26, 60) if tag == bent else 0.0,
            )
        self._settled_well = 0
        self._done = False
        self._state = State(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._observe("Four balances are on the bench.")

    # ---------------------------------------------------------------- the actions

    def _weigh(self, balance: Balance, load: Optional[int]) -> Dict[str, Any]:
        if load not in LOADS:
            return {"message": "There is no such reference mass."}
        return {"message": f"{load} g on the pan.", "reading": balance.reading(load)}

    def _adjust(self, balance: Balance, zero_mg: float, span: float) -> Dict[str, Any]:
        low, high = SPAN_RANGE
        if not (low <= span <= high and abs(zero_mg) <= ZERO_RANGE_MG):
            return {"message": "Out of the range of the adjustment."}
        balance.zero_mg, balance.span = zero_mg, span
        return {"message": "Adjustment stored; it replaces the one before."}

    def _conforms(self, balance: Balance, readings: List[float]) -> bool:
        return all(
            abs(shown - load) * 1000 <= TOLERANCE_MG
            for load, shown in zip(LOADS, readings)
        )

    def _settle(self, balance: Balance, well: bool, status: str) -> Dict[str, Any]:
        balance.status = status
        self._settled_well += well
        return {"message": f"Balance {status}.", "reward": well / ON_BENCH}

    def step(
        self,
        action: BalancesAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> BalancesObservation:
        if self._done:
            return self._observe("The bench is cleared.", success=self._success())
        self._state.step_count += 1
        balance = self._bench.get(action.balance)
        if balance is None:
            outcome = {"message": f"No balance {action.balance!r} on the bench."}
        elif balance.status != "waiting":
            outcome = {"message": f"This balance has been {balance.status} already."}
        elif action.kind is Kind.WEIGH:
            outcome = self._weigh(balance, action.load)
        elif action.kind is Kind.ADJUST:
            outcome = self._adjust(balance, action.zero_mg, action.span)
        elif action.kind is Kind.WITHDRAW:
            outcome = self._settle(balance, balance.faulty, "withdrawn")
        elif len(action.readings) != len(LOADS):
            outcome = {"message": "A certificate needs the readings at 50, 100 and 200 g."}
        else:
            passed = self._conforms(balance, action.readings)
            outcome = self._settle(balance, passed, "certified" if passed else "refused")
        waiting = any(b.status == "waiting" for b in self._bench.values())
        self._done = not waiting or self._state.step_count >= MAX_STEPS
        if self._done:
            outcome["success"] = self._success()
        return self._observe(**outcome)

    def _success(self) -> bool:
        return self._settled_well == ON_BENCH

    def _observe(self, message: str, **more: Any) -> BalancesObservation:
        more.setdefault("reward", 0.0)
        return BalancesObservation(
            message=message,
            bench={tag: balance.status for tag, balance in self._bench.items()},
            loads=LOADS,
            tolerance_mg=TOLERANCE_MG,
            steps_left=max(0, MAX_STEPS - self._state.step_count),
            done=self._done,
            **more,
        )

    @property
    def state(self) -> State:
        return self._state
