"""Reading comprehension over short generated passages."""

import random
import string
import uuid
from typing import Any, Dict, List, Optional, Set, Tuple

from openenv.core.env_server import Environment

try:
    from ..models import AnswerAction, ReadingObservation, ReadingState
except ImportError:
    from models import AnswerAction, ReadingObservation, ReadingState

N_QUESTIONS = 8
SPARE_ANSWERS = 2

NAMES = ["Alma", "Boris", "Clara", "Dimitri", "Esther", "Felix", "Gita", "Henrik", "Ilse", "Jakob"]
JOBS = ["a baker", "a tailor", "a nurse", "a carpenter", "a teacher", "a fisher", "a beekeeper", "a printer"]
STREETS = ["Mill Lane", "Church Road", "Harbour Street", "Elm Court", "Station Road", "Tanner Row", "Bridge End"]
INSTRUMENTS = ["cello", "flute", "accordion", "trumpet", "harp", "clarinet", "banjo", "oboe"]
ANIMALS = ["goat", "parrot", "tortoise", "cat", "pony", "rabbit", "goose", "spaniel"]


def normalise(text: str) -> str:
    """Lower case, without punctuation, articles and double spaces."""
    text = text.lower().translate(str.maketrans("", "", string.punctuation))
    return " ".join(word for word in text.split() if word not in ("a", "an", "the"))


class VillageReaderEnvironment(Environment[AnswerAction, ReadingObservation, ReadingState]):
    """Answer eight questions about the people of a village."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = ReadingState()
        self._passage = ""
        self._questions: Dict[str, str] = {}
        self._gold: Dict[str, str] = {}
        self._answered: Set[str] = set()

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> ReadingObservation:
        rng = random.Random(seed)
        self._passage, pairs = self._compose(rng)
        chosen = rng.sample(pairs, N_QUESTIONS)
        self._questions = {f"q{i}": question for i, (question, _) in enumerate(chosen, 1)}
        self._gold = {f"q{i}": answer for i, (_, answer) in enumerate(chosen, 1)}
        self._answered = set()
        self._state = ReadingState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0, solved=0, total=N_QUESTIONS
        )
        return self._observe("Read the passage and answer the questions.", None, False)

    def step(self, action: AnswerAction, timeout_s: Optional[float] = None, **kwargs: Any) -> ReadingObservation:
        if self._finished():
            return self._observe("There are no answers left.", 0.0, True)
        self._state.step_count += 1
        question_id = action.question_id.strip().lower()
        reward = 0.0
        if question_id not in self._gold:
            feedback = f"There is no question {action.question_id!r}."
        elif normalise(action.answer) == normalise(self._gold[question_id]):
            self._answered.add(question_id)
            self._state.solved += 1
            reward = 1.0 / N_QUESTIONS
            feedback = f"{question_id}: correct."
        else:
            feedback = f"{question_id}: not correct."
        return self._observe(feedback, reward, self._finished())

    @property
    def state(self) -> ReadingState:
        return self._state

    def _finished(self) -> bool:
        return (
            self._state.solved >= self._state.total
            or self._state.step_count >= N_QUESTIONS + SPARE_ANSWERS
        )

    def _observe(self, feedback: str, reward: Optional[float], done: bool) -> ReadingObservation:
        return ReadingObservation(
            passage=self._passage,
            questions=dict(self._questions),
            feedback=feedback,
            answers_left=N_QUESTIONS + SPARE_ANSWERS - self._state.step_count,
            metadata={"solved": self._state.solved, "success": self._state.solved >= self._state.total},
            reward=reward,
            done=done,
        )

    @staticmethod
    def _compose(rng: random.Random) -> Tuple[str, List[Tuple[str, str]]]:
        """Write a passage about five people; return it with all its questions."""
        people = rng.sample(NAMES, 5)
        jobs, streets = rng.sample(JOBS, 5), rng.sample(STREETS, 5)
        instruments, animals = rng.sample(INSTRUMENTS, 5), rng.sample(ANIMALS, 5)
        sentences, pairs = [], []
        for i, name in enumerate(people):
            sentences.append(f"{name} works as {jobs[i]} and lives in {streets[i]}.")
            sentences.append(f"In the evening {name} plays the {instruments[i]}.")
            sentences.append(f"At home {name} keeps a {animals[i]}.")
            pairs += [
                (f"What is the trade of {name}?", jobs[i]),
                (f"Where does {name} live?", streets[i]),
                (f"Which instrument does {name} play?", instruments[i]),
                (f"Which animal does {name} keep?", animals[i]),
                (f"Who lives in {streets[i]}?", name),
                (f"Which instrument does the owner of the {animals[i]} play?", instruments[i]),
            ]
        rng.shuffle(sentences)
        return " ".join(sentences), pairs
