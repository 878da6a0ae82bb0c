"""A box's answers: two that are final, and one that asks for a command."""

from __future__ import annotations

from gonogo.records.submission import BoxEvidence, BoxWord, MissingParts
from gonogo.submission.check.answers import BoxAnswer, go, needs_you, no_go

SEEN = MissingParts(missing=("Links",))


def test_what_is_told_needs_no_command_and_what_is_not_may_name_one() -> None:
    assert go("it is", SEEN) == BoxAnswer(BoxWord.GO, "it is", None, SEEN)
    assert no_go("it is not", SEEN) == BoxAnswer(BoxWord.NO_GO, "it is not", None, SEEN)
    asked = needs_you("unseen", "gonogo map x", SEEN)
    assert asked == BoxAnswer(BoxWord.NEEDS_YOU, "unseen", "gonogo map x", SEEN)


def test_evidence_may_be_nothing_more_than_the_sentence() -> None:
    assert {each("so").evidence for each in (go, no_go, needs_you)} == {BoxEvidence()}
    assert needs_you("unseen").command is None
