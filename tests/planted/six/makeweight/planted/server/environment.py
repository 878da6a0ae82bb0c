"""A pan balance, a box of weights, and the many ways to weigh one object."""

import itertools
import random
import re
import uuid
from typing import Any, List, Optional, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import MakeweightAction, MakeweightObservation, MakeweightState
except ImportError:
    from models import MakeweightAction, MakeweightObservation, MakeweightState

BOX = 8
LIGHTEST, HEAVIEST = 2, 79
WAYS_WANTED = 12
MAX_LINES = 16
LINE = re.compile(r"[+-]?\d+(?:[+-]\d+)*")
TERM = re.compile(r"[+-]?\d+")


def count_ways(weights: List[int], grams: int) -> int:
    """How many placements (right pan, left pan, in the box) balance the scale."""
    ways = 0
    for signs in itertools.product((0, 1, -1), repeat=len(weights)):
        if sum(s * w for s, w in zip(signs, weights)) == grams:
            ways += 1
    return ways


class MakeweightEnvironment(Environment):
    """Fill a notebook with ways to weigh the same object."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._weights: List[int] = []
        self._grams = 0
        self._notebook: List[str] = []
        self._known = set()
        self._done = True
        self._state = MakeweightState()

    # -------------------------------------------------------------------- setup

    @staticmethod
    def _draw(rng: random.Random) -> Tuple[List[int], int]:
        """A box and an object that can be weighed in more ways than are wanted."""
        while True:
            weights = sorted(rng.sample(range(LIGHTEST, HEAVIEST + 1), BOX))
            grams = rng.randrange(25, 110)
            if grams in weights:
                continue
            if count_ways(weights, grams) >= WAYS_WANTED + 2:
                return weights, grams

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> MakeweightObservation:
        self._weights, self._grams = self._draw(random.Random(seed))
        self._notebook = []
        self._known = set()
        self._done = False
        self._state = MakeweightState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._observe(f"An object of {self._grams} g lies on the left pan.")

    # ------------------------------------------------------------------ reading

    def _read(self, line: str) -> Tuple[Optional[List[int]], str]:
        """The signed weights of a line, or None and what is wrong with it."""
        if not LINE.fullmatch(line):
            return None, "Write weights with + or - between them, such as 40+12-3."
        terms = [int(term) for term in TERM.findall(line)]
        used = [abs(term) for term in terms]
        missing = sorted(set(used) - set(self._weights))
        if missing:
            return None, f"There is no weight of {missing[0]} g in the box."
        if len(set(used)) < len(used):
            return None, "Each weight is in the box only once."
        return terms, ""

    # --------------------------------------------------------------------- play

    def step(
        self,
        action: MakeweightAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> MakeweightObservation:
        if self._done:
            return self._observe("The puzzle is over.")
        self._state.step_count += 1
        reward = 0.0
        line = "".join(action.line.split())
        terms, message = self._read(line)
        if terms is not None:
            balance = sum(terms) - self._grams
            way = line.lstrip("+")
            if balance != 0:
                side = "right" if balance > 0 else "left"
                message = f"The scale tips to the {side} by {abs(balance)} g."
            elif way in self._known:
                message = "That way is in the notebook already."
            else:
                self._known.add(way)
                self._notebook.append(way)
                reward = 1.0 / WAYS_WANTED
                message = f"It balances. Way {len(self._notebook)} is written down."
        self._state.ways_found = len(self._notebook)
        if len(self._notebook) == WAYS_WANTED:
            self._done = True
            self._state.solved = True
            message = "The notebook is full. Well weighed!"
        elif self._state.step_count >= MAX_LINES:
            self._done = True
            message += " That was the last line."
        return self._observe(message, reward)

    def _observe(self, message: str, reward: float = 0.0) -> MakeweightObservation:
        return MakeweightObservation(
            message=message,
            object_grams=self._grams,
            weights=list(self._weights),
            notebook=list(self._notebook),
            ways_wanted=WAYS_WANTED,
            lines_left=max(0, MAX_LINES - self._state.step_count),
            solved=self._state.solved,
            reward=round(reward, 6),
            done=self._done,
        )

    @property
    def state(self) -> MakeweightState:
        return self._state
