"""A box's answer: GO, NO-GO, or NEEDS YOU with the command to run."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from gonogo.rollout.types import Json

__all__ = ["BoxAnswer", "Word", "go", "needs_you", "no_go"]


class Word(StrEnum):
    """What a box says."""

    GO = "GO"
    """Proven here."""
    NO_GO = "NO-GO"
    """Disproven here."""
    NEEDS_YOU = "NEEDS YOU"
    """Not to be told from here; a command says what is missing."""


@dataclass(frozen=True, slots=True)
class BoxAnswer:
    """What a box says, and why.

    Attributes:
        word: The answer.
        said: The evidence in one sentence.
        command: What to run, where the box's own command is not it; else None.
        evidence: The evidence as data.
    """

    word: Word
    said: str
    command: str | None = None
    evidence: Json = field(default_factory=dict)


def go(said: str, **evidence: object) -> BoxAnswer:
    """It is so."""
    return BoxAnswer(Word.GO, said, None, dict(evidence))


def no_go(said: str, **evidence: object) -> BoxAnswer:
    """It is not so."""
    return BoxAnswer(Word.NO_GO, said, None, dict(evidence))


def needs_you(said: str, command: str | None = None, **evidence: object) -> BoxAnswer:
    """It cannot be told from here."""
    return BoxAnswer(Word.NEEDS_YOU, said, command, dict(evidence))
