"""A record is told by what the rest of the observation says of it, on any seed."""

from __future__ import annotations

import pytest

from gonogo.explore.relations import related
from gonogo.wire import JsonValue, Observation

BOARD: Observation = {
    "me": "bo",
    "moves": 4,
    "cards": {
        "K-27": {"owner": "ada", "column": "todo"},
        "K-46": {"owner": "bo", "column": "todo"},
        "K-89": {"owner": "bo", "column": "done"},
    },
}
OTHER: Observation = {
    "me": "cem",
    "moves": 9,
    "cards": {
        "K-11": {"owner": "cem", "column": "done"},
        "K-12": {"owner": "ada", "column": "todo"},
        "K-13": {"owner": "cem", "column": "todo"},
    },
}
PITS: Observation = {"order": "3 red bricks", "pits": {"p-1": "grey", "p-2": "red"}}
OTHER_PITS: Observation = {"order": "3 blue bricks", "pits": {"p-7": "blue", "p-8": "red"}}
MAILS: Observation = {
    "mails": [
        {"id": "m-1", "spam": False},
        {"id": "m-2", "spam": True},
        {"id": "m-3", "spam": True},
    ]
}
OTHER_MAILS: Observation = {
    "mails": [
        {"id": "m-4", "spam": True},
        {"id": "m-5", "spam": False},
        {"id": "m-6", "spam": True},
    ]
}


@pytest.mark.parametrize(
    ("value", "seen", "other", "there"),
    [
        ("K-46", BOARD, OTHER, "K-11"),
        ("K-89", BOARD, OTHER, "K-13"),
        ("p-2", PITS, OTHER_PITS, "p-7"),
        ("m-2", MAILS, OTHER_MAILS, "m-4"),
        ("m-3", MAILS, OTHER_MAILS, "m-6"),
    ],
)
def test_the_record_that_agrees_in_the_same_way_is_named(
    value: JsonValue, seen: Observation, other: Observation, there: JsonValue
) -> None:
    found = related(value, seen, at_first=False)
    assert found is not None
    assert found.read({}, seen) == value
    assert found.read({}, other) == there


def test_what_only_the_first_observation_showed_is_read_from_it() -> None:
    found = related("p-2", PITS, at_first=True)
    assert found is not None
    assert found.read(OTHER_PITS, {}) == "p-7"


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ("p-2", {"pits": {"p-1": "grey", "p-2": "red"}}),
        ("nothing", BOARD),
        (True, MAILS),
        ("m-1", {"mails": [{"id": "m-1", "spam": True}]}),
    ],
)
def test_nothing_singles_out_what_nothing_speaks_of(value: JsonValue, seen: Observation) -> None:
    assert related(value, seen, at_first=False) is None


def test_no_record_that_agrees_is_nothing() -> None:
    found = related("p-2", PITS, at_first=False)
    assert found is not None
    assert found.read({}, {"order": "3 red bricks", "pits": {"p-7": "blue", "p-8": "grey"}}) is None
    assert found.read({}, {}) is None
