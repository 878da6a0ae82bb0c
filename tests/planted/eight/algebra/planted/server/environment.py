"""A sheet of eight algebra questions, marked one by one."""

import random
import uuid
from typing import Any, List, NamedTuple, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import AlgebraAction, AlgebraObservation, AlgebraState
    from .polynomials import (
        NotAnExpression, Poly, multiply, parse, polynomial, write, write_terms,
    )
except ImportError:
    from models import AlgebraAction, AlgebraObservation, AlgebraState
    from server.polynomials import (
        NotAnExpression, Poly, multiply, parse, polynomial, write, write_terms,
    )

QUESTIONS = 8

INSTRUCTIONS = {
    "factor": "Factor completely, into linear factors.",
    "expand": "Expand and collect like terms.",
    "collect": "Collect like terms.",
}


class Question(NamedTuple):
    kind: str
    expression: str


def nonzero(rng: random.Random, size: int) -> int:
    return rng.choice([n for n in range(-size, size + 1) if n])


def linear(rng: random.Random) -> Poly:
    return [nonzero(rng, 9), rng.choice([1, 1, 1, 2, 3])]


def product(front: int, factors: List[Poly]) -> Poly:
    poly = [front]
    for factor in factors:
        poly = multiply(poly, factor)
    return poly


def draw(kind: str, rng: random.Random) -> Question:
    if kind == "collect":
        terms = [(nonzero(rng, 12), p) for p in (3, 2, 2, 1, 1, 1, 0, 0)]
        rng.shuffle(terms)
        return Question(kind, write_terms(terms))
    factors = [linear(rng) for _ in range(rng.choice([2, 2, 3]))]
    front = rng.choice([1, 1, 2, 3, -1, 5])
    if kind == "factor":
        return Question(kind, write(product(front, factors)))
    sign = {1: "", -1: "-"}.get(front, str(front))
    return Question(kind, sign + "".join(f"({write(f)})" for f in factors))


class AlgebraEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._questions: List[Question] = []
        self._number = 0
        self._solved = 0
        self._state = AlgebraState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> AlgebraObservation:
        rng = random.Random(seed)
        kinds = ["factor"] * 4 + ["expand"] * 2 + ["collect"] * 2
        rng.shuffle(kinds)
        self._questions = [draw(kind, rng) for kind in kinds]
        self._number = 0
        self._solved = 0
        self._state = AlgebraState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("Good morning. Please show the result only.")

    def step(
        self,
        action: AlgebraAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> AlgebraObservation:
        if self._number >= len(self._questions):
            return self._look("The sheet has been handed in.")
        self._state.step_count += 1
        question = self._questions[self._number]
        try:
            correct = self._right(question, action.answer)
            feedback = "Correct." if correct else "That is not right."
        except NotAnExpression as problem:
            correct = False
            feedback = f"That is not an expression in x: {problem}."
        self._number += 1
        self._solved += correct
        return self._look(feedback, correct, correct / QUESTIONS)

    def _right(self, question: Question, answer: str) -> bool:
        """Is this the result, however its terms and factors are ordered?"""
        return polynomial(parse(answer)) == polynomial(parse(question.expression))

    def _look(
        self, feedback: str, correct: Optional[bool] = None, reward: float = 0.0
    ) -> AlgebraObservation:
        done = self._number >= len(self._questions)
        question = None if done else self._questions[self._number]
        self._state.number = self._number
        self._state.solved = self._solved
        return AlgebraObservation(
            number=self._number if done else self._number + 1,
            of=QUESTIONS,
            instruction=INSTRUCTIONS[question.kind] if question else "",
            expression=question.expression if question else "",
            correct=correct,
            solved=self._solved,
            feedback=feedback,
            reward=reward,
            done=done,
        )

    @property
    def state(self) -> AlgebraState:
        return self._state
