"""A model's draft of the author's words: read from what it says, marked, and never confirmed."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from tests.answering import Answering
from tests.submission.theme.conftest import filled

from gonogo import config
from gonogo.config import read_words
from gonogo.errors import Misuse, PolicyFailure
from gonogo.records.record import Verdict
from gonogo.submission.theme import run as station
from gonogo.submission.theme.draft import read_object


def test_a_draft_is_marked_and_never_confirmed(
    run: Callable[..., config.RunConfig], served: Answering, address: str
) -> None:
    said = filled(drafted_by=None, confirmed=True)
    served.answer = lambda _: f"Here you are:\n```json\n{json.dumps(said)}\n```"
    drafting = run(**{"theme.draft": f"{address}#scribe"})
    assert station.run(drafting) is Verdict.HOLD
    words = read_words(drafting.words)
    assert (words.drafted_by, words.confirmed) == ("scribe", False)
    assert words.statement.gap == "A sentence."
    assert "goal_east" in json.dumps(served.asked)
    with pytest.raises(Misuse, match="holds some"):
        station.run(drafting)


def test_a_draft_that_is_none_leaves_no_file(
    run: Callable[..., config.RunConfig], served: Answering, address: str
) -> None:
    drafting = run(**{"theme.draft": f"{address}#scribe"})
    for said, rule in (("I cannot.", "not JSON"), (json.dumps(filled(theme="9")), "theme: Input")):
        served.answer = lambda _, said=said: said
        with pytest.raises(PolicyFailure, match=rule):
            station.run(drafting)
    assert not drafting.words.exists()


def test_an_object_is_read_without_what_stands_around_it() -> None:
    assert read_object('Here:\n```json\n{"a": {"b": 1}}\n```\nDone.') == {"a": {"b": 1}}
    for said in ("[1, 2]", "no braces", "{a: 1}"):
        with pytest.raises(PolicyFailure, match="no draft"):
            read_object(said)
