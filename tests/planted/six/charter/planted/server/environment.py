"""A lost charter, edited line by line from the three copies that survive."""

import random
import uuid
from difflib import SequenceMatcher
from typing import Any, List, Optional, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import CharterAction, CharterObservation, CharterState
except ImportError:
    from models import CharterAction, CharterObservation, CharterState

CLAUSES = [
    "know all men present and to come that i {name} of {place} have given",
    "and by this my charter confirmed to god and to the church of {place}",
    "for the soul of my father {name} and of my mother and all my heirs",
    "{number} acres of {land} lying beside the road that goes toward the {mark}",
    "with the {mark} and the rent of {number} pence which {name} used to pay",
    "between the {land} of {name} on the one side and the {mark} beyond",
    "to have and to hold of me and of my heirs in free alms",
    "rendering for it each year {number} pence at the feast of saint {name}",
    "and i {name} and my heirs shall warrant the said {land} for ever",
    "and that this gift may stand firm i have set to it my seal",
    "these being witnesses {name} the steward and {name} his brother and {name} of {place}",
    "saving to me the {land} that {name} holds near the {mark} of {place}",
]
SLOTS = {
    "name": ["adam", "bartholomew", "geoffrey", "hamo", "hugh", "laurence", "martin",
             "nicholas", "osbert", "ralph", "reginald", "simon", "walter", "william"],
    "place": ["ashwell", "barnack", "cotes", "denford", "elton", "fenstanton", "glatton",
              "hemingford", "ketton", "luddington", "oundle", "warmington"],
    "number": ["two", "three", "four", "five", "six", "seven", "nine", "ten", "twelve"],
    "land": ["arable", "heath", "marsh", "meadow", "pasture", "wood"],
    "mark": ["bridge", "cross", "ditch", "ford", "mill", "quarry", "weir"],
}
CONFUSED = {"a": "o", "b": "h", "c": "t", "d": "l", "e": "c", "f": "s", "g": "y",
            "h": "b", "i": "l", "k": "h", "l": "i", "m": "n", "n": "u", "o": "e",
            "p": "q", "r": "t", "s": "f", "t": "c", "u": "n", "v": "u", "w": "v", "y": "g"}
GAP = "[...]"
LINES = 8


def misread(word: str, rng: random.Random) -> str:
    """The word as a hurried scribe might have it."""
    for slot in SLOTS.values():
        if word in slot and rng.random() < 0.5:
            return rng.choice([other for other in slot if other != word])
    spots = [i for i, letter in enumerate(word) if letter in CONFUSED]
    spot = rng.choice(spots)
    return word[:spot] + CONFUSED[word[spot]] + word[spot + 1 :]


class CharterEnvironment(Environment):
    """Eight lines, three copies of each, one reading per line."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._original: List[str] = []
        self._copies: List[Tuple[str, str, str]] = []
        self._done = True
        self._state = CharterState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> CharterObservation:
        rng = random.Random(seed)
        self._original, self._copies = [], []
        for clause in sorted(rng.sample(range(len(CLAUSES)), LINES)):
            words = []
            for token in CLAUSES[clause].split():
                slot = SLOTS.get(token.strip("{}"), None) if "{" in token else None
                words.append(rng.choice(slot) if slot else token)
            self._original.append(" ".join(words))
            self._copies.append(self._transmit(words, rng))
        self._done = False
        self._state = CharterState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._observe("Three copies of the charter lie before you.")

    @staticmethod
    def _transmit(words: List[str], rng: random.Random) -> Tuple[str, str, str]:
        """Three copies of one line; no word is spoilt in more than one of them."""
        spots = rng.sample(range(len(words)), 9)
        base_slips = rng.choice([2, 3])
        base, cartulary, inspeximus = list(words), list(words), list(words)
        for spot in spots[:base_slips]:
            base[spot] = misread(words[spot], rng)
        for spot in spots[3:6]:
            cartulary[spot] = GAP if rng.random() < 0.4 else misread(words[spot], rng)
        for spot in spots[6:9]:
            inspeximus[spot] = GAP if rng.random() < 0.3 else misread(words[spot], rng)
        return " ".join(base), " ".join(cartulary), " ".join(inspeximus)

    # ------------------------------------------------------------------ grading

    def _grade(self, index: int, reading: str) -> float:
        """How good a reading is, from 0 to 1."""
        original = self._original[index]
        given = " ".join(reading.lower().split())
        return SequenceMatcher(None, original, given, autojunk=False).ratio()

    def step(
        self,
        action: CharterAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> CharterObservation:
        if self._done:
            return self._observe("The edition has gone to the printer.")
        self._state.step_count += 1
        grade = self._grade(self._state.lines_done, action.text)
        reward = round(grade / LINES, 5)
        self._state.lines_done += 1
        self._state.score = round(self._state.score + reward, 5)
        self._done = self._state.lines_done == LINES
        return self._observe("Line entered.", reward=reward)

    def _observe(self, message: str, reward: float = 0.0) -> CharterObservation:
        index = self._state.lines_done
        base = cartulary = inspeximus = ""
        if not self._done:
            base, cartulary, inspeximus = self._copies[index]
        return CharterObservation(
            message=message,
            line_number=min(index + 1, LINES),
            lines_total=LINES,
            base=base,
            cartulary=cartulary,
            inspeximus=inspeximus,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> CharterState:
        return self._state
