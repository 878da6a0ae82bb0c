"""A practical in qualitative analysis: six vials, one rack of reagents."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import (
        Finding,
        ReagentsAction,
        ReagentsObservation,
        ReagentsState,
        Tool,
    )
    from .chemistry import REAGENTS, SALTS, react
except ImportError:
    from models import (
        Finding,
        ReagentsAction,
        ReagentsObservation,
        ReagentsState,
        Tool,
    )
    from server.chemistry import REAGENTS, SALTS, react

VIALS = ["A", "B", "C", "D", "E", "F"]
PORTIONS = 18
MAX_STEPS = 40
ACCURACY_WEIGHT = 0.5
ECONOMY_WEIGHT = 0.5


class ReagentsEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._contents: Dict[str, str] = {}
        self._notebook: List[Finding] = []
        self._portions = 0
        self._done = True
        self._score: Optional[float] = None
        self._success: Optional[bool] = None
        self._state = ReagentsState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> ReagentsObservation:
        rng = random.Random(seed)
        self._contents = {vial: rng.choice(SALTS) for vial in VIALS}
        self._notebook = []
        self._portions = PORTIONS
        self._done = False
        self._score = self._success = None
        self._state = ReagentsState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("Six vials of white powder stand in front of you.")

    def step(
        self,
        action: ReagentsAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> ReagentsObservation:
        if self._done:
            return self._look("The practical is over.")
        self._state.step_count += 1
        if action.tool is Tool.FINISH:
            return self._finish(action.labels)
        message = self._test(action.vial, action.reagent)
        if self._state.step_count >= MAX_STEPS:
            return self._finish({})
        return self._look(message)

    def _test(self, vial: Optional[str], reagent: Optional[str]) -> str:
        if vial not in self._contents:
            return "There is no such vial."
        if reagent not in REAGENTS:
            return "That is not in the rack."
        if self._portions == 0:
            return "The rack is empty. Hand in your labels."
        self._portions -= 1
        result = react(self._contents[vial], reagent)
        self._notebook.append(Finding(vial=vial, reagent=reagent, result=result))
        return f"Vial {vial} with {reagent}: {result}."

    def _finish(self, labels: Dict[str, str]) -> ReagentsObservation:
        given = {vial.strip().upper(): salt.strip().lower() for vial, salt in labels.items()}
        right = sum(given.get(vial) == salt for vial, salt in self._contents.items())
        accuracy = right / len(VIALS)
        economy = self._portions / PORTIONS
        self._score = round(ACCURACY_WEIGHT * accuracy + ECONOMY_WEIGHT * economy, 4)
        self._success = right == len(VIALS)
        self._done = True
        return self._look(
            f"{right} of {len(VIALS)} labels are right; "
            f"{self._portions} of {PORTIONS} portions go back to the store.",
            reward=self._score,
        )

    def _look(self, message: str, reward: float = 0.0) -> ReagentsObservation:
        self._state.portions_left = self._portions
        self._state.tests = len(self._notebook)
        return ReagentsObservation(
            message=message,
            vials=list(VIALS),
            salts=list(SALTS),
            reagents=list(REAGENTS),
            notebook=[finding.model_copy() for finding in self._notebook],
            portions_left=self._portions,
            score=self._score,
            success=self._success,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> ReagentsState:
        return self._state
