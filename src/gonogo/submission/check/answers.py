"""A box's answer: GO, NO-GO, or NEEDS YOU with the command to run."""

from __future__ import annotations

from dataclasses import dataclass

from gonogo.records.submission import BoxEvidence, BoxWord

__all__ = ["BoxAnswer", "go", "needs_you", "no_go"]

NOTHING_MORE = BoxEvidence()


@dataclass(frozen=True, slots=True)
class BoxAnswer:
    """What a box says, and why.

    Attributes:
        word: The answer.
        said: The evidence in one sentence.
        command: What to run, where the box's own command is not it; else None.
        evidence: The evidence as data.
    """

    word: BoxWord
    said: str
    command: str | None = None
    evidence: BoxEvidence = NOTHING_MORE


def go(said: str, evidence: BoxEvidence = NOTHING_MORE) -> BoxAnswer:
    """It is so."""
    return BoxAnswer(BoxWord.GO, said, None, evidence)


def no_go(said: str, evidence: BoxEvidence = NOTHING_MORE) -> BoxAnswer:
    """It is not so."""
    return BoxAnswer(BoxWord.NO_GO, said, None, evidence)


def needs_you(
    said: str, command: str | None = None, evidence: BoxEvidence = NOTHING_MORE
) -> BoxAnswer:
    """It cannot be told from here."""
    return BoxAnswer(BoxWord.NEEDS_YOU, said, command, evidence)
