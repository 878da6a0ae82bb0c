"""Turn the notices of a village board into calendar records."""

import json
import random
import re
import uuid
from typing import Any, Dict, List, Optional, Tuple

from openenv.core.env_server import Environment

try:
    from ..models import NoticeObservation, NoticeState, RecordAction
except ImportError:
    from models import NoticeObservation, NoticeState, RecordAction

N_NOTICES = 5
WEIGHTS = {"json": 0.2, "keys": 0.3, "formats": 0.35, "values": 0.15}

SCHEMA = {
    "title": "string",
    "date": "YYYY-MM-DD",
    "start": "HH:MM, 24 hours",
    "venue": "string",
    "price": "number, 0 if free",
    "contact": "string",
}
FORMATS = {"date": r"\d{4}-\d{2}-\d{2}", "start": r"\d{2}:\d{2}"}

MONTHS = ["January", "February", "March", "April", "May", "June", "July",
          "August", "September", "October", "November", "December"]
TITLES = ["Choir Evening", "Seed Swap", "Bicycle Clinic", "Jumble Sale", "Poetry Night", "Chess Open", "Soup Kitchen",
          "Barn Dance", "Star Gazing", "Bread Course", "Film Club", "Repair Day"]
VENUES = ["the old mill", "the fire station", "St Anne's hall", "the school gym", "the boat house", "the library", "the tithe barn"]
CONTACTS = ["Mrs Abel", "Mr Okoye", "Ms Lindqvist", "Dr Moreau", "Mr Petrov", "Mrs Haddad", "Ms Tanaka"]
TEMPLATES = [
    "{title}! On {day} {month} {year} at {clock} we meet at {venue}. {price} Ask {contact} for more.",
    "{contact} invites you to the {title} at {venue}. It is on {day} {month} {year} and begins at {clock}. {price}",
    "Save the date: {day} {month} {year}, {clock}. {title} at {venue}. {price} Questions go to {contact}.",
]


class NoticeBoardEnvironment(Environment[RecordAction, NoticeObservation, NoticeState]):
    """Five notices, one record each."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = NoticeState()
        self._notices: List[Tuple[str, Dict[str, Any]]] = []
        self._breakdown: Dict[str, float] = {}

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> NoticeObservation:
        rng = random.Random(seed)
        self._state = NoticeState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        self._notices = [self._draw(rng, title) for title in rng.sample(TITLES, N_NOTICES)]
        self._breakdown = {}
        return self._observe(None)

    def step(self, action: RecordAction, timeout_s: Optional[float] = None, **kwargs: Any) -> NoticeObservation:
        if self._state.records >= N_NOTICES:
            return self._observe(0.0)
        _, gold = self._notices[self._state.records]
        self._breakdown = self._parts(action.record, gold)
        self._state.step_count += 1
        self._state.records += 1
        score = sum(WEIGHTS[name] * part for name, part in self._breakdown.items())
        return self._observe(score / N_NOTICES)

    @property
    def state(self) -> NoticeState:
        return self._state

    @staticmethod
    def _parts(text: str, gold: Dict[str, Any]) -> Dict[str, float]:
        """Score a record: is it JSON, are the keys, the formats and the values right."""
        parts = {name: 0.0 for name in WEIGHTS}
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            return parts
        if not isinstance(record, dict):
            return parts
        parts["json"] = 1.0
        parts["keys"] = len(set(record) & set(SCHEMA)) / len(set(record) | set(SCHEMA))
        formatted = [key for key in SCHEMA if key in record and _well_formed(key, record[key])]
        parts["formats"] = len(formatted) / len(SCHEMA)
        right = [key for key in formatted if _same(record[key], gold[key])]
        parts["values"] = len(right) / len(SCHEMA)
        return parts

    def _observe(self, reward: Optional[float]) -> NoticeObservation:
        done = self._state.records >= N_NOTICES
        return NoticeObservation(
            notice="" if done else self._notices[self._state.records][0],
            record_schema=dict(SCHEMA),
            notices_left=N_NOTICES - self._state.records,
            breakdown=dict(self._breakdown),
            reward=reward,
            done=done,
        )

    @staticmethod
    def _draw(rng: random.Random, title: str) -> Tuple[str, Dict[str, Any]]:
        year, month, day = rng.randint(2024, 2027), rng.randint(1, 12), rng.randint(1, 28)
        hour, minute = rng.randint(8, 21), rng.choice([0, 10, 15, 20, 30, 40, 45])
        venue, contact = rng.choice(VENUES), rng.choice(CONTACTS)
        price = rng.choice([0, 2, 3.5, 4, 5.5, 6, 7.5, 9, 12])
        clock = f"{(hour - 1) % 12 + 1}:{minute:02d} {'am' if hour < 12 else 'pm'}"
        text = rng.choice(TEMPLATES).format(
            title=title, day=day, month=MONTHS[month - 1], year=year, clock=clock, venue=venue, contact=contact,
            price=f"Tickets are {price:.2f} at the door." if price else "Entry is free.",
        )
        gold = {
            "title": title,
            "date": f"{year}-{month:02d}-{day:02d}",
            "start": f"{hour:02d}:{minute:02d}",
            "venue": venue,
            "price": price,
            "contact": contact,
        }
        return text, gold


def _well_formed(key: str, value: Any) -> bool:
    if key == "price":
        return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 10_000
    return isinstance(value, str) and bool(value.strip()) and re.fullmatch(FORMATS.get(key, r".+"), value) is not None


def _same(value: Any, gold: Any) -> bool:
    if isinstance(gold, str):
        return value.strip().lower() == gold.lower()
    return abs(value - gold) < 0.005
