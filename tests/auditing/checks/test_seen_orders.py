"""Lists that an agent is meant to read are told from hidden ones."""

from __future__ import annotations

import pytest

from gonogo.auditing.checks.seen_orders import (
    COUNTED,
    by_needs,
    counts_up,
    entries_of,
    follows,
    in_order_of_what_is_seen,
    is_seen_in_order,
    ranked,
    shown_in_turn,
    sorting,
    varying,
)
from gonogo.auditing.checks.split_values import SeenResets
from gonogo.auditing.resets import Opening, inside
from gonogo.wire import JsonObject, JsonValue, Observation

ORDERS: list[list[JsonValue]] = [["c", "a", "b"], ["a", "c", "b"], ["b", "a", "c"], ["a", "b", "c"]]


def is_seen(shown: list[JsonObject]) -> bool:
    """Whether the orders are seen where the observations show this."""
    openings = [
        Opening({"seed": n}, seen, {}, {"order": order})
        for n, (seen, order) in enumerate(zip(shown, ORDERS, strict=True))
    ]
    return is_seen_in_order(ORDERS, ORDERS, SeenResets(openings))


def test_entries_are_read_from_lists_and_from_texts() -> None:
    assert entries_of(["a", "b"]) == ["a", "b"]
    assert entries_of("a, b -> c") == ["a", "b", "c"]
    assert entries_of([{"do": "a"}, {"do": "b"}], "do") == ["a", "b"]
    assert entries_of({"a": 1}) == []


def test_what_is_shown_or_said_is_seen() -> None:
    assert is_seen([{"list": order} for order in ORDERS])
    assert is_seen([{"note": f"First {a}, then {b} and {c}."} for a, b, c in ORDERS])
    assert is_seen([{"jobs": [{"id": e, "at": 1} for e in order]} for order in ORDERS])
    assert not is_seen([{"jobs": ["a", "b", "c"]}] * 4)


def test_what_can_be_sorted_or_ranked_is_seen() -> None:
    sizes = [{"jobs": {e: {"due": 10 * n} for n, e in enumerate(o)}} for o in ORDERS]
    words = [
        {"jobs": [{"id": e, "due": w} for e, w in zip(o, ("soon", "later", "never"), strict=True)]}
        for o in ORDERS
    ]
    mixed = [
        {
            "jobs": [
                {"id": e, "due": w} for e, w in zip("abc", ("soon", "later", "never"), strict=True)
            ]
        }
    ] * 4
    assert in_order_of_what_is_seen(ORDERS, [inside(each) for each in sizes])
    assert ranked(ORDERS, [inside(each) for each in words])
    assert not ranked(ORDERS, [inside(each) for each in mixed])


def test_only_what_differs_is_compared() -> None:
    lists: list[list[JsonValue]] = [
        [{"n": 1, "do": "a"}, {"n": 2, "do": "b"}],
        [{"n": 1, "do": "b"}, {"n": 2, "do": "a"}],
    ]
    assert varying(lists) == [[["a", "b"], ["b", "a"]]]
    assert counts_up([4, 5, 6])
    assert not counts_up(["a", "b"])
    assert follows(["a", "c"], ["a", "b", "c"])
    assert not follows(["c", "a"], ["a", "b", "c"])


@pytest.mark.parametrize(
    ("shown", "seen"), [("Now {}.", True), ("a, b or c?", False), ("Go on.", False)]
)
def test_entries_that_are_called_out_are_shown_in_turn(shown: str, seen: bool) -> None:
    before: list[list[Observation]] = [
        [{"note": shown.format(entry)} for entry in order] for order in ORDERS
    ]
    assert shown_in_turn(before, ORDERS) is seen


def test_what_is_the_same_for_all_is_not_shown() -> None:
    assert not shown_in_turn([[{"note": "a"}] * 2] * 4, [["a", "a"]] * 4)


@pytest.mark.parametrize(
    "told",
    [
        ["7:05", "9:30", "10:15"],
        ["12:05 am", "9:30 am", "11 am", "12:30 pm", "1:15 pm"],
        ["P1", "P2", "P10"],
        ["700 kB", "9 MB", "10 MB", "2 GB"],
        ["30 min", "45 minutes", "1 hour", "2 hours", "1 day"],
        ["12 January", "3 March", "1 May"],
        ["Mon", "Wednesday", "Fri"],
        ["a", "b", "C"],
        [1, 2.5, "3", "x"],
        ["2", "a ²x", "b ²"],
    ],
)
def test_things_are_sorted_as_a_reader_sorts_them(told: list[JsonValue]) -> None:
    assert sorted(reversed(told), key=sorting) == told


def test_versions_are_sorted_number_by_number() -> None:
    told: list[JsonValue] = ["1.2.3", "1.9", "1.10.0"]
    assert sorted(reversed(told), key=lambda each: sorting(each, COUNTED)) == told
    orders: list[list[JsonValue]] = [["b", "a", "c"], ["a", "c", "b"]]
    seen = [
        inside({"jobs": [{"id": name, "at": told[n]} for n, name in enumerate(order)][::-1]})
        for order in orders
    ]
    assert in_order_of_what_is_seen(orders, seen)


def test_what_each_thing_needs_tells_the_order() -> None:
    needs = [{"needs": {"c": [], "a": ["c"], "b": ["a", "c"]}}, {"needs": {"b": ["a"], "c": ["b"]}}]
    seen = [inside(each) for each in needs]
    assert by_needs([["c", "a", "b"], ["a", "b", "c"]], seen)
    assert by_needs([["b", "a", "c"], ["c", "b", "a"]], seen)
    assert not by_needs([["c", "a", "b"], ["b", "a", "c"]], seen)
