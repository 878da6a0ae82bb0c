"""Tomorrow's list of an operating department, put in order the evening before."""

import random
import uuid
from typing import Any, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import (
        Kind, Operation, TheatreAction, TheatreObservation, TheatreState,
    )
except ImportError:
    from models import (
        Kind, Operation, TheatreAction, TheatreObservation, TheatreState,
    )

ROOMS = 3
OPERATIONS = 14
MOVES = 30
SHIFT = 480  # minutes that a room is staffed
CHANGEOVER = 15
CLEANING = 50  # instead of the changeover, after a septic operation
OVERTIME = 6.0  # an hour, as against an hour's waiting of a patient of urgency 1


class TheatreEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._operations: List[Operation] = []
        self._rooms: List[List[int]] = []
        self._first_cost = 0.0
        self._moves = 0
        self._done = True
        self._state = TheatreState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> TheatreObservation:
        rng = random.Random(seed)
        self._operations = [
            Operation(
                id=i,
                minutes=rng.randrange(30, 151, 5),
                urgency=rng.choice([1, 1, 1, 2, 2, 3, 4]),
                septic=rng.random() < 0.25,
            )
            for i in range(OPERATIONS)
        ]
        self._rooms = [[] for _ in range(ROOMS)]
        for operation in self._operations:
            rng.choice(self._rooms).append(operation.id)
        self._first_cost = self._cost()
        self._moves = 0
        self._done = False
        self._state = TheatreState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("This is the list as the wards have filled it in.")

    def step(
        self,
        action: TheatreAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> TheatreObservation:
        if self._done:
            return self._look("The list has been printed.")
        self._state.step_count += 1
        if action.kind is Kind.FINISH:
            self._done = True
            return self._look("The list goes to print.")
        before = self._cost()
        message = self._move(action)
        reward = self._progress(before, self._cost())
        self._moves += 1
        if self._moves == MOVES:
            self._done = True
            message += " It is eight o'clock: the list goes to print."
        return self._look(message, reward)

    def _move(self, action: TheatreAction) -> str:
        if action.operation is None or not 0 <= action.operation < OPERATIONS:
            return "There is no such operation."
        if action.room is None or not 0 <= action.room < ROOMS:
            return "There is no such room."
        for room in self._rooms:
            if action.operation in room:
                room.remove(action.operation)
        target = self._rooms[action.room]
        place = len(target) if action.place is None else action.place
        place = max(0, min(place, len(target)))
        target.insert(place, action.operation)
        return f"Operation {action.operation} is number {place} of room {action.room}."

    def _cost(self) -> float:
        """Weighted hours of waiting, and overtime of the staff."""
        cost = 0.0
        for room in self._rooms:
            clock = end = 0
            for number in room:
                operation = self._operations[number]
                cost += operation.urgency * clock / 60
                end = clock + operation.minutes
                clock = end + (CLEANING if operation.septic else CHANGEOVER)
            cost += OVERTIME * max(0, end - SHIFT) / 60
        return round(cost, 4)

    def _progress(self, before: float, after: float) -> float:
        """The part of the first plan's cost that was saved."""
        return round(max(0.0, before - after) / self._first_cost, 4)

    def _look(self, message: str, reward: float = 0.0) -> TheatreObservation:
        cost = self._cost() if self._operations else 0.0
        self._state.cost = cost
        self._state.moves = self._moves
        return TheatreObservation(
            message=message,
            operations=[o.model_copy() for o in self._operations],
            rooms=[list(room) for room in self._rooms],
            cost=cost,
            first_cost=self._first_cost,
            moves_left=MOVES - self._moves,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> TheatreState:
        return self._state
