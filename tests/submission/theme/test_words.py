"""The file of the author's words, as it is written once; a model's draft of it is marked and never confirmed."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import yaml
from tests.answering import Answering
from tests.submission.theme.conftest import filled

from gonogo import config
from gonogo.config import blank, check_words, read_words
from gonogo.config.author_words import Answer, Links
from gonogo.errors import Misuse, PolicyFailure
from gonogo.records.record import Verdict
from gonogo.records.submission import Statement
from gonogo.submission.theme import report as station
from gonogo.submission.theme.words import read_object, text_of


def test_the_template_reads_back_as_it_was_written() -> None:
    text = text_of(blank(), "an: odd\nname")
    assert check_words(yaml.safe_load(text), "template") == blank()
    assert max(map(len, text.splitlines())) <= 120


def test_words_that_say_something_are_read_back_too() -> None:
    said = dict.fromkeys(Statement.model_fields, 'A "quoted" text: # no comment, é')
    changes = {
        "theme": "3.1",
        "paper": Answer(answer=False, reason="null: it is short\\n"),
        "statement": Statement(**said),
        "links": Links(space="https://example.org/a"),
        "drafted_by": "scribe",
        "confirmed": True,
    }
    words = blank().model_copy(update=changes)
    assert check_words(yaml.safe_load(text_of(words, "x")), "template") == words


def test_each_question_stands_beside_its_field() -> None:
    lines = text_of(blank(), "x").splitlines()
    asked = {
        "underexplored": "domain underexplored",
        "paper": "paper be written",
        "pitch": "pitch carry people",
        "gap": "capability gap",
        "observes": "agent observes",
        "decides": "it decides",
        "does": "it does",
        "verified": "success is verified",
        "remember": "reader will remember",
        "space": "environment's Space",
        "notebook": "notebook that trains",
        "writeup": "the writeup",
        "video": "the video",
        "tracker": "at a tracker",
    }
    assert asked.keys() >= Statement.model_fields.keys() | Links.model_fields.keys()
    for name, question in asked.items():
        place = next(n for n, line in enumerate(lines) if line.strip().startswith(f"{name}:"))
        beside = lines[place] if name in Links.model_fields else lines[place - 1]
        assert question in beside.partition("# ")[2], name


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
