"""Shelving: put a shelf of library books in call number order by swapping books."""

import random
import uuid
from typing import Any, List, NamedTuple, Optional

from openenv.core.env_server import Environment

try:
    from ..models import ShelvingAction, ShelvingObservation, ShelvingState
except ImportError:
    from models import ShelvingAction, ShelvingObservation, ShelvingState

CLASSES = ["GV", "HB", "ML", "PR", "Q", "QA", "QC", "QH", "TK", "Z"]
SHELF_SIZE = 10
MAX_MOVES = 40
PLACE_REWARD = 0.1
ORDER_REWARD = 0.5


class CallNumber(NamedTuple):
    """Library of Congress style call number; fields are in sorting order."""

    letters: str
    number: str
    cutter_letter: str
    cutter_digits: str
    year: int

    def __str__(self) -> str:
        return f"{self.letters} {self.number} .{self.cutter_letter}{self.cutter_digits} {self.year}"

    def sort_key(self):
        return (
            self.letters,
            float(self.number),
            self.cutter_letter,
            float("0." + self.cutter_digits),
            self.year,
        )


class ShelvingEnvironment(Environment[ShelvingAction, ShelvingObservation, ShelvingState]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._shelf: List[CallNumber] = []
        self._target: List[CallNumber] = []
        self._state = ShelvingState()

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> ShelvingObservation:
        rng = random.Random(seed)
        books = self._draw_books(rng)
        self._target = sorted(books, key=CallNumber.sort_key)
        self._shelf = list(books)
        while self._in_place() > 1:
            rng.shuffle(self._shelf)
        self._state = ShelvingState(
            episode_id=episode_id or str(uuid.uuid4()),
            step_count=0,
            target=[str(b) for b in self._target],
        )
        return self._observe("Put the shelf in call number order, left to right.", reward=0.0)

    def step(self, action: ShelvingAction, timeout_s: Optional[float] = None, **kwargs: Any) -> ShelvingObservation:
        if self._state.finished:
            return self._observe("The shelf is already handed over.", reward=0.0, done=True)
        self._state.step_count += 1

        if action.command == "finish":
            self._state.finished = True
            reward = ORDER_REWARD if self._shelf == self._target else 0.0
            return self._observe("Shelf handed over.", reward=reward, done=True)

        reward = 0.0
        slots = (action.first, action.second)
        if not all(s is not None and 0 <= s < SHELF_SIZE for s in slots) or slots[0] == slots[1]:
            message = f"A swap needs two different slots between 0 and {SHELF_SIZE - 1}."
        else:
            reward = self._swap(*slots)
            message = f"Swapped slots {slots[0]} and {slots[1]}."

        if self._state.step_count >= MAX_MOVES:
            self._state.finished = True
            return self._observe(message + " No moves left.", reward=reward, done=True)
        return self._observe(message, reward=reward)

    @property
    def state(self) -> ShelvingState:
        self._state.shelf = [str(b) for b in self._shelf]
        return self._state

    # -- shelf -----------------------------------------------------------

    @staticmethod
    def _draw_books(rng: random.Random) -> List[CallNumber]:
        """Draw books from few classes and numbers so that the later fields matter."""
        classes = rng.sample(CLASSES, 3)
        numbers = [rng.choice(["76.9", "76.73", "9", "112", "76.5", "279.35"]) for _ in range(3)]
        cutters = [(rng.choice("BDKMRT"), str(rng.randint(2, 9999))) for _ in range(4)]
        books: List[CallNumber] = []
        seen = set()
        while len(books) < SHELF_SIZE:
            letter, digits = rng.choice(cutters)
            book = CallNumber(rng.choice(classes), rng.choice(numbers), letter, digits, rng.randint(1961, 2021))
            if book.sort_key() not in seen:
                seen.add(book.sort_key())
                books.append(book)
        return books

    def _fits(self, slot: int) -> bool:
        return self._shelf[slot] == self._target[slot]

    def _in_place(self) -> int:
        return sum(self._fits(slot) for slot in range(len(self._shelf)))

    def _swap(self, a: int, b: int) -> float:
        """Swap two books; reward for each book that comes to its right slot."""
        before = self._in_place()
        self._shelf[a], self._shelf[b] = self._shelf[b], self._shelf[a]
        gained = max(0, self._in_place() - before)
        return round(PLACE_REWARD * gained, 4)

    def _observe(self, message: str, reward: float, done: bool = False) -> ShelvingObservation:
        return ShelvingObservation(
            message=message,
            shelf=[str(b) for b in self._shelf],
            in_place=self._in_place(),
            moves_left=MAX_MOVES - self._state.step_count,
            reward=reward,
            done=done,
        )
