"""Places of an action: found in lists, objects and tool calls, filled without touching the rest."""

from __future__ import annotations

from gonogo.rollouts.action_fields import EACH, leaves, value_at

POINT = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
    "required": ["x"],
}
ROOT = {"$defs": {"Point": POINT}}
FIELDS = {
    "word": {"type": "string"},
    "point": {"$ref": "#/$defs/Point"},
    "path": {"type": "array", "items": {"$ref": "#/$defs/Point"}, "minItems": 2},
}
BASE = {"word": ""}
FOUND = {leaf.name: leaf for leaf in leaves(FIELDS, ROOT, BASE)}


def test_leaves_are_found_in_objects_and_lists() -> None:
    inner = ["path", f"path.{EACH}", f"path.{EACH}.x", f"path.{EACH}.y"]
    assert list(FOUND) == ["word", "point", "point.x", "point.y", *inner]


def test_a_value_is_put_into_its_place_and_the_least_around_it() -> None:
    assert FOUND["word"].put("hello") == {"word": "hello"}
    assert FOUND["point.x"].put(3) == {"word": "", "point": {"x": 3}}
    assert FOUND["point.y"].put(3) == {"word": "", "point": {"x": 0, "y": 3}}
    assert FOUND[f"path.{EACH}.x"].put(3) == {"word": "", "path": [{"x": 3}, {"x": 3}]}
    assert BASE == {"word": ""}


def test_a_value_is_found_where_it_was_put() -> None:
    for name, leaf in FOUND.items():
        assert value_at(leaf.put("here"), name) == "here"


def test_where_there_is_no_such_place_there_is_nothing() -> None:
    assert value_at(None, "word") is None
    assert value_at(BASE, None) is None
    assert value_at(BASE, "point.x") is None
    assert value_at({"path": []}, f"path.{EACH}") is None


def test_arguments_of_a_tool_are_named_after_it() -> None:
    call = {"type": "call_tool", "tool_name": "say", "arguments": {}}
    (leaf,) = leaves({"word": {"type": "string"}}, {}, call, "say", ("arguments",))
    assert leaf.name == "say.arguments.word"
    assert leaf.put("hi") == {**call, "arguments": {"word": "hi"}}
    assert value_at(leaf.put("hi"), leaf.name) == "hi"
    assert value_at({**leaf.put("hi"), "tool_name": "look"}, leaf.name) is None
