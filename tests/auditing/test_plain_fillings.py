"""What lists and maps of an action are filled with."""

from __future__ import annotations

import pytest

from gonogo.auditing.plain_fillings import (
    PlainFilling,
    SeenGroups,
    fillings_of,
    grouped,
    named_together,
    plain_values,
    shape_of,
    shapes_of,
)
from gonogo.exploits.panel import Kind
from gonogo.rollouts.space import ActionField, Space
from gonogo.wire import Action, JsonSchema, JsonValue, Observation

NUMBERS: JsonSchema = {"type": "array", "items": {"type": "number"}}
ODDS: JsonSchema = {
    "type": "object",
    "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1},
}
FIRST: Observation = {
    "trees": ["ash", "oak", "fir"],
    "before": [3.0, 1.0, 2.0],
    "loads": [5, 10],
    "stock": {"x": {"left": 1}, "y": {"left": 2}},
    "reward": 0.0,
}
SECOND: Observation = {**FIRST, "trees": ["elm", "yew"], "before": [4.0, 6.0]}
SHOWN = SeenGroups([FIRST, SECOND])


def leaf(schema: JsonSchema) -> ActionField:
    """A field of a schema."""
    return Space({"properties": {"f": schema}}).leaves()[0]


def made(
    schema: JsonSchema, seen: Observation = FIRST, examples: tuple[Action, ...] = ()
) -> dict[str, tuple[Kind, JsonValue]]:
    """What a field is filled with where something is seen, by its name."""
    found = fillings_of(leaf(schema), SHOWN, examples)
    return {each.name: (each.kind, each.made(seen)) for each in found}


def test_a_list_of_numbers_is_as_long_as_what_is_seen() -> None:
    found = made(NUMBERS)
    assert found["1 for each of trees"] == (Kind.CONSTANT, [1, 1, 1])
    assert found["0.5 for each of loads"] == (Kind.CONSTANT, [0.5, 0.5])
    assert found["copied before"] == (Kind.ECHO, [3.0, 1.0, 2.0])
    assert found["copied loads"] == (Kind.CONSTANT, [5, 10])  # the same on all tasks
    assert found["0, 1, 2, … for the items of trees"] == (Kind.FILLING, [0, 1, 2])
    assert found["the mean of before, once per item"] == (Kind.ECHO, [2.0, 2.0, 2.0])
    assert found["[1]"] == (Kind.FILLING, [1])
    assert found["[]"] == (Kind.BLANK, [])
    assert made(NUMBERS, SECOND)["1 for each of trees"] == (Kind.CONSTANT, [1, 1])
    assert made(NUMBERS, {})["1 for each of trees"] == (Kind.CONSTANT, None)


def test_a_list_of_a_known_size_is_of_that_size() -> None:
    found = made({**NUMBERS, "minItems": 4, "maxItems": 4})
    assert found["a list of 4 × 0"] == (Kind.CONSTANT, [0, 0, 0, 0])
    assert not [name for name in found if "trees" in name]


def test_a_list_of_choices_holds_the_same_for_each_and_one_of_texts_the_names() -> None:
    choices: JsonSchema = {"type": "array", "items": {"enum": ["keep", "fell"]}}
    assert made(choices)["'fell' for each of trees"] == (Kind.CONSTANT, ["fell"] * 3)
    texts = made({"type": "array", "items": {"type": "string"}})
    assert texts["copied trees"] == (Kind.ECHO, ["ash", "oak", "fir"])
    assert texts["the first item of observation.trees"] == (Kind.FILLING, ["ash"])
    assert texts["each key of observation.stock"] == (Kind.SHOTGUN, ["x", "y"])


def test_a_list_of_objects_has_one_for_each_name() -> None:
    fields: JsonSchema = {"id": {"type": "string"}, "do": {"enum": ["keep", "fell"]}}
    items: JsonSchema = {"type": "object", "properties": fields, "required": ["id", "do"]}
    found = made({"type": "array", "items": items})
    assert found[
        "one record for each item of observation.trees, named in id, with {'do': 'fell'}"
    ] == (
        Kind.CONSTANT,
        [{"id": name, "do": "fell"} for name in ("ash", "oak", "fir")],
    )


