"""Writing the labels for a room of the museum."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import Kind, Record, VitrineAction, VitrineObservation, VitrineState
    from .collection import draw
    from .rubric import check, score
except ImportError:
    from models import Kind, Record, VitrineAction, VitrineObservation, VitrineState
    from server.collection import draw
    from server.rubric import check, score

LABELS = 4
DRAFTS = 2  # looks by the editor, for each label


class VitrineEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._records: List[Record] = []
        self._now = 0
        self._drafts = 0
        self._done = True
        self._state = VitrineState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> VitrineObservation:
        self._records = draw(random.Random(seed), LABELS)
        self._now = 0
        self._drafts = DRAFTS
        self._done = False
        self._state = VitrineState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("Four objects are waiting for their labels.")

    def step(
        self,
        action: VitrineAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> VitrineObservation:
        if self._done:
            return self._look("All labels hang.")
        self._state.step_count += 1
        remarks = check(action.text, self._records[self._now])
        if action.kind is Kind.DRAFT and self._drafts > 0:
            self._drafts -= 1
            return self._look("The editor has gone over your draft.", remarks)
        reward = score(remarks) / LABELS
        self._state.points += reward
        self._now += 1
        self._drafts = DRAFTS
        self._done = self._now == LABELS
        return self._look("The label hangs.", remarks, reward)

    def _look(
        self,
        message: str,
        remarks: Optional[Dict[str, bool]] = None,
        reward: float = 0.0,
    ) -> VitrineObservation:
        self._state.label = self._now
        return VitrineObservation(
            message=message,
            record=None if self._done else self._records[self._now],
            labels_left=LABELS - self._now,
            drafts_left=0 if self._done else self._drafts,
            remarks=remarks or {},
            reward=round(reward, 4),
            done=self._done,
        )

    @property
    def state(self) -> VitrineState:
        return self._state
