"""A scorer of answers as an environment of one step; benchmarks/fixes.py copies this into the folder that it audits.

The scorer is ``scorer.py`` beside it: a copy of benchmarks/fixes_scorer.py.
"""

from __future__ import annotations

from typing import Any

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from scorer import SIDE, is_right

__all__ = ["AnswerAction", "QuestionObservation", "ScorerEnvironment"]


class AnswerAction(Action):
    """An answer."""

    answer: str


class QuestionObservation(Observation):
    """A question, and whether the answer to it was right."""

    number: int = 0
    question: str = ""
    correct: bool = False


class ScorerEnvironment(Environment):
    """A question at each reset, and one answer to it."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = State(episode_id="", step_count=0)
        self._number, self._entry, self._done = 0, SIDE.entry(0), True

    def reset(self, seed: int | None = None, episode_id: str | None = None) -> QuestionObservation:
        """The question of a seed. There are no other options, so that none is guessed from the sources beside it."""
        self._state = State(episode_id=episode_id or "episode", step_count=0)
        self._number, self._done = (seed or 0) % SIDE.entries, False
        self._entry = SIDE.entry(self._number)
        return QuestionObservation(
            number=self._number, question=self._entry["question"], reward=0.0
        )

    def step(
        self, action: AnswerAction, timeout_s: float | None = None, **_: Any
    ) -> QuestionObservation:
        """What the scorer pays for an answer, once."""
        shown = {"number": self._number, "question": self._entry["question"], "done": True}
        if self._done:
            return QuestionObservation(**shown, reward=0.0)
        self._state.step_count += 1
        self._done = True
        correct = is_right(action.answer, self._entry)
        return QuestionObservation(
            **shown, correct=correct, reward=SIDE.score(action.answer, self._entry)
        )

    @property
    def state(self) -> State:
        """How far the episode is."""
        return self._state
