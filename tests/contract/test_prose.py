"""What prose names as a value, and what it does not."""

from __future__ import annotations

import pytest

from gonogo.contract.prose import objects_in, step_costs, values_in, words_of


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Room to choose: 'red', 'blue' or 'green'", ["red", "blue", "green"]),
        ("Door to open. One of: left, right", ["left", "right"]),
        ("kind must be one of ['a', 'b_c']", ["a", "b_c"]),
        ("Input should be 'choose', 'open' or 'leave'", ["choose", "open", "leave"]),
        ("Phase: cold_start | warm | hot", ["cold_start", "warm", "hot"]),
        ("Give a level (low/medium/high).", ["low", "medium", "high"]),
        ("Try: look, wait.", ["look", "wait"]),
        ("The order, such as ORD-17", ["ORD-17", 17]),
        ("No room is chosen.", []),
    ],
)
def test_lists_quotations_and_alternatives_are_values(text: str, values: list[object]) -> None:
    found = [value for value, _ in values_in(text)]
    assert found[: len(values)] == [v for v in values if not isinstance(v, int)] or found == values
    assert bool(found) == bool(values)


def test_what_is_listed_comes_before_what_only_looks_like_a_value() -> None:
    found = values_in("Order A-1 is open; use one of: ship, hold. Between 0 and 10.")
    assert [value for value, _ in found][:2] == ["ship", "hold"]
    assert {0, 10, "A-1"} <= {value for value, _ in found}
    assert [near for _, near in found] == sorted((near for _, near in found), reverse=True)


def test_objects_are_read_from_a_text_with_other_braces() -> None:
    text = 'Send {this}: ```{"kind": "open", "door": {"id": 2}}``` or {"kind": "leave"}'
    assert list(objects_in(text)) == [{"kind": "open", "door": {"id": 2}}, {"kind": "leave"}]


def test_words_are_quoted_once_each() -> None:
    assert words_of(["`a` and `b`", "'a' again"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "costs"),
    [
        ("**get_hint** — a part of an open issue (costs 2 steps):", {"get_hint": 2}),
        ("- ask: costs one step\n- get_hint: costs three steps", {"get_hint": 3}),
        ("`get_hint`: a part of an issue. Costs 2 full steps.", {"get_hint": 2}),
        ("`Get_Hint` always costs two steps, and so do others", {"get_hint": 2}),
        ("get_hint, which counts as 10 steps", {"get_hint": 10}),
        ("- `get_hint`: shows a part of an issue; takes 3 steps.", {"get_hint": 3}),
        ("`get_hint` uses two turns.", {"get_hint": 2}),
        ("`get_hint` uses up 2 of the turns", {"get_hint": 2}),
        ("A `get_hint` is worth 4 steps.", {"get_hint": 4}),
        ("Each get_hint counts for six turns, as a rule", {"get_hint": 6}),
        ("get_hint (cost: 2 steps)", {"get_hint": 2}),
        ("get_hint takes 2 steps of your budget", {"get_hint": 2}),
        ("get_hint takes two steps forward", {}),
        ("- `get_hint`: takes the step before it back", {"get_hint": 0}),
        ("`get_hint` decrements step_count.", {"get_hint": 0}),
        ("get_hint costs no step", {"get_hint": 0}),
        ("`get_hint` does not count as a step.", {"get_hint": 0}),
        ("`get_hint` takes the last move back.", {}),
        ("get_hint costs 11 steps", {}),
        ("- `get_hint`: shows it. A good agent takes 9 steps.", {}),
        ("- `get_hint`: shows it. A wrong turn costs 9 steps.", {}),
        ("get_hint shows the way, and a wrong turn costs 9 steps", {}),
        ("get_hint shows the way that a turn costs 9 steps", {}),
        ("get_hint uses 2 steps of the plan", {}),
        ("This costs 2 full steps: `get_hint`.", {}),
        ("get_hint gives a hint.\n\nThe crossing costs 2 steps.", {}),
        ("get_hint costs 2 points, and the tour is 4 steps long", {}),
        ("forget_hints costs 2 steps", {}),
    ],
)
def test_what_an_action_costs_is_said_where_it_is_named(text: str, costs: dict[str, int]) -> None:
    assert step_costs(text, ["ask", "get_hint"]) == costs
