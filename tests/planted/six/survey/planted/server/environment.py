"""Clean the table of a health survey, cell by cell."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import SurveyAction, SurveyObservation, SurveyState
except ImportError:
    from models import SurveyAction, SurveyObservation, SurveyState

COLUMNS = ["visit", "height", "smoker", "weight"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
ROWS = 9
MAX_ACTIONS = 24

Row = Dict[str, str]


class SurveyEnvironment(Environment):
    """Nine sheets of four answers, some of them typed in the wrong way."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._answers: List[Row] = []
        self._table: List[Row] = []
        self._done = True
        self._state = SurveyState()

    # --------------------------------------------------------------- the sheets

    @staticmethod
    def _answer(rng: random.Random) -> Row:
        """What one person said, written as the codebook asks."""
        tenths = rng.randrange(480, 1080)
        return {
            "visit": f"2023-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}",
            "height": str(rng.randrange(151, 196)),
            "smoker": rng.choice(["yes", "no"]),
            "weight": f"{tenths // 10}.{tenths % 10}",
        }

    @staticmethod
    def _mistype(rng: random.Random, column: str, value: str) -> str:
        """The same answer in the hand of a careless typist."""
        if column == "visit":
            year, month, day = value.split("-")
            dotted = f"{int(day)}.{int(month)}.{year}"
            return rng.choice([dotted, f"{int(day)} {MONTHS[int(month) - 1]} {year}"])
        if column == "height":
            return rng.choice([f"{value[0]}.{value[1:]} m", f"{value}0 mm"])
        if column == "smoker":
            return rng.choice(["Y", "smokes"] if value == "yes" else ["N", "never"])
        whole, tenth = value.split(".")
        return rng.choice([f"{whole},{tenth}", f"{whole}{tenth}00 g"])

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> SurveyObservation:
        rng = random.Random(seed)
        self._answers = [self._answer(rng) for _ in range(ROWS)]
        self._table = [dict(row) for row in self._answers]
        cells = [(row, column) for row in range(ROWS) for column in COLUMNS]
        for row, column in rng.sample(cells, rng.choice([9, 10, 11])):
            self._table[row][column] = self._mistype(rng, column, self._answers[row][column])
        wrong = self._wrong_cells()
        self._done = False
        self._state = SurveyState(
            episode_id=episode_id or str(uuid.uuid4()),
            step_count=0,
            wrong_at_start=wrong,
            wrong_now=wrong,
        )
        return self._observe("The table is open.")

    def _wrong_cells(self) -> int:
        return sum(
            typed[column] != answer[column]
            for typed, answer in zip(self._table, self._answers)
            for column in COLUMNS
        )

    # -------------------------------------------------------------------- play

    def _progress(self, before: int, after: int) -> float:
        """The share of the work that an action has done."""
        return max(0, before - after) / self._state.wrong_at_start

    def step(
        self,
        action: SurveyAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> SurveyObservation:
        if self._done:
            return self._observe("The table is closed.")
        self._state.step_count += 1
        reward = 0.0
        if action.row >= ROWS:
            message = f"Rows are 0 to {ROWS - 1}."
        else:
            before = self._state.wrong_now
            self._table[action.row][action.column] = action.value.strip()
            self._state.edits += 1
            self._state.wrong_now = self._wrong_cells()
            reward = self._progress(before, self._state.wrong_now)
            message = f"Row {action.row}, {action.column}: {action.value.strip()}"
        if self._state.wrong_now == 0:
            self._done = True
            message = "The table is clean."
        elif self._state.step_count >= MAX_ACTIONS:
            self._done = True
            message = "No actions are left."
        return self._observe(message, reward=reward)

    def _observe(self, message: str, reward: float = 0.0) -> SurveyObservation:
        return SurveyObservation(
            message=message,
            table=[dict(row) for row in self._table],
            wrong_cells=self._state.wrong_now,
            actions_left=max(0, MAX_ACTIONS - self._state.step_count),
            reward=round(reward, 4),
            done=self._done,
        )

    @property
    def state(self) -> SurveyState:
        return self._state
