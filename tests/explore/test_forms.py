"""What a schema's forms say of an action."""

from __future__ import annotations

import math

import pytest

from gonogo.explore.forms import (
    ANYTHING,
    as_form,
    closed_values,
    edges_of,
    opened_up,
    places_of,
    verb_field,
)
from gonogo.wire import JsonSchema, JsonValue

TRUTH: JsonSchema = {"type": "integer", "minimum": 0, "maximum": 2}
"""A form of draft 4 and OpenAPI 3.0, whose exclusive bounds are truth values."""


@pytest.mark.parametrize(
    ("form", "edges"),
    [
        ({"type": "integer", "minimum": 2, "maximum": 9}, [2, 9, 5]),
        ({"type": "integer", "exclusiveMinimum": 2}, [3]),
        ({"type": "number", "minimum": 0, "maximum": 1}, [0, 1, 0.5]),
        ({"type": "number"}, []),
        ({"type": "string", "minimum": 2}, []),
    ],
)
def test_the_bounds_of_a_number_and_the_middle(form: JsonSchema, edges: list[float]) -> None:
    assert list(edges_of(form)) == edges


@pytest.mark.parametrize(
    ("value", "form", "taken"),
    [
        (7, {"type": "string"}, ["7"]),
        ("7", {"type": "integer"}, [7]),
        ("7.5", {"type": "integer"}, []),
        ("seven", {"type": "number"}, []),
        (True, {"type": "integer"}, []),
        (12, {"type": "integer", "maximum": 9}, []),
        ("abc", {"type": "string", "maxLength": 2}, []),
        ("abc", {"type": "string", "pattern": "^b"}, []),
        ("a", {"enum": ["a", "b"]}, ["a"]),
        ("c", {"enum": ["a", "b"]}, []),
        ([1], {"type": "array"}, [[1]]),
        ([1], {"type": "object"}, []),
    ],
)
def test_a_value_as_a_form_takes_it(
    value: JsonValue, form: JsonSchema, taken: list[JsonValue]
) -> None:
    assert as_form(value, form) == taken


def test_the_verb_is_the_first_required_choice_else_a_field_that_is_named_so() -> None:
    pair: JsonSchema = {"enum": ["a", "b"]}
    text: JsonSchema = {"type": "string"}
    assert verb_field({"side": pair, "what": pair}, {"required": ["what"]}) == "what"
    assert (
        verb_field({"note": text, "action_type": text}, {"required": ["action_type"]})
        == "action_type"
    )
    assert verb_field({"note": text, "side": pair}, {}) == "side"
    assert verb_field({"note": text, "sure": {"type": "boolean"}}, {}) is None


def test_places_are_the_fields_of_an_action_and_of_what_they_hold() -> None:
    found = list(places_of({"a": {"b": [1, {"c": 2}]}}))
    assert ("b", 1) in found and ("c", 2) in found and ("a", {"b": [1, {"c": 2}]}) in found


@pytest.mark.parametrize(
    ("form", "values"),
    [
        ({"type": "integer", "minimum": 2, "maximum": 4}, [2, 3, 4]),
        ({"type": "integer", "exclusiveMinimum": 2, "maximum": 4}, [3, 4]),
        ({"type": "integer", "exclusiveMinimum": 0.5, "exclusiveMaximum": 2.5}, [1, 2]),
        ({**TRUTH, "exclusiveMinimum": False, "exclusiveMaximum": False}, [0, 1, 2]),
        ({**TRUTH, "exclusiveMinimum": True}, [1, 2]),
        ({**TRUTH, "exclusiveMaximum": True}, [0, 1]),
        ({"type": "integer", "exclusiveMinimum": True, "maximum": 2}, None),
        ({**TRUTH, "exclusiveMinimum": [1]}, [0, 1, 2]),
        ({**TRUTH, "exclusiveMinimum": 1}, [2]),
        ({"enum": ["a", "b"]}, ["a", "b"]),
        ({"type": "boolean"}, [False, True]),
        ({"anyOf": [{"const": "a"}, {"type": "integer", "minimum": 0, "maximum": 1}]}, ["a", 0, 1]),
        ({"type": "integer", "minimum": 0.5, "maximum": 2.5}, [1, 2]),
        ({"type": "integer", "minimum": math.inf, "maximum": 3}, None),
        ({"type": "integer", "minimum": 0}, None),
        ({"type": "integer", "minimum": 0, "maximum": 256}, None),
        ({"type": "number", "minimum": 0, "maximum": 1}, None),
        ({"type": "string"}, None),
    ],
)
def test_all_values_are_known_where_they_are_few(
    form: JsonSchema, values: list[object] | None
) -> None:
    assert closed_values(form, {}) == values


def test_a_field_that_takes_any_object_has_the_keys_that_it_is_asked_for() -> None:
    some: JsonSchema = {"type": "object", "properties": {"size": {"type": "integer"}}}
    fields: JsonSchema = {"args": {"type": "object"}, "own": some, "said": {"type": "string"}}
    keys = {"args": ["who", "what", "why"], "own": ["who"], "said": ["who"]}
    found = opened_up({"type": "object", "properties": fields}, keys, 2)["properties"]
    assert found["args"]["properties"] == {"who": ANYTHING, "what": ANYTHING}
    assert found["own"] == some and found["said"] == {"type": "string"}
