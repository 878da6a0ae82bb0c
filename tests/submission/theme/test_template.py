"""The file of the author's words, as it is written once."""

from __future__ import annotations

import yaml

from gonogo.config import blank, check_words
from gonogo.config.author_words import Answer, Links, Statement
from gonogo.submission.theme.template import QUESTIONS, text_of


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
    for name, question in QUESTIONS.items():
        place = next(n for n, line in enumerate(lines) if line.strip().startswith(f"{name}:"))
        assert question in lines[place] + lines[place - 1], name
