"""Three loan files on the desk of a credit analyst; each wants a memo."""

import random
import re
import uuid
from typing import Any, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import (
        Application,
        CreditMemoAction,
        CreditMemoObservation,
        CreditMemoState,
    )
    from .files import CONCERNS, Concern, concerns_of, decision_on, draw_file
except ImportError:
    from models import (
        Application,
        CreditMemoAction,
        CreditMemoObservation,
        CreditMemoState,
    )
    from server.files import CONCERNS, Concern, concerns_of, decision_on, draw_file

FILES = 3
REASONS_WEIGHT = 0.75
DECISION_WEIGHT = 0.25
MAX_CHARS = 4000

DECISION = re.compile(r"^\W*decision\W+(approve|decline)", re.IGNORECASE | re.MULTILINE)


def raises(memo: str, concern: Concern) -> bool:
    """Does the memo speak of this concern, in one of the usual wordings?"""
    text = memo.lower()
    return any(term in text for term in concern.terms)


def reasons_score(memo: str, application: Application) -> float:
    """Share of the file's concerns that the memo brings up."""
    expected = concerns_of(application)
    hits = sum(raises(memo, concern) for concern in expected)
    return hits / len(expected)


def decision_score(memo: str, application: Application) -> float:
    decisions = DECISION.findall(memo)
    if not decisions:
        return 0.0
    return float(decisions[-1].lower() == decision_on(application))


def grade(memo: str, application: Application) -> float:
    memo = memo[:MAX_CHARS]
    reasons = reasons_score(memo, application)
    decision = decision_score(memo, application)
    return REASONS_WEIGHT * reasons + DECISION_WEIGHT * decision


class CreditMemoEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._files: List[Application] = []
        self._next = 0
        self._last: Optional[float] = None
        self._state = CreditMemoState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> CreditMemoObservation:
        rng = random.Random(seed)
        self._files = [draw_file(rng) for _ in range(FILES)]
        self._next = 0
        self._last = None
        self._state = CreditMemoState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("Good morning. Three files are on your desk.")

    def step(
        self,
        action: CreditMemoAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> CreditMemoObservation:
        if self._next >= len(self._files):
            return self._look("Your desk is empty.")
        self._state.step_count += 1
        score = grade(action.memo, self._files[self._next])
        self._next += 1
        self._last = round(score, 4)
        reward = round(score / FILES, 4)
        self._state.files_done = self._next
        self._state.total = round(self._state.total + reward, 4)
        return self._look("The memo goes to the committee.", reward=reward)

    def _look(self, message: str, reward: float = 0.0) -> CreditMemoObservation:
        left = len(self._files) - self._next
        return CreditMemoObservation(
            message=message,
            application=self._files[self._next].model_copy(deep=True) if left else None,
            policy=[concern.rule() for concern in CONCERNS],
            files_left=left,
            last_score=self._last,
            reward=reward,
            done=left == 0,
        )

    @property
    def state(self) -> CreditMemoState:
        return self._state
