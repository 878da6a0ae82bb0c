"""The morning round of a restaurant's cold room: find the tubs that must go."""

import random
import re
import uuid
from typing import Any, Dict, List, Optional, Set

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import ColdroomAction, ColdroomObservation, ColdroomState, Tub
except ImportError:
    from models import ColdroomAction, ColdroomObservation, ColdroomState, Tub

FOODS = [
    "aioli", "beef stock", "braised lentils", "chicken thighs", "cooked rice", "custard",
    "fish fumet", "pork rillettes", "potato salad", "roast beets", "tomato sauce", "whey",
]
SHELVES = ["A", "B", "C", "D", "E", "F"]
PER_SHELF = 6
WRONG_PULL = 0.5  # in shares of a right one: good food is thrown away
MAX_STEPS = 30


def label(text: str) -> str:
    """A code as printed: porters write 'c14', 'C 14' or 'tub C-14'."""
    letters = re.sub(r"[^A-Z0-9]", "", text.upper().replace("TUB", ""))
    return f"{letters[:1]}-{letters[1:]}"


class ColdroomEnvironment(Environment):
    """Six shelves of six tubs; some have expired, some are too warm."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._today = 0
        self._keeps: Dict[str, int] = {}
        self._limits: Dict[str, float] = {}
        self._room: Dict[str, List[Tub]] = {}
        self._faults: Dict[str, str] = {}
        self._pulled: Set[str] = set()
        self._right = 0
        self._done = True
        self._state = ColdroomState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> ColdroomObservation:
        rng = random.Random(seed)
        foods = sorted(rng.sample(FOODS, 8))
        self._today = rng.randrange(40, 340)
        self._keeps = {food: rng.randrange(2, 8) for food in foods}
        self._limits = {food: rng.choice([3.0, 4.0, 5.0, 8.0]) for food in foods}
        self._room = {shelf: [] for shelf in SHELVES}
        self._faults = {}
        numbers = rng.sample(range(10, 100), len(SHELVES) * PER_SHELF)
        codes = [f"{SHELVES[i // PER_SHELF]}-{n}" for i, n in enumerate(numbers)]
        faulty = rng.sample(codes, rng.randrange(7, 11))
        for code in codes:
            fault = rng.choice(["expired", "warm"]) if code in faulty else None
            if fault:
                self._faults[code] = fault
            self._room[code[0]].append(self._fill(code, rng.choice(foods), fault, rng))
        self._pulled = set()
        self._right = 0
        self._done = False
        self._state = ColdroomState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._observe("The door of the cold room is open.")

    def _fill(self, code: str, food: str, fault: Optional[str], rng: random.Random) -> Tub:
        """A tub of this food, with this fault or sound; near misses are common."""
        keeps, limit = self._keeps[food], self._limits[food]
        age = keeps + rng.randrange(1, 3) if fault == "expired" else rng.randrange(0, keeps + 1)
        core = limit + rng.uniform(0.2, 2.0) if fault == "warm" else limit - rng.uniform(0, 2.5)
        return Tub(code=code, food=food, made_day=self._today - age, core_celsius=round(core, 1))

    # ---------------------------------------------------------------------- round

    def _pull(self, written: str, reason: Optional[str]) -> tuple:
        """Message and reward for a tub taken off its shelf."""
        code = label(written)
        if not any(tub.code == code for tub in self._room.get(code[0], [])):
            return f"No tub {written!r} in the room.", 0.0
        if written in self._pulled:
            return f"{written} is in the bin already.", 0.0
        self._pulled.add(written)
        self._state.pulls += 1
        share = 1 / len(self._faults)
        if reason is not None and self._faults.get(code) == reason:
            self._right += 1
            return f"{code} pulled: {reason}.", share
        return f"{code} pulled; the chef sees nothing of the kind.", -WRONG_PULL * share

    def step(
        self,
        action: ColdroomAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> ColdroomObservation:
        if self._done:
            return self._observe("The door is shut.", cleared=self._cleared())
        self._state.step_count += 1
        message, tubs, reward = "You leave the room.", [], 0.0
        if action.kind == "look":
            shelf = (action.shelf or "").strip().upper()
            tubs = self._room.get(shelf, [])
            message = f"Shelf {shelf}." if tubs else f"There is no shelf {action.shelf!r}."
        elif action.kind == "pull":
            message, reward = self._pull(action.tub or "", action.reason)
            self._state.earned = round(self._state.earned + reward, 5)
        self._done = (
            action.kind == "leave"
            or self._cleared()
            or self._state.step_count >= MAX_STEPS
        )
        cleared = self._cleared() if self._done else None
        return self._observe(message, tubs, round(reward, 5), cleared)

    def _cleared(self) -> bool:
        return self._right >= len(self._faults)

    def _observe(
        self,
        message: str,
        tubs: Optional[List[Tub]] = None,
        reward: float = 0.0,
        cleared: Optional[bool] = None,
    ) -> ColdroomObservation:
        return ColdroomObservation(
            message=message,
            today=self._today,
            keeps_days=self._keeps,
            max_celsius=self._limits,
            shelves=list(self._room),
            tubs=tubs or [],
            steps_left=max(0, MAX_STEPS - self._state.step_count),
            cleared=cleared,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> ColdroomState:
        return self._state
