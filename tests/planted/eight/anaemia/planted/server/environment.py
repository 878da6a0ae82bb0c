"""The anaemia clinic: order what is needed, name the cause."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import AnaemiaAction, AnaemiaObservation, AnaemiaState, Kind, Patient
    from .cases import COMPLAINTS, PROFILES, TESTS, draw
except ImportError:
    from models import AnaemiaAction, AnaemiaObservation, AnaemiaState, Kind, Patient
    from server.cases import COMPLAINTS, PROFILES, TESTS, draw

PATIENTS = 5
TURNS = 12  # for each patient
FLOOR = 0.3  # what a confirmed diagnosis is worth at least


class AnaemiaEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._patients: List[Patient] = []
        self._causes: List[str] = []
        self._lab: List[Dict[str, str]] = []
        self._list: List[str] = []
        self._now = 0
        self._results: Dict[str, str] = {}
        self._spent = 0.0
        self._turns = 0
        self._confirmed = 0
        self._done = True
        self._state = AnaemiaState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> AnaemiaObservation:
        rng = random.Random(seed)
        self._list = sorted(PROFILES)
        self._causes = [rng.choice(self._list) for _ in range(PATIENTS)]
        self._patients, self._lab = [], []
        for number, cause in enumerate(self._causes):
            self._patients.append(
                Patient(
                    number=number + 1,
                    age=rng.randrange(18, 88),
                    sex=rng.choice(["f", "m"]),
                    haemoglobin=round(rng.uniform(7.2, 10.8), 1),
                    complaint=rng.choice(COMPLAINTS[cause]),
                )
            )
            self._lab.append(draw(rng, cause))
        self._now = 0
        self._confirmed = 0
        self._done = False
        self._state = AnaemiaState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        self._call_in()
        return self._look("The first patient takes a seat.")

    def _call_in(self) -> None:
        self._results = {}
        self._spent = 0.0
        self._turns = TURNS

    def step(
        self,
        action: AnaemiaAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> AnaemiaObservation:
        if self._done:
            return self._look("The clinic is over for today.")
        self._state.step_count += 1
        self._turns -= 1
        if action.kind is Kind.ORDER:
            message, reward = self._order(action.test), 0.0
        else:
            if action.diagnosis not in self._list:
                message, reward = "This is not on the differential.", 0.0
            elif action.diagnosis == self._causes[self._now]:
                reward = max(FLOOR, 1.0 - self._spent) / PATIENTS
                self._confirmed += 1
                return self._next("The consultant confirms it and starts treatment.", reward)
            else:
                message, reward = "The consultant does not agree.", 0.0
        if self._turns == 0:
            return self._next(message + " Time is up: the patient is admitted.", reward)
        return self._look(message, reward)

    def _order(self, test: Optional[str]) -> str:
        if test not in TESTS:
            return "The laboratory does not know this test."
        if test in self._results:
            return f"{test} has been done already: {self._results[test]}."
        self._results[test] = self._lab[self._now][test].strip()
        self._spent += TESTS[test][0]
        self._state.tests_ordered += 1
        return f"{test}: {self._results[test]}."

    def _next(self, message: str, reward: float) -> AnaemiaObservation:
        self._now += 1
        if self._now == PATIENTS:
            self._done = True
            return self._look(message + " That was the last one.", reward)
        self._call_in()
        return self._look(message + " The next patient comes in.", reward)

    def _look(self, message: str, reward: float = 0.0) -> AnaemiaObservation:
        self._state.patient = self._now
        self._state.confirmed = self._confirmed
        return AnaemiaObservation(
            message=message,
            patient=None if self._done else self._patients[self._now],
            results={} if self._done else dict(self._results),
            tests={test: cost for test, (cost, _) in TESTS.items()},
            diagnoses=list(self._list),
            turns_left=0 if self._done else self._turns,
            waiting=max(0, PATIENTS - self._now - 1),
            confirmed=self._confirmed,
            success=self._confirmed == PATIENTS if self._done else None,
            reward=round(reward, 4),
            done=self._done,
        )

    @property
    def state(self) -> AnaemiaState:
        return self._state
