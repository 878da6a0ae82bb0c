"""Two penguins, one field of ice, and every floe sinks behind whoever leaves it."""

import random
import re
import uuid
from typing import Any, List, Optional, Set, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import FloesAction, FloesObservation, FloesState
except ImportError:
    from models import FloesAction, FloesObservation, FloesState

SIZE = 6
HOLES = 4
WHIM = 0.3  # how often the rival hops without thinking
FILES = "abcdef"

Floe = Tuple[int, int]  # file, rank, from 0


def name(floe: Floe) -> str:
    return f"{FILES[floe[0]]}{floe[1] + 1}"


def parse(text: str) -> Optional[Floe]:
    match = re.fullmatch(r"\s*([a-f])\s*([1-6])\s*", text.lower())
    if match is None:
        return None
    return FILES.index(match[1]), int(match[2]) - 1


def around(floe: Floe) -> List[Floe]:
    x, y = floe
    return [
        (x + i, y + j)
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
        if (i or j) and 0 <= x + i < SIZE and 0 <= y + j < SIZE
    ]


class FloesEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._rng = random.Random()
        self._ice: Set[Floe] = set()
        self._you: Floe = (0, 0)
        self._rival: Floe = (SIZE - 1, SIZE - 1)
        self._turn = 0
        self._result = "playing"
        self._state = FloesState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> FloesObservation:
        self._rng = random.Random(seed)
        self._you = (self._rng.randrange(1, SIZE - 1), 0)
        self._rival = (self._rng.randrange(1, SIZE - 1), SIZE - 1)
        self._ice = {(x, y) for x in range(SIZE) for y in range(SIZE)}
        middle = [(x, y) for x in range(SIZE) for y in range(1, SIZE - 1)]
        self._ice -= set(self._rng.sample(middle, HOLES))
        self._turn = 0
        self._result = "playing"
        self._state = FloesState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("The ice is breaking up. You hop first.")

    def step(
        self,
        action: FloesAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> FloesObservation:
        if self._result != "playing":
            return self._look("The game is over.")
        self._state.step_count += 1
        self._turn += 1
        to = parse(action.to)
        if to not in self._hops(self._you):
            message = f"You cannot hop to {action.to!r}; you lose your turn."
        else:
            self._ice.discard(self._you)
            message = f"You hop from {name(self._you)} to {name(to)}."
            self._you = to
        return self._answer(message)

    def _answer(self, message: str) -> FloesObservation:
        """The rival's turn, and whether the game is over before or after it."""
        if not self._hops(self._rival):
            return self._end("won", message + " Your rival is stranded. You win!")
        to = self._choose()
        self._ice.discard(self._rival)
        message += f" The rival hops from {name(self._rival)} to {name(to)}."
        self._rival = to
        if not self._hops(self._you):
            return self._end("lost", message + " You are stranded. You lose.")
        return self._look(message)

    def _hops(self, floe: Floe) -> List[Floe]:
        """The floes that a penguin on this floe can reach with one hop."""
        taken = (self._you, self._rival)
        return [f for f in around(floe) if f in self._ice and f not in taken]

    def _choose(self) -> Floe:
        """The rival goes where it will have most room, and sometimes anywhere."""
        hops = self._hops(self._rival)
        if self._rng.random() < WHIM:
            return self._rng.choice(hops)
        self._rng.shuffle(hops)
        return max(hops, key=lambda floe: len(self._hops(floe)))

    def _end(self, result: str, message: str) -> FloesObservation:
        self._result = result
        return self._look(message, reward=1.0 if result == "won" else 0.0)

    def _look(self, message: str, reward: float = 0.0) -> FloesObservation:
        self._state.turn = self._turn
        self._state.result = self._result
        marks = {self._you: "Y", self._rival: "R"}
        over = self._result != "playing"
        return FloesObservation(
            message=message,
            board=[
                "".join(
                    marks.get((x, y), "o" if (x, y) in self._ice else "~")
                    for x in range(SIZE)
                )
                for y in reversed(range(SIZE))
            ],
            you=name(self._you),
            rival=name(self._rival),
            hops=[] if over else [name(f) for f in self._hops(self._you)],
            turn=self._turn,
            result=self._result,
            reward=reward,
            done=over,
        )

    @property
    def state(self) -> FloesState:
        return self._state
