"""What a value says: marks of a grid, words of a text, the greatest entry, decodings."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from gonogo.auditing.readings import readings, source_of, told_by
from gonogo.auditing.resets import Opening


@pytest.mark.parametrize(
    ("value", "how", "said"),
    [
        (["..", ".x"], "row of x", 1),
        (["..", ".x"], "column of x", 1),
        ("..\n.x", "row and column of x", [1, 1]),
        ("the code is 4711", "word -1", 4711),
        ("the code is 4711", "word 0", "the"),
        ("sesame", "backwards", "emases"),
        ("frfnzr", "rot13", "sesame"),
        (base64.b64encode(b"sesame").decode(), "base64", "sesame"),
        (b"42".hex(), "hex, number", 42),
        ([3, 9, 4], "place of the greatest", 1),
        ({"a": 0.2, "b": 0.1, "c": 0.7}, "name of the least", "b"),
        ([False, True, False], "place of the odd one", 1),
    ],
)
def test_a_value_is_read(value: Any, how: str, said: Any) -> None:
    assert dict(readings(value))[how] == said


@pytest.mark.parametrize("value", ["", [], {}, None, 3, "x" * 10_000])
def test_from_nothing_and_from_whole_books_nothing_is_read(value: Any) -> None:
    assert list(readings(value)) == []


def test_a_reading_has_the_path_of_its_source() -> None:
    told = told_by(Opening({}, {"board": [".x", ".."]}, {}, {"note": "word"}))
    assert told["observation.board -> row of x"] == 0
    assert told["state.note"] == "word"
    assert source_of("observation.board -> row of x") == "observation.board"
    assert source_of("state.note") == "state.note"
