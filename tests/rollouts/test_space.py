"""The action space: what it says of a schema, and that its actions fit or break the schema as announced."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from gonogo.rollouts.space import Space


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
    beside = Space({"properties": {"metadata": {}, "reply": text, "count": count}})
    assert [field.name for field in beside.describe()] == ["count"]


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
    beside = {"properties": {**alone["properties"], "move": {"enum": ["noop", "up"]}}}
    assert Space(beside).idle() == {"move": "noop"}


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
