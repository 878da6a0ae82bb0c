"""Who is who in a family: questions over a shuffled set of parish notes."""

import random
import re
import uuid
from typing import Any, Dict, List, Optional, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import PedigreeAction, PedigreeObservation, PedigreeState
except ImportError:
    from models import PedigreeAction, PedigreeObservation, PedigreeState

NAMES = [
    "Agnes", "Aldo", "Berta", "Boris", "Clara", "Cyril", "Dora", "Dirk", "Edith",
    "Emil", "Frida", "Felix", "Greta", "Gustav", "Hanna", "Hugo", "Irma", "Ivo",
    "Judith", "Jasper", "Klara", "Kurt", "Lotte", "Leo", "Mina", "Max", "Nora",
    "Nils", "Olga", "Otto", "Petra", "Paul", "Rosa", "Ralf", "Sofie", "Sven",
]
TRADES = ["baker", "cooper", "sexton", "weaver", "miller", "teacher", "saddler"]
PLACES = ["Oberau", "Lindach", "Steinfeld", "Moorhof", "Altbruck"]
RELATIONS = [
    "parent", "child", "sibling", "grandparent", "grandchild",
    "aunt-or-uncle", "niece-or-nephew", "cousin",
]
QUESTIONS = 5
ANSWER = re.compile(r"<answer>(.*?)</answer>", re.IGNORECASE | re.DOTALL)


class PedigreeEnvironment(Environment):
    """Three generations, eight kinds of kinship, five questions."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._notes: List[str] = []
        self._questions: List[Tuple[str, str, str]] = []
        self._done = True
        self._state = PedigreeState()

    # ----------------------------------------------------------------- family

    @staticmethod
    def _relation(a: str, b: str, parents: Dict[str, Tuple[str, str]]) -> Optional[str]:
        """What a is to b by blood, or None."""

        def up(person: str) -> set:
            return set(parents.get(person, ()))

        def up2(person: str) -> set:
            return {g for p in up(person) for g in up(p)}

        if a in up(b):
            return "parent"
        if b in up(a):
            return "child"
        if up(a) and up(a) == up(b):
            return "sibling"
        if a in up2(b):
            return "grandparent"
        if b in up2(a):
            return "grandchild"
        if up(a) & up2(b):
            return "aunt-or-uncle"
        if up(b) & up2(a):
            return "niece-or-nephew"
        if up2(a) & up2(b):
            return "cousin"
        return None

    def _build(self, rng: random.Random) -> None:
        names = iter(rng.sample(NAMES, len(NAMES)))
        parents: Dict[str, Tuple[str, str]] = {}
        people: List[str] = []

        def new() -> str:
            people.append(next(names))
            return people[-1]

        founders = (new(), new())
        for _ in range(3):
            child, spouse = new(), new()
            parents[child] = founders
            for _ in range(rng.choice([2, 3])):
                parents[new()] = (child, spouse)

        notes = []
        for child, couple in parents.items():
            first, second = rng.sample(couple, 2)
            notes.append(f"{child} is a child of {first} and {second}.")
        for person in rng.sample(people, 6):
            notes.append(
                f"{person} worked as a {rng.choice(TRADES)} in {rng.choice(PLACES)}."
            )
        rng.shuffle(notes)
        self._notes = notes

        by_relation: Dict[str, List[Tuple[str, str]]] = {r: [] for r in RELATIONS}
        for a in people:
            for b in people:
                relation = self._relation(a, b, parents) if a != b else None
                if relation:
                    by_relation[relation].append((a, b))
        self._questions = [
            (*rng.choice(by_relation[relation]), relation)
            for relation in rng.choices(RELATIONS, k=QUESTIONS)
        ]
        self._state.family_size = len(people)

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> PedigreeObservation:
        self._state = PedigreeState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        self._build(random.Random(seed))
        self._done = False
        return self._observe(0.0)

    # ------------------------------------------------------------------- play

    @staticmethod
    def _is_correct(message: str, expected: str) -> bool:
        """Read the answer out of the reply and compare it."""
        answers = [a.strip().lower().rstrip(".") for a in ANSWER.findall(message)]
        return expected in answers

    def step(
        self,
        action: PedigreeAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> PedigreeObservation:
        if self._done:
            return self._observe(0.0)
        _, _, expected = self._questions[self._state.asked]
        correct = self._is_correct(action.message, expected)
        self._state.step_count += 1
        self._state.asked += 1
        self._done = self._state.asked >= QUESTIONS
        return self._observe(1.0 / QUESTIONS if correct else 0.0)

    def _observe(self, reward: float) -> PedigreeObservation:
        question = ""
        if not self._done:
            a, b, _ = self._questions[self._state.asked]
            question = f"What is {a} to {b}?"
        return PedigreeObservation(
            notes=self._notes,
            relations=RELATIONS,
            question=question,
            question_number=min(self._state.asked + 1, QUESTIONS),
            questions_total=QUESTIONS,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> PedigreeState:
        return self._state
