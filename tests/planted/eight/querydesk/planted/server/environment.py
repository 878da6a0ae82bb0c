"""A morning at the reporting desk: four requests, one database."""

import random
import sqlite3
import uuid
from collections import Counter
from typing import Any, List, Optional, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import (
        QuerydeskAction, QuerydeskObservation, QuerydeskState, Ticket, Tool,
    )
    from .shop import DESKS, SCHEMA, Request, stock
except ImportError:
    from models import (
        QuerydeskAction, QuerydeskObservation, QuerydeskState, Ticket, Tool,
    )
    from server.shop import DESKS, SCHEMA, Request, stock

RUNS = 16
SHOWN = 20
MAX_ROWS = 5000
MAX_TICKS = 2000  # of 1000 instructions of SQLite
FORBIDDEN = {
    sqlite3.SQLITE_ATTACH,
    sqlite3.SQLITE_DETACH,
    sqlite3.SQLITE_PRAGMA,
    sqlite3.SQLITE_TRANSACTION,
}


class QuerydeskEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._db: Optional[sqlite3.Connection] = None
        self._requests: List[Request] = []
        self._number = 0
        self._runs = 0
        self._ticks = 0
        self._state = QuerydeskState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> QuerydeskObservation:
        rng = random.Random(seed)
        self.close()
        self._db = sqlite3.connect(
            ":memory:", check_same_thread=False, isolation_level=None
        )
        stock(self._db, rng)
        self._db.set_authorizer(self._allow)
        self._db.set_progress_handler(self._tick, 1000)
        self._requests = []
        for desk in rng.sample(DESKS, len(DESKS)):
            request = desk(rng)
            while not self._fetch(request.reference):
                request = desk(rng)
            self._requests.append(request)
        self._number = 0
        self._runs = 0
        self._state = QuerydeskState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("The database was restored from last night's backup.")

    def step(
        self,
        action: QuerydeskAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> QuerydeskObservation:
        if self._db is None or self._number >= len(self._requests):
            return self._look("The desk is closed.")
        self._state.step_count += 1
        if action.tool is Tool.RUN:
            return self._run(action.sql)
        score = self._grade(self._requests[self._number], action.sql)
        self._number += 1
        reward = round(score / len(self._requests), 4)
        return self._look(f"Report {self._number} was sent.", reward=reward)

    def _run(self, sql: str) -> QuerydeskObservation:
        if self._runs >= RUNS:
            return self._look("No runs left. Submit what you have.")
        self._runs += 1
        try:
            rows = self._fetch(sql)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as problem:
            return self._look(f"{type(problem).__name__}: {problem}")
        return self._look("Done.", rows)

    def _grade(self, request: Request, sql: str) -> float:
        """Compares the rows of the report, in any order, with those of the reference."""
        try:
            got = Counter(self._fetch(sql))
            wanted = Counter(self._fetch(request.reference))
        except (sqlite3.Error, sqlite3.Warning, ValueError):
            return 0.0
        if got == wanted:
            return 1.0
        shared = (got & wanted).total()
        return shared / (got.total() + wanted.total())

    def _fetch(self, sql: str) -> List[Tuple[Any, ...]]:
        self._ticks = 0
        rows = self._db.execute(sql).fetchmany(MAX_ROWS)
        return [tuple(row) for row in rows]

    def _allow(self, action: int, *rest: Any) -> int:
        return sqlite3.SQLITE_DENY if action in FORBIDDEN else sqlite3.SQLITE_OK

    def _tick(self) -> int:
        self._ticks += 1
        return int(self._ticks > MAX_TICKS)

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _look(
        self,
        message: str,
        rows: Optional[List[Tuple[Any, ...]]] = None,
        reward: float = 0.0,
    ) -> QuerydeskObservation:
        done = self._number >= len(self._requests)
        ticket = None
        if not done:
            request = self._requests[self._number]
            ticket = Ticket(
                number=self._number + 1, text=request.text, columns=request.columns
            )
        self._state.tickets_answered = self._number
        self._state.runs = self._runs
        shown = [
            [v.hex() if isinstance(v, bytes) else v for v in row]
            for row in (rows or [])[:SHOWN]
        ]
        return QuerydeskObservation(
            db_schema=SCHEMA,
            ticket=ticket,
            tickets_left=max(0, len(self._requests) - self._number - 1),
            runs_left=RUNS - self._runs,
            rows=shown,
            row_count=len(rows or []),
            message=message,
            reward=reward,
            done=done,
        )

    @property
    def state(self) -> QuerydeskState:
        return self._state
