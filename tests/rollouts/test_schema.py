"""Schemas as strangers write them: described within bounds, and the simplest value of each is valid."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, RootModel

from gonogo.errors import CodecError
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.schema import bounded, describe_schema, forms_of, resolve_reference, simplest
from gonogo.rollouts.space import Space

LONGEST = 40_000
"""Characters that no instructions exceed: fields and tools have bounds of their own."""


class Move(BaseModel):
    kind: Literal["move"] = "move"
    x: int = Field(ge=0, le=4, description="column")


class Fire(BaseModel):
    kind: Literal["fire"] = "fire"
    target: str = Field(min_length=2, description="who")


class Node(BaseModel):
    value: int
    left: Node | None
    children: list[Node] = []


class Tagged(BaseModel):
    command: Annotated[Move | Fire, Field(discriminator="kind")]


class Untagged(BaseModel):
    command: Fire | Move
    maybe: Move | None = None


class Tree(BaseModel):
    root: Node


class Lists(BaseModel):
    moves: list[Move] = Field(min_length=2)
    pair: tuple[int, str]
    words: set[Literal["a", "b", "c"]] = Field(min_length=2)
    ids: Annotated[list[int], Field(min_length=3, json_schema_extra={"uniqueItems": True})]


class Dicts(BaseModel):
    weights: dict[str, float] = Field(min_length=1)
    anything: dict[str, Any]
    free: Any


class Texts(BaseModel):
    square: str = Field(pattern="^[a-h][1-8][a-h][1-8]$")
    code: str = Field(pattern=r"^\d{4}$")
    word: str = Field(pattern=r"^\w+$", min_length=3)
    named: str = Field(pattern="^(north|south)-gate$", examples=["north-gate"])
    when: str = Field(json_schema_extra={"format": "date"})


class Numbers(BaseModel):
    even: int = Field(ge=3, multiple_of=2)
    above: float = Field(gt=0, lt=1)
    level: Literal[3, 1, 2]


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Empty(BaseModel):
    model_config = ConfigDict(extra="forbid")


ACTIONS = [Tagged, Untagged, Tree, Lists, Dicts, Texts, Numbers, Open, Empty, Node]


@pytest.mark.parametrize("action", ACTIONS)
def test_the_example_in_the_instructions_is_an_action(action: type[BaseModel]) -> None:
    codec = Codec(action.model_json_schema(), {})
    text = codec.instructions()
    said = text.rpartition("For example: ")[2]
    assert codec.parse(said) == codec.example()
    action.model_validate_json(said)
    assert len(text) < LONGEST


@pytest.mark.parametrize("action", ACTIONS)
def test_idle_and_random_actions_are_actions(action: type[BaseModel]) -> None:
    space, rng = Space(action.model_json_schema()), np.random.default_rng(0)
    action.model_validate(space.idle())
    if action is Lists:
        return  # items drawn at random need not differ
    for _ in range(20):
        action.model_validate(space.sample(rng))


def test_nested_models_and_unions_are_told_with_fields_limits_and_tags() -> None:
    told = Codec(Tagged.model_json_schema(), {}).instructions()
    assert (
        '- command (required): object {"kind": "move"; "x": integer, at least 0, at most 4 (column)} or '
        'object {"kind": "fire"; "target": string, at least 2 characters (who)}'
    ) in told
    assert json.loads(told.rpartition("For example: ")[2]) == {"command": {"kind": "move", "x": 0}}
    lists = Codec(Lists.model_json_schema(), {}).instructions()
    assert 'array, at least 2 items, of object {"x": integer' in lists
    assert "array [integer; string]" in lists
    dicts = Codec(Dicts.model_json_schema(), {}).instructions()
    assert "- weights (required): object, at least 1 keys {any key: number}" in dicts
    assert "- free (required): any value" in dicts


def test_a_wrong_object_of_a_union_is_told_what_its_own_form_asks_for() -> None:
    codec = Codec(Tagged.model_json_schema(), {})
    with pytest.raises(CodecError, match=r"command\.x: maximum 4 \(got 9\)"):
        codec.parse('{"command": {"kind": "move", "x": 9}}')
    with pytest.raises(CodecError, match=r"command\.target: required, and missing"):
        codec.parse('{"command": {"kind": "fire"}}')
    with pytest.raises(CodecError, match=r'command: must be object {"kind": "move"'):
        codec.parse('{"command": {"kind": "sail"}}')


def test_a_schema_that_refers_to_itself_ends() -> None:
    codec = Codec(Node.model_json_schema(), {})
    assert codec.example()["value"] == 0
    assert 0 < len(codec.instructions()) < LONGEST
    assert Space(Node.model_json_schema()).leaves()
    circle = {"$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}]}}}
    assert describe_schema({"$ref": "#/$defs/A"}, circle)
    assert simplest({"$ref": "#/$defs/A"}, circle) is None
    assert resolve_reference({"$ref": "#/x"}, {"x": {"$ref": "#/x"}}) == {}


@pytest.mark.parametrize("where", ["#/$defs/Nobody", "#/$defs/Circle", "https://example.org/s"])
def test_a_reference_that_leads_nowhere_is_said(where: str) -> None:
    named = {"Circle": {"$ref": "#/$defs/Circle"}} if "Circle" in where else {}
    schema = {"$defs": named, "properties": {"a": {"$ref": where}}}
    with pytest.raises(CodecError, match="which holds no schema"):
        Codec(schema, {})


def test_a_schema_that_is_nothing_but_itself_refuses_with_one_sentence() -> None:
    circle = {"anyOf": [{"$ref": "#/$defs/A"}]}
    codec = Codec({"$defs": {"A": circle}, "properties": {"a": circle}, "required": ["a"]}, {})
    assert len(codec.instructions()) < LONGEST
    with pytest.raises(CodecError, match="refers to itself without end"):
        codec.parse('{"a": 1}')


def test_an_example_of_the_schema_s_own_stands_in_the_instructions() -> None:
    class Picky(BaseModel):
        model_config = ConfigDict(json_schema_extra={"examples": [{"key": 7}, {"key": "k-1"}]})
        key: str

    codec = Codec(Picky.model_json_schema(), {})
    assert codec.instructions().endswith('For example: {"key": "k-1"}')
    assert Space(Picky.model_json_schema()).idle() == {"key": ""}


def test_thousands_of_choices_and_hundreds_of_fields_are_counted() -> None:
    words = [f"word{n}" for n in range(4000)]
    codec = Codec({"properties": {"word": {"enum": words}}, "required": ["word"]}, {})
    assert "… and 39" in codec.instructions()
    assert len(codec.instructions()) < 1500
    with pytest.raises(CodecError) as caught:
        codec.parse('{"word": "no such word"}')
    assert " more] (got" in str(caught.value)
    assert len(str(caught.value)) < 500

    many = {f"field{n}": {"type": "integer", "description": "what " * 30} for n in range(900)}
    wide = Codec({"properties": many, "required": ["field899"]}, {})
    told = wide.instructions()
    assert told.splitlines()[1].startswith("- field899 (required): integer"), "the needed first"
    assert "… and 8" in told
    assert len(told) < LONGEST
    assert wide.parse(json.dumps(wide.example())) == {"field899": 0}


@pytest.mark.parametrize(
    ("field", "told", "value"),
    [
        ({"enum": []}, "no value at all", None),
        ({"const": "go"}, '"go"', "go"),
        ({"enum": [3, 1]}, "one of 3, 1", 3),
        ({"enum": ["swap", "keep"]}, 'one of "swap", "keep"', "keep"),
        ({"enum": ["go", "remain", "look"]}, 'one of "go", "remain", "look"', "remain"),
        ({"type": ["integer", "null"], "minimum": 2}, "integer, at least 2 or null", 2),
        ({"type": "string", "nullable": True}, "string or null", ""),
        ({"type": "object", "additionalProperties": {"type": "integer"}},
         "object {any key: integer}", {}),
        ({"type": "object"}, "object", {}),
        (True, "any value", None),
        ({}, "any value", None),
        ({"allOf": [{"type": "boolean"}]}, "boolean", False),
        ({"properties": {"a": {"type": "null"}}}, 'object {"a" (optional): null}', {}),
        ({"type": "string", "pattern": r"^\p{Lu}+$"}, r"string, matching ^\p{Lu}+$", ""),
    ],
)  # fmt: skip
def test_a_field_of_any_kind(field: Any, told: str, value: Any) -> None:
    assert describe_schema(field, {}).startswith(told)
    assert simplest(field, {}) == value
    codec = Codec({"properties": {"a": field}, "required": ["a"]}, {})
    assert "- a (required): " in codec.instructions()
    if field != {"enum": []}:
        assert codec.parse(json.dumps(codec.example())) == {"a": value}


def test_an_action_that_takes_any_field_takes_one() -> None:
    codec = Codec(Open.model_json_schema(), {})
    assert codec.parse('{"go": "north"}') == {"go": "north"}
    assert "Any fields are taken." in codec.instructions()
    closed = Codec(Empty.model_json_schema(), {})
    assert "It has no fields." in closed.instructions()
    with pytest.raises(CodecError, match='"go": no such field'):
        closed.parse('{"go": "north"}')


def test_tools_are_told_with_their_arguments() -> None:
    call = {"properties": {"tool_name": {"type": "string"}, "arguments": {"type": "object"}},
            "required": ["tool_name"]}  # fmt: skip
    takes = {"properties": {"name": {"type": "string"}, "n": {"type": "integer", "minimum": 2}},
             "required": ["n"]}  # fmt: skip
    tools = [{"name": "look_up", "description": "Somebody's\nticket.", "input_schema": takes},
             {"name": "bare", "description": None, "input_schema": None}]  # fmt: skip
    codec = Codec(call, {}, tools)
    lines = codec.instructions().splitlines()
    assert (
        '- "look_up": Somebody\'s ticket. Arguments: '
        '{"n": integer, at least 2; "name" (optional): string}'
    ) in lines
    assert '- "bare" Arguments: object' in lines
    assert codec.parse(lines[-1].removeprefix("For example: ")) == {
        "tool_name": "look_up", "arguments": {"n": 2},
    }  # fmt: skip
    hundreds = [{**tools[0], "name": f"tool{n}", "description": "x" * 5000} for n in range(500)]
    assert len(Codec(call, {}, hundreds).instructions()) < LONGEST
    assert Codec({"properties": {}}, {}, tools).instructions().count("look_up") == 0


def test_a_root_of_several_forms_resolves_their_references() -> None:
    class Either(RootModel[Move | Fire]):
        pass

    schema = Either.model_json_schema()
    tags = [form["properties"]["kind"]["const"] for form in forms_of(schema, schema)]
    assert tags == ["move", "fire"]


def test_parts_past_the_bound_are_not_made() -> None:
    made: list[int] = []

    def parts() -> Any:
        for number in range(10**6):
            made.append(number)
            yield "x" * 10

    assert bounded(parts(), ", ", 30, 10**6) == "xxxxxxxxxx, xxxxxxxxxx, … and 999998 more"
    assert len(made) == 3


def test_simplest_values_of_drawn_schemas_fit_them() -> None:
    for action in (Tagged, Untagged, Lists, Dicts, Texts, Numbers):
        schema = action.model_json_schema()
        assert Draft202012Validator(schema).is_valid(Codec(schema, {}).example())
