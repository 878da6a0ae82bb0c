"""The action space: what it says of a schema, its places, and that its actions fit or break the schema as announced."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from gonogo.rollouts.space import EACH, Space, accepted, leaves, put, simple_actions, value_at
from gonogo.rollouts.types import Schemas


class Command(BaseModel):
    model_config = ConfigDict(extra="forbid")
    metadata: dict[str, Any] = {}
    move: Literal["up", "noop", "down"]
    count: int = Field(ge=3, lt=9, description="How often.")
    ratio: float = Field(default=0.5, gt=0)
    flag: bool = False
    note: str | None = Field(None, max_length=3)
    free: Any = None


SCHEMA = Command.model_json_schema()
SPACE = Space(SCHEMA)
TOOLS = [
    {"name": "look", "input_schema": {}},
    {
        "name": "say",
        "input_schema": {"properties": {"word": {"enum": ["a", "b"]}}, "required": ["word"]},
    },
]
CALL = {
    "properties": {
        "metadata": {"type": "object"},
        "type": {"const": "call_tool"},
        "tool_name": {"type": "string"},
        "arguments": {"type": "object"},
    },
    "required": ["tool_name"],
}


def test_fields_are_described_with_choices_and_bounds() -> None:
    fields = {field.name: field for field in SPACE.describe()}
    assert list(fields) == ["move", "count", "ratio", "flag", "note", "free"]
    assert fields["move"].choices == ("up", "noop", "down")
    assert fields["count"].required
    assert fields["count"].bounds == {"minimum": 3, "exclusiveMaximum": 9}
    assert fields["count"].description == "How often."
    assert fields["ratio"].default == 0.5
    assert fields["note"].bounds == {"maxLength": 3}


def test_constants_are_the_idle_action_with_each_choice_and_bound() -> None:
    constants = SPACE.constants(50)
    validator = Draft202012Validator(SCHEMA)
    assert constants[0] == SPACE.idle() == {"move": "noop", "count": 3}
    assert {c["move"] for c in constants} == {"up", "noop", "down"}
    assert {c["count"] for c in constants} == {3, 5, 8}
    assert {c.get("flag") for c in constants} == {None, False, True}
    assert all(validator.is_valid(c) for c in constants)
    assert len({json.dumps(c, sort_keys=True) for c in constants}) == len(constants)
    assert len(SPACE.constants(2)) == 2


def test_integers_that_may_be_numbered_choices_are_tried() -> None:
    column = {"type": "integer"}
    space = Space({"properties": {"column": column}, "required": ["column"]})
    assert [action["column"] for action in space.constants(9)] == list(range(8))
    rng = np.random.default_rng(0)
    drawn = [space.sample(rng)["column"] for _ in range(200)]
    assert set(range(8)) <= set(drawn)
    assert 80 <= sum(0 <= value < 8 for value in drawn) <= 130
    assert min(drawn) < -50
    least = Space({"properties": {"n": {"type": "integer", "minimum": 5}}, "required": ["n"]})
    assert [action["n"] for action in least.constants(9)] == list(range(5, 13))
    both = {"type": "integer", "minimum": 1, "maximum": 50}
    assert [a["n"] for a in Space({"properties": {"n": both}, "required": ["n"]}).constants(9)] == [
        1,
        50,
        25,
    ]


def test_malformed_actions_break_the_rule_that_they_name() -> None:
    validator = Draft202012Validator(SCHEMA)
    broken = dict(SPACE.malformed())
    assert {"unknown field", "move missing", "move: no such choice", "count: type"} <= set(broken)
    assert broken["count: beyond minimum"]["count"] < 3
    assert broken["count: beyond maximum"]["count"] > 9
    assert not [rule for rule in broken if rule.startswith("free")], "anything fits a free field"
    for rule, action in broken.items():
        assert not validator.is_valid(action), rule


def test_extremes_fit_the_schema() -> None:
    validator = Draft202012Validator(SCHEMA)
    odd = {f"{leaf.name}: {rule}": action for leaf, rule, action in SPACE.extremes()}
    assert set(odd) == {
        "ratio: huge",
        "ratio: NaN",
        "note: the longest text",
        "note: the longest text in words",
        "note: an empty text",
    }
    assert math.isnan(odd.pop("ratio: NaN")["ratio"])
    assert odd["note: the longest text"]["note"] == "xxx"
    assert all(validator.is_valid(action) for action in odd.values())


def test_tools_are_called_with_arguments_that_fit_them() -> None:
    space = Space(CALL, TOOLS)
    rng = np.random.default_rng(0)
    calls = [space.sample(rng) for _ in range(50)]
    assert {call["tool_name"] for call in calls} == {"look", "say"}
    assert {call["arguments"].get("word") for call in calls} == {None, "a", "b"}
    look, say, *other = space.constants(9)
    assert (look["tool_name"], look["arguments"]) == ("look", {})
    assert (say["tool_name"], say["arguments"]) == ("say", {"word": "a"})
    assert [call["arguments"] for call in other] == [{"word": "b"}]


def test_tools_mean_nothing_to_other_actions() -> None:
    assert Space(SCHEMA, TOOLS).idle() == SPACE.idle()


def test_raw_text_is_filled_only_where_there_is_nothing_else() -> None:
    text, count = {"type": "string"}, {"type": "integer"}
    alone = Space({"properties": {"metadata": {}, "reply": text}, "required": ["reply"]})
    assert alone.idle() == {"reply": ""}
    fields = {"metadata": {}, "reply": text, "count": count}
    forms = [{"required": ["count"]}, {"required": ["reply"]}]
    beside = Space({"properties": fields, "oneOf": forms})
    assert [field.name for field in beside.describe()] == ["count"]


def test_a_reply_that_is_sent_with_other_fields_is_filled() -> None:
    text, label = {"type": "string"}, {"enum": ["spam", "respond"]}
    mail = Space({"properties": {"label": label, "reply": text}, "required": ["label"]})
    assert [field.name for field in mail.describe()] == ["label", "reply"]


@pytest.mark.parametrize("schema", [{}, {"type": "object"}])
def test_an_action_without_fields(schema: dict[str, Any]) -> None:
    space = Space(schema)
    assert space.describe() == []
    assert space.constants(3) == [{}]
    assert list(space.malformed()) == [("unknown field", {"no_such_field": 1})]


def test_raw_text_is_filled_where_an_action_has_nothing_else() -> None:
    metadata, reply = {"type": "object"}, {"type": "string", "minLength": 2}
    alone = {"properties": {"metadata": metadata, "reply": reply}, "required": ["reply"]}
    assert set(Space(alone).idle()) == {"reply"}
    assert len(Space(alone).sample(np.random.default_rng(0))["reply"]) >= 2
    fields = {**alone["properties"], "move": {"enum": ["noop", "up"]}}
    forms = [{"required": ["move"]}, {"required": ["reply"]}]
    assert Space({"properties": fields, "oneOf": forms}).idle() == {"move": "noop"}


class Buy(BaseModel):
    model_config = ConfigDict(extra="forbid")
    metadata: dict[str, Any] = {}
    type: Literal["buy"] = "buy"
    item: str


class Wait(BaseModel):
    model_config = ConfigDict(extra="forbid")
    metadata: dict[str, Any] = {}
    type: Literal["wait"] = "wait"
    turns: int = Field(default=1, ge=1, le=3)


class Either(RootModel[Annotated[Buy | Wait, Field(discriminator="type")]]):
    """An action that is one of two models, without one around them."""


def test_of_a_union_of_models_at_the_top_every_action_fits_one_of_them() -> None:
    space = Space(Either.model_json_schema())
    rng = np.random.default_rng(0)
    made = [space.idle(), *space.constants(20), *(space.sample(rng) for _ in range(20))]
    taken = [Either.model_validate(action).root for action in made]
    assert isinstance(taken[0], Wait)
    assert {type(each) for each in taken} == {Buy, Wait}
    assert {leaf.name for leaf in space.leaves()} == {"type", "item", "turns"}
    assert {field.name: field.required for field in space.describe()} == {
        "type": True,
        "item": False,
        "turns": False,
    }
    for _, action in space.malformed():
        with pytest.raises(ValidationError):
            Either.model_validate(action)


PARTS = {
    "type": "object",
    "$defs": {
        "Low": {"allOf": [{"type": "integer", "minimum": 1}, {"$ref": "#/$defs/Low"}]},
        "Named": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
        },
    },
    "properties": {
        "die": {"allOf": [{"$ref": "#/$defs/Low"}, {"minimum": 3}, {"maximum": 9}], "maximum": 6},
        "mode": {"allOf": [{"enum": ["a", "b", "c"]}, {"type": "string", "enum": ["c", "b"]}]},
        "who": {
            "allOf": [{"$ref": "#/$defs/Named"}, {"properties": {"age": {"type": "integer"}}}],
            "required": ["age"],
        },
    },
    "required": ["die", "mode", "who"],
}


def test_what_all_parts_of_a_schema_ask_for_is_held() -> None:
    space = Space(PARTS)
    rng = np.random.default_rng(0)
    loop_free = {**PARTS, "$defs": {**PARTS["$defs"], "Low": {}}}
    fits = Draft202012Validator(loop_free)
    for action in (space.idle(), *space.constants(20), *(space.sample(rng) for _ in range(20))):
        assert list(fits.iter_errors(action)) == []
    said = {field.name: field.words for field in space.describe()}
    assert said["die"] == "integer, at least 3, at most 6"
    assert said["mode"] == 'one of "b", "c"'
    assert '"age": integer' in said["who"] and '"name": string' in said["who"]


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


def test_what_is_left_out_around_a_value_is_made() -> None:
    assert put({"do": "call", "with": None}, ("with", "name"), "x")["with"] == {"name": "x"}
    assert put({"do": "call"}, ("with", EACH, "name"), "x")["with"] == [{"name": "x"}]
    assert put({"with": []}, ("with", EACH, "name"), "x") == {"with": []}


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


Json = dict[str, Any]

ACTION: Json = {
    "type": "object",
    "properties": {
        "move": {"enum": ["stay", "left", "right"]},
        "steps": {"type": "integer", "minimum": 0, "maximum": 9},
    },
    "required": ["move", "steps"],
    "additionalProperties": False,
}
SCHEMAS = Schemas(ACTION, {"type": "object"}, {"type": "object"})


def test_simple_actions_fit_the_schema_each_once_and_the_simplest_first() -> None:
    actions = simple_actions(SCHEMAS)
    assert actions[0] == SCHEMAS.codec().example()
    assert len({tuple(sorted(action.items())) for action in actions}) == len(actions)
    assert {action["move"] for action in actions} == {"stay", "left", "right"}
    assert all(0 <= action["steps"] <= 9 for action in actions)


def test_where_the_class_takes_the_schemas_example_there_is_no_other() -> None:
    assert accepted(SCHEMAS, lambda actions: [True for _ in actions]) is None


def test_a_validator_across_fields_is_met() -> None:
    def fits(actions: Sequence[Json]) -> list[bool]:
        return [action["move"] == "right" and action["steps"] > 0 for action in actions]

    found = accepted(SCHEMAS, fits)
    assert found is not None and fits([found]) == [True]


def test_where_nothing_fits_there_is_none() -> None:
    assert accepted(SCHEMAS, lambda actions: [False for _ in actions]) is None


def test_a_value_is_put_in_another_action_with_the_object_around_it() -> None:
    inner = {"type": "object", "properties": {"to": {"enum": ["a", "b"]}, "by": {"enum": [1, 2]}}}
    fields = {"do": {"enum": ["send", "keep"]}, "how": {"anyOf": [{"type": "null"}, inner]}}
    space = Space({"properties": fields, "required": ["do"]})
    place = next(leaf for leaf in space.leaves() if leaf.path == ("how", "to"))
    for how in ({}, {"how": None}):
        assert place.put_in({"do": "keep", **how}, "b")["how"]["to"] == "b"
    assert place.put_in({"do": "keep", "how": {"to": "a", "by": 2}}, "b") == {
        "do": "keep",
        "how": {"to": "b", "by": 2},
    }
