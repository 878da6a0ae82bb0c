"""The end of a shift: four patients, a chart each, a note each."""

import random
import re
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import HandoverAction, HandoverObservation, HandoverState, Patient
    from .problems import NORMAL, PROBLEMS, Problem
except ImportError:
    from models import HandoverAction, HandoverObservation, HandoverState, Patient
    from server.problems import NORMAL, PROBLEMS, Problem

BEDS = 4
MAX_CHARS = 900
HOURS = ("20:00", "00:00", "04:00", "06:30")
REASONS = (
    "hip fracture, day 2 after surgery",
    "community-acquired pneumonia",
    "heart failure",
    "cellulitis of the left leg",
    "bowel resection, day 3",
    "upper GI bleed",
    "urinary tract infection",
    "fall at home, for observation",
)


class HandoverEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._patients: List[Patient] = []
        self._problems: List[List[Problem]] = []
        self._bed = 0
        self._done = True
        self._state = HandoverState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> HandoverObservation:
        rng = random.Random(seed)
        self._patients, self._problems = [], []
        for reason in rng.sample(REASONS, BEDS):
            self._admit(rng, reason)
        self._bed = 0
        self._done = False
        self._state = HandoverState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("07:00. The day shift is here. Hand over your first patient.")

    def _admit(self, rng: random.Random, reason: str) -> None:
        problems: List[Problem] = []
        wanted = rng.randrange(3, 6)
        for problem in rng.sample(PROBLEMS, len(PROBLEMS)):
            if len(problems) < wanted and problem.sign not in [p.sign for p in problems]:
                problems.append(problem)
        signs = {name: draw(rng) for name, draw in NORMAL.items()}
        signs.update({problem.sign: problem.value(rng) for problem in problems})
        number = len(self._patients) + 1
        self._patients.append(
            Patient(
                bed=number,
                age=rng.randrange(48, 93),
                weight_kg=rng.randrange(52, 104),
                admitted_for=reason,
                chart=self._chart(rng, signs),
            )
        )
        self._problems.append(problems)

    @staticmethod
    def _chart(rng: random.Random, signs: Dict[str, float]) -> List[str]:
        lines = []
        for hour in HOURS:
            last = hour == HOURS[-1]
            now = {name: draw(rng) for name, draw in NORMAL.items()}
            if last:
                now = signs
            diastolic = int(now["systolic"] * rng.uniform(0.56, 0.64))
            lines.append(
                f"{hour} T {now['temp']} HR {now['pulse']} BP {now['systolic']}/{diastolic} "
                f"SpO2 {now['spo2']} RR {now['resp']} pain {now['pain']}/10"
            )
        usual = rng.randrange(62, 105)
        lines.append(
            f"05:30 labs: K {signs['potassium']} Na {signs['sodium']} "
            f"glucose {signs['glucose']} Hb {signs['hb']} "
            f"creatinine {int(round(usual * signs['creatinine_ratio']))} (usual {usual})"
        )
        lines.append(f"06:30 urine over the night: {signs['urine']} ml/kg/h")
        return lines

    def step(
        self,
        action: HandoverAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> HandoverObservation:
        if self._done:
            return self._look("Your shift is over.")
        self._state.step_count += 1
        self._state.notes.append(action.note)
        reward = self._grade(action.note, self._problems[self._bed])
        self._bed += 1
        self._done = self._bed == BEDS
        if self._done:
            return self._look("Thank you. Sleep well.", reward)
        return self._look("Noted. Next patient, please.", reward)

    @staticmethod
    def _names(note: str, problem: Problem) -> bool:
        text = " ".join(note[:MAX_CHARS].lower().split())
        return any(re.search(rf"\b{re.escape(term)}\b", text) for term in problem.terms)

    def _grade(self, note: str, problems: List[Problem]) -> float:
        """How well a note hands over the patient's active problems, 0 to 1."""
        named = [problem for problem in problems if self._names(note, problem)]
        return round(len(named) / len(problems), 4)

    def _look(self, message: str, reward: float = 0.0) -> HandoverObservation:
        return HandoverObservation(
            message=message,
            patient=None if self._done else self._patients[self._bed],
            beds_left=0 if self._done else BEDS - self._bed - 1,
            max_chars=MAX_CHARS,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> HandoverState:
        return self._state