def test_a_table_is_as_large_as_one_that_is_seen() -> None:
    seen: Observation = {"grid": [[1, 2, 3], [4, 5, 6]]}
    table = leaf({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}})
    found = {each.name: each.made(seen) for each in fillings_of(table, SeenGroups([seen]))}
    assert found["1 in each cell of grid"] == [[1, 1, 1], [1, 1, 1]]
    assert found["copied grid"] == seen["grid"]


def test_a_map_has_the_names_that_are_seen() -> None:
    found = made(ODDS)
    third = 1 / 3
    assert found["an equal share for each item of observation.trees"] == (
        Kind.CONSTANT,
        {"ash": third, "oak": third, "fir": third},
    )
    assert found["1 for the first key of observation.stock"] == (Kind.FILLING, {"x": 1})
    assert found["0 for each key of observation.stock"] == (Kind.CONSTANT, {"x": 0, "y": 0})
    assert found["{}"] == (Kind.BLANK, {})


def test_only_the_same_for_each_and_what_never_differs_may_be_a_fair_guess() -> None:
    found = {each.name: each.guessed for each in fillings_of(leaf(NUMBERS), SHOWN)}
    assert found["1 for each of trees"] and found["copied loads"]
    assert not found["copied before"]


def test_what_only_some_tasks_show_is_left_out() -> None:
    shown = SeenGroups([FIRST, {"loads": [5, 10]}])
    names = {each.name for each in fillings_of(leaf(NUMBERS), shown)}
    assert "1 for each of loads" in names and "1 for each of trees" not in names
    assert "copied before" not in names


def test_what_is_seen_elsewhere_is_left_out() -> None:
    later = SeenGroups([{**FIRST, "plots": [1, 2]}], {"do": "look"}).without(SHOWN)
    assert later.sizes() == ["observation.plots"]
    assert not [e for e in fillings_of(leaf(NUMBERS), later) if e.kind == Kind.BLANK]


def test_a_field_of_any_kind_takes_what_somebody_wrote_in_it() -> None:
    assert not made({})
    assert made({}, FIRST, ({"f": [0.2, 0.4]},))["1 for each of trees"][1] == [1, 1, 1]
    said = made({"type": "string"}, FIRST, ({"f": '{"ash": 0.5}'},))
    assert said["1 for each item of observation.trees"][1] == '{"ash": 1, "oak": 1, "fir": 1}'
    assert not made({"type": "string"}, FIRST, ({"f": "ash"},))
    assert not list(shapes_of(leaf({"enum": ["a", "b"]}), []))


def test_records_and_pay_are_no_groups() -> None:
    seen: Observation = {
        "reward": [1, 2],
        "one": [1],
        "tree": {"name": "ash", "age": 3},
        "all": {"a": 1, "b": 2},
    }
    assert list(grouped(seen)) == ["observation.all"]
    assert named_together(seen) == {"key of observation.all": ["a", "b"]}


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"type": "number"}, [1, 0, 0.5]),
        ({"type": "integer"}, [1, 0]),
        ({"type": "number", "minimum": 0, "maximum": 100}, [1, 0, 50.0]),
        ({"type": "number", "minimum": 10, "maximum": 20}, [15.0]),
        ({"type": "boolean"}, [False, True]),
        ({"type": "string"}, ["oak"]),
        ({}, [1, 0]),
    ],
)
def test_the_plainest_values_are_few(schema: JsonSchema, values: list[JsonValue]) -> None:
    assert plain_values(schema, {}, ["oak", 3]) == values


def test_an_example_has_a_shape() -> None:
    assert shape_of([1, 2]) == NUMBERS
    assert shape_of({"a": 1, "b": 2}) == {
        "type": "object",
        "additionalProperties": {"type": "number"},
    }
    assert set(shape_of({"a": 1, "b": "x"})["properties"]) == {"a", "b"}
    assert shape_of([]) == {"type": "array", "items": {}}
    assert PlainFilling.always([], Kind.BLANK).made({}) == []
