"""Timetable: bring a printed line timetable up to date with the works notices."""

import copy
import random
import re
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import TimetableAction, TimetableObservation, TimetableState
except ImportError:
    from models import TimetableAction, TimetableObservation, TimetableState

STATION_NAMES = [
    "Ashby", "Birchfield", "Cranley", "Dalby", "Eastmoor", "Farrow", "Glenside",
    "Harwick", "Inverley", "Kingsbridge", "Longmere", "Marden", "Northgate", "Oakham",
]
TRAINS = 9
STOPS = 7
MAX_STEPS = 25
NO_CALL = "-"

Table = Dict[str, Dict[str, str]]


def to_clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def to_minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


class TimetableEnvironment(Environment[TimetableAction, TimetableObservation, TimetableState]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._stations: List[str] = []
        self._old: Table = {}
        self._table: Table = {}
        self._required: Table = {}
        self._notices: List[str] = []
        self._state = TimetableState()

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> TimetableObservation:
        rng = random.Random(seed)
        self._stations = rng.sample(STATION_NAMES, STOPS)
        self._old = self._make_table(rng)
        self._table = copy.deepcopy(self._old)
        self._required = copy.deepcopy(self._old)
        self._notices = self._make_notices(rng)
        self._state = TimetableState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0, required=copy.deepcopy(self._required)
        )
        return self._observe("Work the notices into the timetable, then submit it.", reward=0.0)

    def step(self, action: TimetableAction, timeout_s: Optional[float] = None, **kwargs: Any) -> TimetableObservation:
        if self._state.submitted:
            return self._observe("The timetable is in print.", reward=0.0, done=True)
        self._state.step_count += 1
        if action.command == "submit":
            return self._submit("Timetable submitted.")
        message = self._set(action.train.strip(), action.station.strip(), action.time.strip())
        if self._state.step_count >= MAX_STEPS:
            return self._submit(message + " Press time, the timetable is printed as it is.")
        return self._observe(message, reward=0.0)

    @property
    def state(self) -> TimetableState:
        self._state.table = copy.deepcopy(self._table)
        return self._state

    # -- timetable -------------------------------------------------------

    def _make_table(self, rng: random.Random) -> Table:
        legs = [rng.randint(4, 17) for _ in range(STOPS - 1)]
        number = rng.randint(20, 89) * 100 + 1
        start = rng.randint(5 * 60, 8 * 60)
        table: Table = {}
        for _ in range(TRAINS):
            clock, row = start, {}
            for i, station in enumerate(self._stations):
                row[station] = to_clock(clock)
                clock += (legs[i] if i < len(legs) else 0) + rng.choice([0, 0, 1, 2])
            table[str(number)] = row
            number += 2
            start += rng.choice([20, 30, 40, 60])
        return table

    def _make_notices(self, rng: random.Random) -> List[str]:
        """Draw notices for different trains and apply them to the required table."""
        notices = []
        kinds = ["onward", rng.choice(["onward", "single"]), "single", "skip"]
        for train, kind in zip(rng.sample(sorted(self._required), len(kinds)), kinds):
            row = self._required[train]
            shift = rng.randint(2, 14)
            if kind == "onward":
                first = rng.randint(STOPS - 3, STOPS - 1)
                for station in self._stations[first:]:
                    row[station] = to_clock(to_minutes(row[station]) + shift)
                notices.append(f"Train {train} runs {shift} min later from {self._stations[first]} to the end of the line.")
            elif kind == "single":
                station = self._stations[rng.randint(1, STOPS - 2)]
                row[station] = to_clock(to_minutes(row[station]) + shift)
                notices.append(f"Train {train} runs {shift} min later at {station} only.")
            else:
                station = self._stations[rng.randint(1, STOPS - 2)]
                row[station] = NO_CALL
                notices.append(f"Train {train} does not call at {station}.")
        rng.shuffle(notices)
        return notices

    def _set(self, train: str, station: str, time: str) -> str:
        if train not in self._table:
            return f"There is no train {train!r}."
        if station not in self._table[train]:
            return f"There is no station {station!r}."
        if time != NO_CALL and not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", time):
            return f"{time!r} is not a time."
        self._table[train][station] = time
        return f"Train {train} at {station}: {time}."

    # -- scoring ---------------------------------------------------------

    def _score(self) -> float:
        """Share of the entries that are as the notices require."""
        cells = [(train, station) for train in self._required for station in self._stations]
        right = sum(self._table[t][s] == self._required[t][s] for t, s in cells)
        return right / len(cells)

    def _submit(self, message: str) -> TimetableObservation:
        self._state.submitted = True
        return self._observe(message, reward=round(self._score(), 4), done=True)

    def _observe(self, message: str, reward: float, done: bool = False) -> TimetableObservation:
        return TimetableObservation(
            message=message,
            stations=list(self._stations),
            table=copy.deepcopy(self._table),
            notices=list(self._notices),
            steps_left=MAX_STEPS - self._state.step_count,
            reward=reward,
            done=done,
        )
