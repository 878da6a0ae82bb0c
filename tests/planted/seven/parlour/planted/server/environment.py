"""Scenes in a parlour: things change hands, people change rooms, questions follow."""

import random
import re
import uuid
from typing import Any, Dict, List, Optional, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import ParlourAction, ParlourObservation, ParlourState
except ImportError:
    from models import ParlourAction, ParlourObservation, ParlourState

PEOPLE = [
    "Agatha", "Bertram", "Clara", "Desmond", "Edith", "Fergus",
    "Harriet", "Ignatius", "Josephine", "Leopold", "Millicent", "Percival",
]  # fmt: skip
THINGS = ["letter", "brooch", "violin", "almanac", "lantern", "parasol", "decanter"]
ROOMS = ["library", "conservatory", "pantry", "billiard room", "drawing room", "attic"]
GUESTS = 6
EVENTS = 16
QUESTIONS = 5

HANDED = [
    "{a} handed the {t} to {b}.",
    "{a} gave the {t} to {b} without a word.",
    "{a} passed the {t} to {b}.",
]
REFUSED = [
    "{a} offered the {t} to {b}, who would not take it.",
    "{a} showed the {t} to {b} but kept it.",
]
WALKED = ["{a} went to the {r}.", "{a} slipped away to the {r}."]


class Scene:
    """A passage and the facts that can be asked about it."""

    def __init__(self, rng: random.Random) -> None:
        self.people = rng.sample(PEOPLE, GUESTS)
        things = rng.sample(THINGS, 3)
        rooms = rng.sample(ROOMS, 4)
        self.holders: Dict[str, List[str]] = {}
        self.visited: Dict[str, List[str]] = {}
        lines: List[str] = []
        for person in self.people:
            room = rng.choice(rooms)
            self.visited[person] = [room]
            lines.append(f"{person} was in the {room}.")
        for thing in things:
            owner = rng.choice(self.people)
            self.holders[thing] = [owner]
            lines.append(f"{owner} had the {thing}.")
        for _ in range(EVENTS):
            lines.append(self._event(rng, things, rooms))
        self.passage = " ".join(lines)

    def _event(self, rng: random.Random, things: List[str], rooms: List[str]) -> str:
        kind = rng.choice(["hand", "hand", "refuse", "walk", "walk"])
        if kind == "walk":
            person = rng.choice(self.people)
            room = rng.choice([r for r in rooms if r != self.visited[person][-1]])
            self.visited[person].append(room)
            return rng.choice(WALKED).format(a=person, r=room)
        thing = rng.choice(things)
        giver = self.holders[thing][-1]
        other = rng.choice([p for p in self.people if p != giver])
        if kind == "refuse":
            return rng.choice(REFUSED).format(a=giver, t=thing, b=other)
        self.holders[thing].append(other)
        return rng.choice(HANDED).format(a=giver, t=thing, b=other)

    def cards(self, rng: random.Random) -> List[Tuple[str, str]]:
        """Questions with their answers."""
        pool = []
        for thing, chain in self.holders.items():
            pool.append((f"Who had the {thing} at the end?", chain[-1]))
            if len(chain) > 2:
                pool.append((f"Who had the {thing} just before its last holder?", chain[-2]))
        for person, rooms in self.visited.items():
            if len(rooms) > 1:
                pool.append((f"In which room was {person} at the end?", rooms[-1]))
                pool.append((f"Which room did {person} come to last from?", rooms[-2]))
            else:
                pool.append((f"In which room was {person} at the end?", rooms[-1]))
        rng.shuffle(pool)
        return pool[:QUESTIONS]


def plain(text: str) -> str:
    """Lower case, letters only, single spaces."""
    return " ".join(re.findall(r"[a-z]+", text.lower()))


def is_right(answer: str, expected: str) -> bool:
    return f" {plain(expected)} " in f" {plain(answer)} "


class ParlourEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._passage = ""
        self._cards: List[Tuple[str, str]] = []
        self._at = 0
        self._done = True
        self._state = ParlourState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> ParlourObservation:
        rng = random.Random(seed)
        scene = Scene(rng)
        self._passage = scene.passage
        self._cards = scene.cards(rng)
        self._at = 0
        self._done = False
        self._state = ParlourState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("Read the scene, then answer the card.")

    def step(
        self,
        action: ParlourAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> ParlourObservation:
        if self._done:
            return self._look("All cards have been answered.")
        self._state.step_count += 1
        _, expected = self._cards[self._at]
        self._at += 1
        self._state.asked = self._at
        self._done = self._at == len(self._cards)
        if is_right(action.answer, expected):
            return self._look("Right.", reward=round(1 / len(self._cards), 4))
        return self._look("Wrong.")

    def _look(self, feedback: str, reward: float = 0.0) -> ParlourObservation:
        return ParlourObservation(
            passage=self._passage,
            question=None if self._done else self._cards[self._at][0],
            number=min(self._at + 1, len(self._cards)),
            questions=len(self._cards),
            feedback=feedback,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> ParlourState:
        return self._state
