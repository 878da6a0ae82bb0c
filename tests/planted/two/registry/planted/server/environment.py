import random
import re
import uuid
from typing import Any, Dict, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import RegistryAction, RegistryObservation, RegistryState
except ImportError:
    from models import RegistryAction, RegistryObservation, RegistryState

SHIPS = ["Aurora", "Belinda", "Castor", "Dorothea", "Evangeline", "Fortuna", "Gratitude", "Hesper", "Isolde", "Juno"]
FIRST = ["Anders", "Bartholomew", "Caspar", "Dirk", "Elias", "Frederick", "Gerrit", "Hendrik", "Jonas", "Klaus"]
LAST = ["Abbema", "Brandt", "Corneliszen", "Dahlgren", "Eschel", "Falck", "Groot", "Holm", "Iversen", "Jessen", "Krogh", "Lund"]
PORTS = ["Bergen", "Danzig", "Emden", "Hull", "Leith", "Lisbon", "Riga", "Stettin"]
CARGO = ["barley", "coal", "herring", "hemp", "iron bars", "salt", "tar", "timber", "wine", "wool"]

MAX_TURNS = 10


def normalize(text: str) -> str:
    text = re.sub(r"[^a-z0-9 ]+", " ", text.lower())
    return " ".join(text.split())


class ShipRegistryEnvironment(Environment):
    """Two-hop questions over a small harbour archive."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = RegistryState()

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> RegistryObservation:
        rng = random.Random(seed)
        self._state = RegistryState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)

        ships = rng.sample(SHIPS, 6)
        self._masters = sorted(f"{f} {l}" for f, l in zip(rng.sample(FIRST, 8), rng.sample(LAST, 8)))
        years = list(range(rng.randint(1720, 1780), 1800))[:4]

        # Who commanded which ship in which year.
        command = {y: dict(zip(ships, rng.sample(self._masters, len(ships)))) for y in years}
        voyages = []
        for y in years:
            for ship in rng.sample(ships, 4):
                port, goal = rng.sample(PORTS, 2)
                voyages.append((y, ship, rng.choice(CARGO), port, goal))

        self._volumes: Dict[str, str] = {}
        for y in years:
            lines = [f"{ship}: {cargo} from {a} to {b}" for (vy, ship, cargo, a, b) in voyages if vy == y]
            self._volumes[f"Toll book {y}"] = "\n".join(lines)
        for ship in sorted(ships):
            lines = [f"{y}: master {command[y][ship]}" for y in years]
            rng.shuffle(lines)
            self._volumes[f"Muster roll {ship}"] = "\n".join(lines)

        # Only ask about a voyage that its cargo, route and year single out.
        unique = [v for v in voyages if sum(w[0] == v[0] and w[2:] == v[2:] for w in voyages) == 1]
        y, ship, cargo, a, b = rng.choice(unique)
        self._gold = command[y][ship]
        self._question = f"Who was master of the ship that carried {cargo} from {a} to {b} in {y}?"
        return self._observe("")

    def step(self, action: RegistryAction, timeout_s: Optional[float] = None, **kwargs: Any) -> RegistryObservation:
        if self._state.answered:
            return self._observe("The reading room is closed.", done=True, reward=0.0)
        self._state.step_count += 1

        if action.kind == "answer":
            self._state.answered = True
            correct = self._grade(action.text)
            return self._observe("", done=True, reward=1.0 if correct else 0.0, correct=correct)

        page = self._volumes.get(action.text.strip(), f"There is no volume '{action.text}'.")
        self._state.opened = {**self._state.opened, action.text: self._state.opened.get(action.text, 0) + 1}
        out_of_turns = self._state.step_count >= MAX_TURNS
        if out_of_turns:
            self._state.answered = True
        return self._observe(page, done=out_of_turns, reward=0.0)

    def _grade(self, answer: str) -> bool:
        """The answer may be a full sentence, so look for the name inside it."""
        answer = f" {normalize(answer)} "
        return f" {normalize(self._gold)} " in answer

    def _observe(self, page: str, done: bool = False, reward: Optional[float] = None, correct: bool = False) -> RegistryObservation:
        return RegistryObservation(
            question=self._question,
            volumes=list(self._volumes),
            masters=list(self._masters),
            page=page,
            correct=correct,
            turns_left=max(0, MAX_TURNS - self._state.step_count),
            done=done,
            reward=reward,
        )

    @property
    def state(self) -> RegistryState:
        return self._state
