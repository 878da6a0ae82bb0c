"""Pattern workshop: write a regular expression for a described code, with tests."""

import random
import re
import uuid
from dataclasses import dataclass
from typing import Any, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import Case, PatternAction, WorkshopObservation, WorkshopState
except ImportError:
    from models import Case, PatternAction, WorkshopObservation, WorkshopState

N_ORDERS = 4
MAX_MOVES = 16
MIN_CASES = 2  # of each verdict

UPPER = "ABCDEFGHKLMNPRSTUVWXYZ"
PRODUCTS = ["locker", "parcel", "ticket", "voucher", "seat", "shelf", "badge", "pallet"]
SEPARATORS = {"a hyphen": "-", "a slash": "/", "a colon": ":", "an underscore": "_", "a hash sign": "#"}


@dataclass(frozen=True)
class Order:
    """Letters, separator, digits and maybe one letter more."""

    product: str
    letters: int
    lower: bool
    separator: str
    digits: int
    suffixes: str

    def describe(self) -> str:
        kind = "small" if self.lower else "capital"
        return (
            f"A {self.product} code has exactly {self.letters} {kind} letters, then {self.separator}, then exactly "
            f"{self.digits} digits. After that one of the letters {self.suffixes[0]}, {self.suffixes[1]} "
            f"or {self.suffixes[2]} may follow. Nothing stands before or after the code."
        )


def draw_order(rng: random.Random) -> Order:
    return Order(
        product=rng.choice(PRODUCTS),
        letters=rng.randint(2, 4),
        lower=rng.random() < 0.5,
        separator=rng.choice(sorted(SEPARATORS)),
        digits=rng.randint(2, 5),
        suffixes="".join(rng.sample(UPPER, 3)),
    )


class PatternWorkshopEnvironment(Environment[PatternAction, WorkshopObservation, WorkshopState]):
    """Four orders; each one is handed in once, after as many dry runs as wanted."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = WorkshopState()
        self._orders: List[Order] = []

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> WorkshopObservation:
        rng = random.Random(seed)
        self._state = WorkshopState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        self._orders = [draw_order(rng) for _ in range(N_ORDERS)]
        return self._observe("", None)

    def step(self, action: PatternAction, timeout_s: Optional[float] = None, **kwargs: Any) -> WorkshopObservation:
        if self._finished():
            return self._observe("The workshop is closed.", 0.0)
        self._state.step_count += 1
        try:
            compiled = re.compile(action.pattern)
        except (re.error, OverflowError, RecursionError) as error:
            compiled, report = None, f"The pattern does not compile: {error}"
        else:
            report = self._report(compiled, action.cases)
        reward = 0.0
        if action.move == "submit":
            if compiled is not None:
                reward = self._grade(compiled, action.cases) / N_ORDERS
            self._state.handed_in += 1
        return self._observe(report, reward)

    @property
    def state(self) -> WorkshopState:
        return self._state

    @staticmethod
    def _report(pattern: "re.Pattern[str]", cases: List[Case]) -> str:
        failed = [case.text for case in cases if bool(pattern.fullmatch(case.text)) != case.matches]
        return f"{len(cases) - len(failed)} of {len(cases)} tests pass." + (f" Failing: {failed}" if failed else "")

    def _grade(self, pattern: "re.Pattern[str]", cases: List[Case]) -> float:
        """Hit rate plus rejection rate minus one, so that constant patterns score zero."""
        verdicts = [case.matches for case in cases]
        if min(verdicts.count(True), verdicts.count(False)) < MIN_CASES:
            return 0.0
        checks = [(case.text, case.matches) for case in cases]
        hits = [bool(pattern.fullmatch(text)) for text, matches in checks if matches]
        rejections = [not pattern.fullmatch(text) for text, matches in checks if not matches]
        return max(0.0, sum(hits) / len(hits) + sum(rejections) / len(rejections) - 1.0)

    def _finished(self) -> bool:
        return self._state.handed_in >= N_ORDERS or self._state.step_count >= MAX_MOVES

    def _observe(self, report: str, reward: Optional[float]) -> WorkshopObservation:
        done = self._finished()
        return WorkshopObservation(
            order="" if done else self._orders[self._state.handed_in].describe(),
            orders_left=N_ORDERS - self._state.handed_in,
            report=report,
            moves_left=MAX_MOVES - self._state.step_count,
            reward=reward,
            done=done,
        )
