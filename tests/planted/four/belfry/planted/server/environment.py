"""Answering enquiries from the record cards of a bell archive."""

import random
import re
import uuid
from typing import Any, Dict, List, Optional, Set

from openenv.core.env_server import Environment

try:
    from ..models import BelfryAction, BelfryObservation, BelfryState
except ImportError:
    from models import BelfryAction, BelfryObservation, BelfryState

PLACES = ["Askerby", "Brackwater", "Cold Marden", "Dunholme", "Eastrey", "Fenwick", "Gorsley", "Harrowmere"]
SAINTS = ["Olave", "Botolph", "Wilfrid", "Etheldreda", "Cuthbert", "Swithun", "Hilda", "Petroc"]
BELLS = ["tenor", "treble", "sanctus", "angelus"]
GIVEN = ["Abraham", "Bartholomew", "Caleb", "Elias", "Gideon", "Josiah", "Matthias", "Tobias", "Ursula", "Walter"]
FAMILY = ["Rudhall", "Pennock", "Tosier", "Kekewich", "Lester", "Warner", "Mears", "Bilbie", "Gillett", "Purdue"]
ALLOYS = ["cannon bronze", "Cornish tin", "Swedish copper", "melted candlesticks", "church plate"]
KEYS = ["flat", "sharp"]

# subject in the enquiry -> sentence of the answer, facts on the card
SUBJECTS = {
    "founder": ("the founder responsible for casting", "The founder responsible for casting was {founder}."),
    "year": ("the year of its casting", "The year of its casting was {year}."),
    "weight": ("its weight in pounds", "Its weight in pounds was {weight}."),
    "donor": ("the parishioner paying for the work", "The parishioner paying for the work was {donor}."),
}
STOPWORDS = set("the a an of in at for and was is to its it by with from please this that hangs hanging".split())

ENQUIRIES = 4
CARDS = 12
MAX_WORDS = 40
MAX_STEPS = 20
FULL_COVERAGE = 0.75


def content_words(text: str) -> Set[str]:
    return {word for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in STOPWORDS}


def names_and_figures(card_text: str) -> Set[str]:
    return content_words(" ".join(re.findall(r"[A-Z][a-z]+ [A-Z][a-z]+|\d+", card_text)))


class BelfryEnvironment(Environment):
    """Enquiries come one after the other; cards can be opened in between."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._cards: Dict[str, Dict[str, str]] = {}
        self._enquiries: List[Dict[str, str]] = []
        self._notes: List[str] = []
        self._card_text = ""
        self._done = True
        self._state = BelfryState()

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> BelfryObservation:
        rng = random.Random(seed)
        places = rng.sample([(bell, saint, place) for bell in BELLS for saint in SAINTS for place in PLACES], CARDS)
        numbers = rng.sample(range(1000, 10000), CARDS)
        self._cards = {}
        for number, (bell, saint, place) in zip(sorted(numbers), places):
            facts = {
                "founder": f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}",
                "year": str(rng.randint(1590, 1890)),
                "weight": str(rng.randint(180, 3900)),
                "donor": f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}",
            }
            about = f"{bell} bell, church of Saint {saint}, {place}"
            self._cards[f"B{number}"] = {"about": about, "text": self._write_card(about, facts, rng), **facts}
        self._enquiries = [self._write_enquiry(card, rng) for card in rng.sample(list(self._cards), ENQUIRIES)]
        self._notes, self._card_text, self._done = [], "", False
        self._state = BelfryState(episode_id=episode_id or str(uuid.uuid4()), enquiries_total=ENQUIRIES)
        return self._observe(None)

    @staticmethod
    def _write_card(about: str, facts: Dict[str, str], rng: random.Random) -> str:
        """A card in the order of the old card writers: anything may come first."""
        sentences = [
            f"Cast by {facts['founder']}, whose mark is on the waist, from {rng.choice(ALLOYS)}.",
            f"Cast in {facts['year']}; rehung in {rng.randint(1900, 1960)} after the frame had rotted.",
            f"Weighs {facts['weight']} pounds; the clapper weighs {rng.randint(20, 90)} pounds.",
            f"Paid for by {facts['donor']}, of this parish, in memory of {rng.choice(GIVEN)} {rng.choice(FAMILY)}.",
            f"Strikes {rng.choice('ABCDEFG')} {rng.choice(KEYS)}; lip {rng.randint(24, 60)} inches across.",
            f"Surveyed by {rng.choice(GIVEN)} {rng.choice(FAMILY)} in {rng.randint(1961, 1999)}.",
        ]
        rng.shuffle(sentences)
        return about[0].upper() + about[1:] + ". " + " ".join(sentences)

    def _write_enquiry(self, number: str, rng: random.Random) -> Dict[str, str]:
        card = self._cards[number]
        wanted = rng.sample(list(SUBJECTS), 2)
        asked = " and ".join(SUBJECTS[subject][0] for subject in wanted)
        return {
            "text": f"For the {card['about']}: please state {asked}.",
            "card": card["text"],
            "reference": f"{card['about']}. " + " ".join(SUBJECTS[s][1].format(**card) for s in wanted),
        }

    @staticmethod
    def _score_answer(text: str, enquiry: Dict[str, str]) -> float:
        """Share of the reference answer's content words that the answer covers."""
        given = content_words(text)
        if len(text.split()) > MAX_WORDS:
            return 0.0
        if names_and_figures(enquiry["card"]) & given - content_words(enquiry["reference"]) - content_words(enquiry["text"]):
            return 0.0
        expected = content_words(enquiry["reference"])
        coverage = len(expected & given) / len(expected)
        return min(1.0, coverage / FULL_COVERAGE)

    def step(self, action: BelfryAction, timeout_s: Optional[float] = None, **kwargs: Any) -> BelfryObservation:
        if self._done:
            return self._observe(0.0)
        self._state.step_count += 1
        reward = 0.0
        if action.kind == "open":
            card = self._cards.get(action.card.strip())
            self._card_text = card["text"] if card else ""
            self._state.cards_opened += card is not None
            self._notes.append(f"opened {action.card}" if card else f"no card {action.card}")
        else:
            enquiry = self._enquiries[self._state.enquiries_answered]
            reward = self._score_answer(action.text, enquiry) / ENQUIRIES
            self._state.enquiries_answered += 1
            self._card_text = ""
            self._notes.append("answer sent")
        self._done = self._state.enquiries_answered == ENQUIRIES or self._state.step_count >= MAX_STEPS
        return self._observe(reward)

    def _observe(self, reward: Optional[float]) -> BelfryObservation:
        current = self._state.enquiries_answered
        return BelfryObservation(
            done=self._done,
            reward=reward,
            enquiry="" if self._done else self._enquiries[current]["text"],
            index={number: card["about"] for number, card in self._cards.items()},
            card_text=self._card_text,
            enquiries_left=len(self._enquiries) - current,
            steps_left=MAX_STEPS - self._state.step_count,
            notes=list(self._notes),
        )

    @property
    def state(self) -> BelfryState:
        return self._state
