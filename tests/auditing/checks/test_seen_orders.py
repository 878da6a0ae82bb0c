"""Lists that an agent is meant to read are told from hidden ones."""

from __future__ import annotations

import pytest

from gonogo.auditing.checks.seen_orders import (
    counts_up,
    entries_of,
    follows,
    in_order_of_what_is_seen,
    is_seen_in_order,
    ranked,
    shown_in_turn,
    varying,
)
from gonogo.auditing.checks.split_values import SeenResets
from gonogo.auditing.resets import Opening, inside
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import JsonObject, JsonValue

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
    flown = [
        Episode(
            index=n,
            task={"seed": n},
            target="x",
            policy="x",
            turns=[Turn("", {"note": shown.format(entry)}) for entry in order],
        )
        for n, order in enumerate(ORDERS)
    ]
    assert shown_in_turn(flown, ORDERS) is seen
