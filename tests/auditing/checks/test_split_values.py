"""Values are taken apart alike on every seed, and what an agent sees of the parts is not hidden."""

from __future__ import annotations

import pytest

from gonogo.auditing.checks.split_values import (
    HowSplit,
    SeenResets,
    in_turn,
    is_reckoned,
    is_seen_in_parts,
    splits,
    taken_apart,
    told_in_turn,
)
from gonogo.auditing.checks.told_values import ToldValue
from gonogo.auditing.resets import Opening
from gonogo.wire import JsonObject, JsonValue

SITES: list[JsonValue] = [[3, 5], [8, 2], [11, 7], [4, 9]]
SITE = ToldValue("state.site", tuple(SITES))


@pytest.mark.parametrize(
    ("value", "how", "parts"),
    [
        ([3, 5], HowSplit.ENTRIES, [3, 5]),
        ({"x": 3, "of": [1]}, HowSplit.ENTRIES, [3]),
        ("(3, 5)", HowSplit.PIECES, ["3", "5"]),
        ("north hall, red", HowSplit.PIECES, ["north hall", "red"]),
        ("B7", HowSplit.WORDS, ["B", "7"]),
        ("red_cube", HowSplit.WORDS, ["red", "cube"]),
        (3, HowSplit.ENTRIES, []),
    ],
)
def test_a_value_is_taken_apart(value: JsonValue, how: HowSplit, parts: list[JsonValue]) -> None:
    assert list(taken_apart(value, how).values()) == parts


def test_a_word_that_never_differs_names_the_part_after_it() -> None:
    first, *_ = [each for each in splits(["x=3 y=5", "x=4 y=9"]) if each.how is HowSplit.WORDS]
    assert first.labels == ("x", "y")
    assert first.parts("x=7 y=8") == ["7", "8"]


def test_what_is_the_same_on_every_seed_is_left_out_first() -> None:
    kept = [each.kept for each in splits([{"x": 3, "y": 5, "z": 1}, {"x": 4, "y": 9, "z": 1}])]
    assert kept == [("x", "y"), ("x", "y", "z")]
    assert list(splits([3, 4])) == []


def opened(shown: JsonObject, place: int) -> Opening:
    """A reset whose state tells a site."""
    return Opening({"seed": place}, shown, {}, {"site": SITES[place]})


@pytest.mark.parametrize(
    "show",
    [
        lambda x, y: {"goal": [x, y]},
        lambda x, y: {"goal": {"y": y, "x": x, "name": "goal"}},
        lambda x, y: {"goal_x": x, "level": {"goal_y": str(y)}},
        lambda x, y: {"note": f"Go {x} to the east and {y} to the north."},
        lambda x, y: {"map": ["." * 12] * y + ["." * x + "G" + "." * (11 - x)] + ["." * 12]},
        lambda x, y: {"all": [{"at": "a", "x": x, "y": y}, {"at": "b", "x": 1, "y": 1}]},
    ],
)
def test_parts_that_are_seen_are_not_hidden(show: object) -> None:
    assert callable(show)
    openings = [opened(show(*site), n) for n, site in enumerate(SITES) if isinstance(site, list)]
    assert is_seen_in_parts(SITE, SeenResets(openings))


def test_one_of_several_things_is_hidden_unless_something_says_which() -> None:
    def things(place: int, note: str) -> JsonObject:
        x, y = SITES[place] or []
        here = {"at": f"k{place}", "x": x, "y": y}
        others = [{"at": f"t{place}{n}", "x": n, "y": n} for n in (0, 30, 40)]
        others.insert(place, here)
        return {"all": others, "note": note}

    silent = [opened(things(n, ""), n) for n in range(4)]
    spoken = [opened(things(n, f"It is k{n}."), n) for n in range(4)]
    assert not is_seen_in_parts(SITE, SeenResets(silent))
    assert is_seen_in_parts(SITE, SeenResets(spoken))


def test_parts_are_told_in_turn_where_those_of_others_are_not() -> None:
    assert in_turn(["go", "3", "and", "5"], [3, 5])
    assert not in_turn(["go", "5", "and", "3"], [3, 5])
    rows: list[list[JsonValue]] = [[3, 5], [8, 2]]
    assert told_in_turn(rows, [["3", "5"], ["8", "2"]])
    assert not told_in_turn(rows, [["3", "5", "8", "2"]] * 2)


def test_a_number_is_reckoned_from_what_is_seen_however_large_it_is() -> None:
    seen: list[JsonObject] = [{"at": n * n, "away": 3 - n, "key": 10**400} for n in range(4)]
    resets = SeenResets([Opening({"seed": n}, each, {}, {}) for n, each in enumerate(seen)])
    assert is_reckoned([n * n + 3 - n for n in range(4)], resets)
    assert is_reckoned([4 - n for n in range(4)], resets)
    assert not is_reckoned([7, 1, 9, 2], resets)
    assert not is_reckoned([10**400 + n for n in range(4)], resets)
