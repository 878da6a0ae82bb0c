"""What an action was compared with, put into it: each kind of correspondence."""

from __future__ import annotations

import pytest

from gonogo.explore.substitution import MOST_CHARS, MOST_ITEMS, in_turn, looked_for, swaps
from gonogo.rollouts.types import Comparison
from gonogo.wire import Action, JsonValue


def made(action: Action, left: JsonValue, op: str, right: JsonValue, kind: str) -> list[Action]:
    """The actions that a comparison makes of another by one kind of correspondence."""
    compared = Comparison(op, left, right, False, "here")
    return [swap.of(action) for swap in swaps(action, [compared]) if swap.kind == kind]


@pytest.mark.parametrize(
    ("action", "compared", "kind", "expected"),
    [
        ({"a": "zqax"}, ("zqax", "==", "Ada"), "same", {"a": "Ada"}),
        ({"a": "zqax"}, ("Ada", "==", "ZQAX "), "same", {"a": "Ada"}),
        ({"a": {"b": ["zqax"]}}, ("zqax", "==", "Ada"), "same", {"a": {"b": ["Ada"]}}),
        ({"a": "zqax"}, ("zqax", "==", 12), "same", {"a": "12"}),
        ({"a": "id=zqax;"}, ("zqax", "==", "Ada"), "part", {"a": "id=Ada;"}),
        ({"a": "zqax"}, ("zqax", "in", ["B1", "B2"]), "element", {"a": "B2"}),
        ({"a": "zqax"}, ("Ada", "in", "so zqax"), "appended", None),
        ({"a": "so zqax"}, ("Ada", "in", "so zqax"), "appended", {"a": "so zqax Ada"}),
        ({"a": "so Ada"}, ("ada", "in", "so ada"), "appended", None),
        ({"a": "zqax"}, ("zqax", "startswith", "# "), "affix", {"a": "# zqax"}),
        ({"a": "zqax"}, ("zqax", "endswith", "!"), "affix", {"a": "zqax!"}),
        ({"a": "<b>zqax</b>"}, ("Ada", "in", ["zqax"]), "part", None),
        ({"a": "<b>zqax</b>"}, ("Ada", "in", ["zqax"]), "item", {"a": "<b>Ada</b>"}),
        ({"a": "zqax"}, (["zqax", "buy"], "==", ["tin", "sell"]), "aligned", {"a": "tin"}),
        ({"a": "do zqax"}, (["zqax"], "==", ["x", "y"]), "all in text", {"a": "do x y"}),
        ({"a": "give 7319 now"}, (7319, "==", 42), "number in text", {"a": "give 42 now"}),
        ({"a": "7319"}, (7319, "in", [3, 4]), "number in text", {"a": "4"}),
        ({"a": "one two three"}, (3, "==", 5), "words", {"a": "one two three one two"}),
        ({"a": 7319}, (7319, "==", 42), "same", {"a": 42}),
        ({"a": 7319}, (7319, "==", "42"), "same", {"a": 42}),
        ({"a": 7319}, (7319, "<=", 42), "same", {"a": 43}),
        ({"a": 7319}, (7319, "<", 5), "within", {"a": 3}),
        ({"a": 7319}, (7318, "<", 4), "shifted", {"a": 5}),
        ({"a": 7319}, (7318, "<", 4), "within", {"a": 3}),
        ({"a": 7319}, (7319, "in", [3, 4]), "element", {"a": 4}),
        ({"a": 7319}, ([1, 7319], "==", [8, 9]), "aligned", {"a": 9}),
        ({"a": 7319.5}, (7277.5, "<=", 0.5), "distance", {"a": 42.0}),
        ({"a": 7319}, (7277, "<=", 0), "distance", {"a": 42}),
        ({"a": ["zqax"]}, (["zqax"], "==", ["x", "y"]), "whole", {"a": ["x", "y"]}),
        ({"a": ["zqax"]}, (["zqax"], "==", ["x", "y"]), "reversed", {"a": ["y", "x"]}),
        ({"a": ["zqax"]}, ("zqax", "in", ["x", "y"]), "all", {"a": ["x", "y"]}),
        ({"a": ["k", "zqax"]}, ("zqax", "in", ["x", "y"]), "added", {"a": ["k", "y"]}),
        ({"a": [1, 2, 3]}, (3, "==", 5), "length", {"a": [1, 2, 3, 1, 2]}),
        ({"a": [1, 2, 3]}, (3, "<", 3), "length", {"a": [1, 2]}),
        ({"a": {"zqax": 1}}, ("zqax", "in", ["x", "y"]), "key", {"a": {"y": 1}}),
        ({"a": {"zqax": 1}}, (["zqax"], "==", ["x", "y"]), "keys", {"a": {"x": 1, "y": 1}}),
        ({"a": {"zqax": 1}}, ("x", "in", ["zqax"]), "missing", {"a": {"zqax": 1, "x": 1}}),
        ({"a": {"x": 1}}, ("x", "in", ["x"]), "missing", None),
    ],
)  # fmt: skip
def test_what_was_compared_is_put_in(
    action: Action,
    compared: tuple[JsonValue, str, JsonValue],
    kind: str,
    expected: Action | None,
) -> None:
    found = made(action, *compared, kind)
    if expected is None:
        assert found == []
    else:
        assert expected in found
        kept = type(next(iter(expected.values())))
        assert all(isinstance(next(iter(each.values())), kept) for each in found)


