"""The expense desk at the end of the month: one batch of claims, one handbook."""

import random
import uuid
from datetime import date, timedelta
from typing import Any, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import Claim, Decision, VoucherAction, VoucherObservation, VoucherState
except ImportError:
    from models import Claim, Decision, VoucherAction, VoucherObservation, VoucherState

BATCH = 24
PASS_MARK = 0.8
DEADLINE_DAYS = 60
RECEIPT_FROM = 25.0

CEILINGS = {
    "meals": {"staff": 38, "manager": 45, "director": 60},
    "hotel": {"staff": 120, "manager": 150, "director": 210},
    "taxi": {"staff": 30, "manager": 40, "director": 40},
    "rail": {"staff": 160, "manager": 160, "director": 240},
}
NAMES = [
    "Abel", "Brandt", "Castro", "Dahl", "Eriksen", "Fabre", "Gallo", "Horvat",
    "Ivanova", "Jansen", "Kowal", "Lindqvist", "Moreau", "Novak", "Okafor", "Pereira",
]  # fmt: skip

HANDBOOK = "\n".join(
    [
        "1. Ceilings per unit (day, night, ride, journey), in euros, by grade:",
        *(
            f"   {category}: " + ", ".join(f"{grade} {top}" for grade, top in row.items())
            for category, row in CEILINGS.items()
        ),
        "2. A claim above its ceiling is refused unless it carries a prior approval.",
        f"3. A claim filed more than {DEADLINE_DAYS} days after the expense is refused,",
        "   approval or not.",
        f"4. A claim of {RECEIPT_FROM:.0f} euros or more without a receipt is queried,",
        "   unless it is to be refused anyway.",
        "5. Everything else is paid.",
    ]
)


def by_the_book(claim: Claim) -> Decision:
    """What the handbook says about a claim."""
    lag = date.fromisoformat(claim.filed_on) - date.fromisoformat(claim.spent_on)
    if lag.days > DEADLINE_DAYS:
        return Decision.REFUSE
    if claim.amount > CEILINGS[claim.category][claim.grade] * claim.units:
        if claim.approval is None:
            return Decision.REFUSE
    if claim.amount >= RECEIPT_FROM and not claim.receipt:
        return Decision.QUERY
    return Decision.PAY


def draw_claim(rng: random.Random, wanted: Decision) -> Claim:
    """A random claim that calls for the wanted decision."""
    while True:
        category = rng.choice(list(CEILINGS))
        grade = rng.choice(["staff", "staff", "staff", "manager", "director"])
        units = rng.randint(1, 4)
        top = CEILINGS[category][grade] * units
        over = rng.random() < 0.2
        filed = date(2025, rng.randint(4, 9), rng.randint(20, 28))
        lag = rng.randint(61, 80) if rng.random() < 0.1 else rng.randint(2, 60)
        claim = Claim(
            claim=0,
            name=rng.choice(NAMES),
            grade=grade,
            category=category,
            units=units,
            amount=round(top * (rng.uniform(1.02, 1.3) if over else rng.uniform(0.3, 1)), 2),
            receipt=rng.random() < 0.85,
            spent_on=(filed - timedelta(days=lag)).isoformat(),
            filed_on=filed.isoformat(),
            approval=f"PA-{rng.randint(1000, 9999)}" if rng.random() < 0.25 else None,
        )
        if by_the_book(claim) is wanted:
            return claim


class VoucherEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._claims: List[Claim] = []
        self._score: Optional[float] = None
        self._done = True
        self._state = VoucherState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> VoucherObservation:
        rng = random.Random(seed)
        wanted = [Decision.REFUSE] * rng.randint(1, 2) + [Decision.QUERY] * rng.randint(1, 2)
        wanted += [Decision.PAY] * (BATCH - len(wanted))
        rng.shuffle(wanted)
        self._claims = [draw_claim(rng, decision) for decision in wanted]
        for number, claim in enumerate(self._claims, start=1):
            claim.claim = number
        self._score = None
        self._done = False
        self._state = VoucherState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look(f"{BATCH} claims are on the desk.")

    def step(
        self,
        action: VoucherAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> VoucherObservation:
        if self._done:
            return self._look("The batch has been submitted.")
        self._state.step_count += 1
        self._state.submitted = True
        self._done = True
        self._score = round(self._grade(action.decisions), 4)
        return self._look("Submitted.", reward=self._score)

    def _grade(self, decisions: List[Decision]) -> float:
        """How far the decisions agree with the handbook, 0 to 1."""
        right = 0
        for claim, decision in zip(self._claims, decisions):
            right += decision is by_the_book(claim)
        return right / len(self._claims)

    def _look(self, message: str, reward: float = 0.0) -> VoucherObservation:
        return VoucherObservation(
            message=message,
            handbook=HANDBOOK,
            claims=[claim.model_copy() for claim in self._claims],
            score=self._score,
            passed=None if self._score is None else self._score >= PASS_MARK,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> VoucherState:
        return self._state
