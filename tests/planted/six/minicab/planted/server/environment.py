"""An evening at the dispatch desk: calls come in, cabs go out."""

import random
import uuid
from typing import Any, List, Optional, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import Cab, Call, Kind, MinicabAction, MinicabObservation, MinicabState
except ImportError:
    from models import Cab, Call, Kind, MinicabAction, MinicabObservation, MinicabState

STREETS = 13
CABS = 5
CALLS = 16
LATE_COST = 0.5

Corner = Tuple[int, int]


def drive(a: Corner, b: Corner) -> int:
    """Minutes from one corner to another, a block a minute."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


class MinicabEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._cabs: List[Cab] = []
        self._calls: List[Tuple[int, Call]] = []  # minute of the call, the call
        self._next = 0
        self._punctual = 0
        self._late = 0
        self._done = True
        self._score: Optional[float] = None
        self._state = MinicabState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> MinicabObservation:
        rng = random.Random(seed)

        def corner() -> Corner:
            return rng.randrange(STREETS), rng.randrange(STREETS)

        self._cabs = [Cab(cab=i, street=corner(), free_at=0) for i in range(CABS)]
        self._calls = []
        minute = 0
        for number in range(CALLS):
            minute += rng.choice([2, 3, 4, 5])
            pickup, dropoff = corner(), corner()
            while drive(pickup, dropoff) < 4:
                dropoff = corner()
            latest = minute + rng.randrange(6, 11)
            call = Call(call=number, pickup=pickup, dropoff=dropoff, latest=latest)
            self._calls.append((minute, call))
        self._next = 0
        self._punctual = self._late = 0
        self._done = False
        self._score = None
        self._state = MinicabState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("The desk is open. First caller on the line.")

    def step(
        self,
        action: MinicabAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> MinicabObservation:
        if self._done:
            return self._look("The desk is closed.")
        self._state.step_count += 1
        if action.kind is Kind.CLOSE:
            return self._close("You close the desk for tonight.")
        if action.kind is Kind.DECLINE:
            message = "Declined. The caller rings another firm."
        elif action.cab is None or not 0 <= action.cab < CABS:
            message = "There is no such cab. The caller hangs up."
        else:
            message = self._send(action.cab)
        self._next += 1
        if self._next == CALLS:
            return self._close(message + " That was the last call of the evening.")
        return self._look(message)

    def _send(self, number: int) -> str:
        minute, call = self._calls[self._next]
        cab = self._cabs[number]
        there = max(minute, cab.free_at) + drive(cab.street, call.pickup)
        cab.free_at = there + drive(call.pickup, call.dropoff)
        cab.street = call.dropoff
        if there <= call.latest:
            self._punctual += 1
            return f"Cab {number} picks up at minute {there}, on time."
        self._late += 1
        return f"Cab {number} picks up at minute {there}, {there - call.latest} late."

    def _rate(self) -> float:
        """How well the evening's customers were served, 0 to 1."""
        rides = self._punctual + self._late
        if rides == 0:
            return 0.0
        return max(0.0, self._punctual - LATE_COST * self._late) / rides

    def _close(self, message: str) -> MinicabObservation:
        self._done = True
        self._score = round(self._rate(), 4)
        return self._look(message, reward=self._score)

    def _look(self, message: str, reward: float = 0.0) -> MinicabObservation:
        minute, call = self._calls[self._next] if self._next < len(self._calls) else (0, None)
        if call is None and self._calls:
            minute = self._calls[-1][0]
        self._state.answered = self._next
        self._state.rides = self._punctual + self._late
        self._state.late = self._late
        return MinicabObservation(
            message=message,
            minute=minute,
            call=None if self._done else call,
            calls_waiting=0 if self._done else CALLS - self._next - 1,
            cabs=[cab.model_copy() for cab in self._cabs],
            rides=self._punctual + self._late,
            late=self._late,
            score=self._score,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> MinicabState:
        return self._state
