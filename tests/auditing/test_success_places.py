"""How places of what an environment shows are named in an expression, and what is known of them."""

from __future__ import annotations

from gonogo.auditing.success_places import Leaf, amount, leaves, resolved, value_in
from gonogo.env.success import SuccessRule

SCHEMA = {
    "properties": {
        "won": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        "info": {"$ref": "#/$defs/Info"},
    },
    "$defs": {"Info": {"type": "object", "properties": {"solved": {"type": "boolean"}}}},
}


def test_a_place_is_written_as_the_rule_reads_it() -> None:
    shown = {"won": True, "my info": {"is solved": 1}, "sum": 3, "state": {"n": 4}}
    paths = [("won",), ("my info", "is solved"), ("sum",), ("state", "n")]
    for path in paths:
        leaf = Leaf("observation", path, ())
        rule = SuccessRule(f"{leaf.text} == {value_in(shown, path)!r}", shown)
        assert rule.says(shown, {}, True) is True, leaf.text
    assert Leaf("state", ("a", "b"), ()).text == 'state["a"]["b"]'


def test_places_are_found_that_are_shown_or_only_declared() -> None:
    found = {leaf.path: leaf for leaf in leaves("observation", (), [{"n": 1}, {}], SCHEMA, SCHEMA)}
    assert list(found) == [("won",), ("info",), ("info", "solved"), ("n",)]
    assert found["info", "solved"].is_of("boolean") and found["won",].is_of("boolean")
    assert found["n",].is_of("number") and found["n",].values == (1,)


def test_what_lies_deep_or_is_about_an_action_weighs_less() -> None:
    plain, deep, act = (
        Leaf("observation", path, ()) for path in (("won",), ("a", "won"), ("last_action_won",))
    )
    assert plain.discount < deep.discount < act.discount


def test_a_list_counts_by_its_length_and_a_reference_is_followed() -> None:
    assert amount(Leaf("observation", ("n",), ([1],))) == "len(n)"
    assert amount(Leaf("observation", ("n",), (1,))) == "n"
    assert resolved({"$ref": "#/$defs/Info"}, SCHEMA)["type"] == "object"
    assert resolved(None, SCHEMA) == {}
