"""The reading room of the canal company: search, read, answer, cite."""

import random
import re
import uuid
from typing import Any, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import Hit, Kind, TowpathAction, TowpathObservation, TowpathState
    from .archive import Archive, Question, build
except ImportError:
    from models import Hit, Kind, TowpathAction, TowpathObservation, TowpathState
    from server.archive import Archive, Question, build

QUESTIONS = 4
STEPS = 8  # for each question
ANSWER = 0.85  # weights of the answer and of the citations
CITATIONS = 0.15


def plain(text: str) -> str:
    """Lower case, no punctuation, no articles, single blanks."""
    text = re.sub(r"[^\w\s]", " ", text.lower())
    text = re.sub(r"\b(a|an|the)\b", " ", text)
    return " ".join(text.split())


def is_correct(answer: str, gold: str) -> bool:
    return plain(gold) in plain(answer)


def citation_f1(cited: List[str], sources: set) -> float:
    cited_marks = {mark.strip() for mark in cited}
    right = len(cited_marks & sources)
    if right == 0:
        return 0.0
    precision, recall = right / len(cited_marks), right / len(sources)
    return 2 * precision * recall / (precision + recall)


class TowpathEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._archive = Archive()
        self._now = 0
        self._steps = 0
        self._correct = 0
        self._done = True
        self._state = TowpathState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> TowpathObservation:
        self._archive = build(random.Random(seed), QUESTIONS)
        self._now = 0
        self._steps = STEPS
        self._correct = 0
        self._done = False
        self._state = TowpathState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("A reader has sent in some questions.")

    def step(
        self,
        action: TowpathAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> TowpathObservation:
        if self._done:
            return self._look("The reading room is closed.")
        self._state.step_count += 1
        self._steps -= 1
        if action.kind is Kind.ANSWER:
            reward = self._grade(self._question, action.text or "", action.citations)
            return self._next("Your answer is in the post.", reward)
        hits: List[Hit] = []
        page = ""
        if action.kind is Kind.SEARCH:
            found = self._archive.search(action.query or "")
            hits = [Hit(doc=doc, title=title, extract=text) for doc, title, text in found]
            message = f"{len(hits)} papers."
        else:
            paper = self._archive.papers.get((action.doc or "").strip())
            page = f"{paper.title}\n\n{paper.text}" if paper else ""
            message = f"{action.doc} is on your desk." if paper else "No such shelf mark."
        if self._steps == 0:
            return self._next("Too late: the reader has given up waiting.", 0.0)
        return self._look(message, hits=hits, page=page)

    @property
    def _question(self) -> Question:
        return self._archive.questions[self._now]

    def _grade(self, question: Question, answer: str, citations: List[str]) -> float:
        correct = is_correct(answer, question.answer)
        self._correct += correct
        score = ANSWER * correct
        if correct:
            score += CITATIONS * citation_f1(citations, question.sources)
        return score / QUESTIONS

    def _next(self, message: str, reward: float) -> TowpathObservation:
        self._now += 1
        self._steps = STEPS
        self._done = self._now == QUESTIONS
        return self._look(message, reward=reward)

    def _look(
        self,
        message: str,
        reward: float = 0.0,
        hits: Optional[List[Hit]] = None,
        page: str = "",
    ) -> TowpathObservation:
        self._state.question = self._now
        self._state.correct = self._correct
        return TowpathObservation(
            message=message,
            question="" if self._done else self._question.text,
            questions_left=QUESTIONS - self._now,
            steps_left=0 if self._done else self._steps,
            hits=hits or [],
            page=page,
            success=self._correct == QUESTIONS if self._done else None,
            reward=round(reward, 4),
            done=self._done,
        )

    @property
    def state(self) -> TowpathState:
        return self._state
