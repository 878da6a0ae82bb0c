"""Entries that stand out are named by statements that are true, and what is seen of them is not hidden."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gonogo.auditing.checks.outliers import (
    Outlier,
    ShownForms,
    hidden_outliers,
    is_told,
    outliers,
    singled_out,
    stand_out,
    words_of,
)
from gonogo.auditing.resets import Opening
from gonogo.wire import JsonObject, JsonValue, Observation

NAMES = ("V1", "V2", "V3", "V4")


def said_of(value: JsonValue) -> dict[str, JsonValue]:
    """Each statement on a value at ``state.x``, with what it singles out."""
    return {each.said: each.name for each in outliers("state.x", value)}


def opening(odd: int, observation: JsonObject) -> Opening:
    """A reset whose state has one entry out of line."""
    table = {name: 7.0 if n == odd else 0.0 for n, name in enumerate(NAMES)}
    return Opening({"seed": odd}, observation, {}, {"x": table})


@pytest.mark.parametrize(
    ("value", "statement", "name"),
    [
        (
            {"a": 0, "b": 7, "c": 0},
            "the one key of state.x whose value differs from all the others",
            "b",
        ),
        ({"a": 1, "b": 7, "c": 3}, "the one key of state.x whose value is the greatest", "b"),
        ({"a": 1, "b": 7, "c": 3}, "the one key of state.x whose value is the least", "a"),
        ({"a": False, "b": True}, "the one key of state.x that is true", "b"),
        (
            ["ok", "ok", "bad"],
            "the one place in state.x whose value differs from all the others",
            2,
        ),
        (
            ["ok", "ok", "bad"],
            "the one item of state.x whose value differs from all the others",
            "bad",
        ),
        (
            [{"id": "p", "on": False}, {"id": "q", "on": True}],
            "the one id in state.x whose on is true",
            "q",
        ),
        (
            {"p": {"load": 3, "of": [1]}, "q": {"load": 9, "of": []}},
            "the one key of state.x whose load is the greatest",
            "q",
        ),
    ],
)
def test_an_entry_that_stands_out_is_named_by_how(
    value: JsonValue, statement: str, name: JsonValue
) -> None:
    assert said_of(value)[statement] == name


@pytest.mark.parametrize(
    "value", [{"a": 1, "b": 1}, ["x", "y", "z"], [], {"a": 2}, "text", 3, [[1], [2]]]
)
def test_where_nothing_stands_out_nothing_is_said(value: JsonValue) -> None:
    assert said_of(value) == {}


def test_two_that_differ_are_no_odd_one() -> None:
    assert dict(stand_out(["a", "a", "b", "c"])) == {}
    assert dict(stand_out([True, True, False])) == {"differs from all the others": 2}


def test_another_entry_is_the_next_that_is_called_otherwise() -> None:
    one = Outlier("state.x", "said", "key of state.x", 2, ("a", "b", "c"))
    assert (one.name, one.another) == ("c", "a")


def test_numbers_are_words_however_they_are_written() -> None:
    assert words_of("P12 loses 7.0, not -3") == ["p", "12", "loses", "7", "not", "-3"]


def text(odd: int, how: str, others: str) -> str:
    """A text that says one thing of one name and another of all others."""
    return ", ".join(f"{name} {how if n == odd else others}" for n, name in enumerate(NAMES))


def marks(odd: int) -> str:
    """Two rows of two cells, one of them marked."""
    row = "".join("#" if n == odd else "." for n in range(len(NAMES)))
    return f"{row[:2]}\n{row[2:]}"


@pytest.mark.parametrize(
    "shows",
    [
        lambda odd: {"found": NAMES[odd]},
        lambda odd: {"flows": {name: n == odd for n, name in enumerate(NAMES)}},
        lambda odd: {"flows": [9 if n == odd else n for n in range(4)]},
        lambda odd: {"rows": [{"id": name, "wet": n == odd} for n, name in enumerate(NAMES)]},
        lambda odd: {
            "rows": [{"id": name, "at": f"0{9 - (n == odd)}:30"} for n, name in enumerate(NAMES)]
        },
        lambda odd: {"since": [f"2026-0{5 - (n == odd)}-01 08:00" for n in range(4)]},
        lambda odd: {"map": marks(odd)},
        lambda odd: {"log": text(odd, "drips", "holds")},
        lambda odd: {"log": text(odd, "loses 17", "loses 2")},
        lambda odd: {"log": f"Look at {NAMES[odd]}."},
        lambda odd: {"log": " ".join([*NAMES, "alarm at", NAMES[odd]])},
    ],
)
def test_what_is_seen_in_another_form_is_not_hidden(shows: Callable[[int], Observation]) -> None:
    openings = [opening(odd, shows(odd)) for odd in (1, 3, 2, 1)]
    assert hidden_outliers(openings, set()) == []


def test_names_alone_say_nothing_of_one_of_them() -> None:
    shown: list[Observation] = [
        {"valves": {name: n for n, name in enumerate(NAMES)}, "log": "one leaks"}
    ] * 4
    openings = [opening(odd, seen) for odd, seen in zip((1, 3, 2, 1), shown, strict=True)]
    (row, greatest) = hidden_outliers(openings, set())
    assert [each.name for each in row] == ["V2", "V4", "V3", "V2"]
    assert greatest[0].said.endswith("the greatest")
    assert not is_told(row, [ShownForms(each) for each in openings])
    assert hidden_outliers(openings, {"state.x"}) == []
    assert hidden_outliers([], set()) == []


def test_a_text_singles_out_who_alone_is_named() -> None:
    one = Outlier("state.x", "said", "key of state.x", 1, NAMES)
    assert singled_out(words_of("see V2 first"), one) == {"named alone"}
    assert singled_out(words_of("see V1 first"), one) == set()


def test_a_hidden_text_is_one_of_several_that_are_seen() -> None:
    seen: list[Observation] = [{"rows": [{"id": f"{name}{n}"} for name in NAMES]} for n in range(3)]
    openings = [Opening({}, shown, {}, {"bad": f"V{n + 1}{n}"}) for n, shown in enumerate(seen)]
    ((one, *_),) = hidden_outliers(openings, set())
    assert (one.said, one.among, one.name, one.another) == (
        "state.bad",
        "id in observation.rows",
        "V10",
        "V20",
    )
    told = [
        replace(each, observation={**each.observation, "at": each.state["bad"]})
        for each in openings
    ]
    assert hidden_outliers(told, set()) == []


def test_a_hidden_number_is_the_place_of_one_of_several_that_are_seen() -> None:
    words: JsonValue = ["crane", "pilot", "sugar", "today"]
    openings = [Opening({}, {"words": words}, {"draw": n, "turns": 3}, {}) for n in (2, 0, 1)]
    ((one, *_),) = hidden_outliers(openings, set())
    assert one.said == "the item of observation.words whose place metadata.draw tells"
    assert (one.name, one.another) == ("sugar", "today")
    beyond = [replace(each, metadata={"draw": 4}) for each in openings]
    assert hidden_outliers(beyond, set()) == []
