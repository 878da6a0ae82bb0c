"""Herbarium: determine a pressed plant with the help of a local flora."""

import random
import re
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import HerbariumAction, HerbariumObservation, HerbariumState
except ImportError:
    from models import HerbariumAction, HerbariumObservation, HerbariumState

CHARACTERS = {
    "leaf_margin": ["entire", "serrate", "lobed", "crenate"],
    "leaf_arrangement": ["alternate", "opposite", "whorled"],
    "petal_count": ["four", "five", "six"],
    "petal_colour": ["white", "yellow", "violet", "pink"],
    "fruit": ["capsule", "berry", "nutlet", "follicle"],
    "hairs": ["none", "simple", "stellate"],
    "root": ["taproot", "rhizome", "tuber"],
    "sepals": ["free", "fused", "reflexed"],
}
GENERA = ["Arvella", "Brimia", "Callanthe", "Dorsia", "Elymora", "Fenusia", "Galdea", "Hyptora"]
EPITHETS = [
    "alpina", "borealis", "campestris", "dubia", "erecta", "fragrans", "glabra", "hirsuta",
    "littoralis", "montana", "palustris", "repens", "silvatica", "tenuis", "uliginosa", "vernalis",
]
MAX_STEPS = 15
EXAMINE_COST = 0.03


class HerbariumEnvironment(Environment[HerbariumAction, HerbariumObservation, HerbariumState]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._flora: Dict[str, Dict[str, str]] = {}
        self._worn: List[str] = []
        self._notes: Dict[str, str] = {}
        self._verdict = "open"
        self._state = HerbariumState()

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> HerbariumObservation:
        rng = random.Random(seed)
        self._flora = self._make_flora(rng, size=rng.randint(12, 16))
        # one or two characters cannot be made out on the sheet
        self._worn = rng.sample(list(CHARACTERS), rng.randint(1, 2))
        species = rng.choice([name for name in sorted(self._flora) if self._is_determinable(name)])
        self._notes = {}
        self._verdict = "open"
        self._state = HerbariumState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0, species=species
        )
        return self._observe("A new sheet lies on the table. Which species is it?", reward=0.0)

    def step(self, action: HerbariumAction, timeout_s: Optional[float] = None, **kwargs: Any) -> HerbariumObservation:
        if self._verdict != "open":
            return self._observe("The label is already written.", reward=0.0, done=True)
        self._state.step_count += 1

        if action.command == "determine":
            self._state.determination = action.determination
            right = self._grade(action.determination)
            self._verdict = "confirmed" if right else "returned"
            message = "The curator has looked at your label."
            return self._observe(message, reward=1.0 if right else 0.0, done=True)

        message = self._examine(action.character.strip().lower())
        done = self._state.step_count >= MAX_STEPS
        if done:
            self._verdict = "returned"
            message += " The museum closes."
        return self._observe(message, reward=-EXAMINE_COST, done=done)

    @property
    def state(self) -> HerbariumState:
        self._state.notes = dict(self._notes)
        return self._state

    # -- plants ----------------------------------------------------------

    @staticmethod
    def _make_flora(rng: random.Random, size: int) -> Dict[str, Dict[str, str]]:
        genera = rng.sample(GENERA, 4)
        flora: Dict[str, Dict[str, str]] = {}
        for epithet in rng.sample(EPITHETS, size):
            flora[f"{rng.choice(genera)} {epithet}"] = {
                character: rng.choice(values) for character, values in CHARACTERS.items()
            }
        return flora

    def _is_determinable(self, species: str) -> bool:
        """True when the readable characters tell the species from all others."""
        readable = [c for c in CHARACTERS if c not in self._worn]
        traits = self._flora[species]
        return not any(
            all(other[c] == traits[c] for c in readable)
            for name, other in self._flora.items()
            if name != species
        )

    def _examine(self, character: str) -> str:
        if character not in CHARACTERS:
            return f"The sheet shows nothing called {character!r}."
        if character in self._worn:
            self._notes[character] = "not visible"
        else:
            self._notes[character] = self._flora[self._state.species][character]
        return f"{character}: {self._notes[character]}"

    # -- grading ---------------------------------------------------------

    @staticmethod
    def _normalize(text: str) -> str:
        return " ".join(re.findall(r"[a-z]+", text.lower()))

    def _grade(self, determination: str) -> bool:
        """The label may be a sentence, so look for the name within it."""
        text = self._normalize(determination)
        return self._normalize(self._state.species) in text

    def _observe(self, message: str, reward: float, done: bool = False) -> HerbariumObservation:
        return HerbariumObservation(
            message=message,
            flora=[{"species": name, **traits} for name, traits in sorted(self._flora.items())],
            characters=list(CHARACTERS),
            notes=dict(self._notes),
            verdict=self._verdict,
            steps_left=MAX_STEPS - self._state.step_count,
            reward=reward,
            done=done,
        )