def loop(*pairs: tuple[str, str], at: dict[tuple[str, str], tuple[int, ...]]) -> list[Comparison]:
    """What a loop compared: each pair once, with the times at which it came."""
    return [Comparison("==", *p, p[0] == p[1], "loop", len(at[p]), at[p]) for p in pairs]


PAID, FALSE, LATE = ("pay", "pay"), ("pay", "deny"), ("pay", "query")


def test_a_list_that_is_compared_item_by_item_gets_the_other_items_in_their_order() -> None:
    compared = loop(PAID, FALSE, LATE, at={PAID: (3, 5), FALSE: (4,), LATE: (6,)})
    found = [s.value for s in swaps({"a": ["pay"] * 4}, compared) if s.kind == "sequence"]
    assert found == [["pay", "deny", "pay", "query"]]
    for odd in (["pay"] * 3, ["pay"] * 5, ["pay", "pay", "x", "pay"]):
        assert not [s for s in swaps({"a": odd}, compared) if s.kind == "sequence"]


def test_where_there_is_no_such_place_nothing_is_put_in() -> None:
    (swap,) = swaps({"a": {"b": "zqax"}}, [Comparison("==", "zqax", "Ada", False, "here")])
    for other in ({"a": {}}, {"c": 1}, {"a": ["zqax"]}, {"a": "zqax"}):
        assert swap.of(other) == other


def test_the_order_is_known_only_where_each_time_is() -> None:
    known = loop(FALSE, PAID, at={FALSE: (4,), PAID: (3, 5)})
    assert [each.right for each in in_turn(known)] == ["pay", "deny", "pay"]
    assert in_turn([*known, Comparison("==", "pay", "x", False, "loop", 3, (7, 8))]) == []


def test_what_is_looked_for_in_a_text_is_told_with_the_place_of_that() -> None:
    action: Action = {"to": "desk", "note": {"text": "So ZQAX"}, "n": 3}
    compared = [
        Comparison("in", "fever", "so zqax", False, "a"),
        Comparison("in", "desk", ["desk", "ward"], True, "b"),
        Comparison("==", "fever", "so zqax", False, "c"),
        Comparison("in", "x", "another text", False, "d"),
        Comparison("not in", "rash", "zqax", True, "e"),
    ]
    assert list(looked_for(action, compared)) == [
        (("note", "text"), "fever"),
        (("note", "text"), "rash"),
    ]


def test_what_is_compared_with_itself_is_left_alone() -> None:
    assert made({"a": "Ada", "b": 3}, "Ada", "==", "Ada", "same") == []
    assert made({"a": "Ada", "b": 3}, "Bo", "==", "Cy", "same") == []


def test_each_value_is_named_once() -> None:
    compared = Comparison("==", "zqax", "Ada", False, "here")
    assert len(list(swaps({"a": "zqax"}, [compared, compared]))) == 1


def test_a_part_of_a_text_is_not_taken_out() -> None:
    assert made({"a": "so zqax"}, "zqax", "==", "", "part") == []
    assert made({"a": "zqax"}, "zqax", "==", "", "same") == [{"a": ""}]


def test_a_short_text_within_another_is_chance() -> None:
    assert made({"a": "an apple"}, "an", "==", "no", "part") == []


def test_what_cannot_be_written_is_passed_over() -> None:
    for odd in (float("inf"), float("nan")):
        assert made({"a": 7319, "b": "7319"}, 7319, "==", odd, "same") == []


def test_a_number_of_many_digits_is_no_number() -> None:
    assert made({"a": 7319}, 7319, "==", "9" * 400, "same") == []
    assert list(swaps({"a": 10**400}, [Comparison("==", 3, 4, False, "here")])) == []


def test_nothing_grows_without_bound() -> None:
    long = "zqax " * 100
    compared = [
        Comparison("==", "zqax", "y" * 900, False, "part"),
        Comparison("in", "y" * 900, long.strip(), False, "appended"),
        Comparison("==", ["zqax"], ["y" * 90] * 40, False, "all in text"),
        Comparison("in", "more", [f"k{n}" for n in range(MOST_ITEMS)], False, "missing"),
    ]
    keys = {f"k{n}": 1 for n in range(MOST_ITEMS)}
    found = [swap.value for swap in swaps({"a": long, "b": keys}, compared)]
    assert all(len(each) <= MOST_CHARS for each in found if isinstance(each, str))
    assert all(len(each) <= MOST_ITEMS for each in found if isinstance(each, dict))
    longer = "zqax " * 300
    assert {"a": longer.replace("zqax", "Ada")} in made({"a": longer}, "zqax", "==", "Ada", "part")


def test_two_sides_agree_where_they_are_the_same() -> None:
    held = [("==", True), ("!=", False), ("in", True), ("not in", False), ("startswith", True)]
    others = [("==", False), ("!=", True), ("<", True), ("in", None)]
    assert all(Comparison(op, 1, 1, value, "").agreed for op, value in held)
    assert not any(Comparison(op, 1, 1, value, "").agreed for op, value in others)
