"""Policies that know only the schema: their actions are valid, and the same every time."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from gonogo.rollouts.builtin_policies import IdlePolicy, RandomPolicy, ScriptedPolicy
from gonogo.rollouts.types import Reply, View
from gonogo.wire import JsonObject as Json


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Point(BaseModel):
    x: float = Field(gt=0, lt=0.5)
    tags: list[Annotated[str, Field(min_length=2)]] = Field(min_length=1, max_length=2)


class Rich(BaseModel):
    metadata: dict[str, Any] = {}
    color: Color
    move: Literal["up", "noop", "down"] = "up"
    count: int = Field(ge=3)
    huge: int = Field(ge=0, le=2**64)
    ratio: float = Field(ge=-1, le=-0.5)
    flag: bool
    name: str = Field(max_length=3)
    at: Point
    either: int | str
    maybe: int | None = None
    always: Literal[7]
    free: Any


class Forms(BaseModel):
    model_config = {
        "json_schema_extra": {"oneOf": [{"required": ["reply"]}, {"required": ["burn", "coast"]}]}
    }
    burn: Literal["idle", "fire"] | None = Field(None, json_schema_extra={"type": "string"})
    coast: int | None = Field(None, ge=10, le=20)
    reply: str | None = None


def views(turn: int = 0, slots: int = 1) -> dict[int, View]:
    return {slot: View("", {}, {"seed": slot}, turn) for slot in range(slots)}


def draws(schema: Json, seed: int, turns: int = 200) -> list[Json | None]:
    policy = RandomPolicy(schema, seed)
    policy.begin([0])
    return [policy.act(views(turn))[0].action for turn in range(turns)]


def test_random_actions_are_valid_and_various() -> None:
    schema = Rich.model_json_schema()
    actions = draws(schema, 1)
    validator = Draft202012Validator(schema)
    for action in actions:
        validator.validate(action)
        Rich.model_validate(action)
    for field in ("color", "move", "flag", "count", "name", "either"):
        assert len({str(a[field]) for a in actions if a and field in a}) > 1
    assert {"maybe" in a for a in actions if a} == {True, False}
    assert all("metadata" not in a for a in actions if a)


def test_random_depends_on_seed_and_task_only() -> None:
    schema = Rich.model_json_schema()
    assert draws(schema, 1) == draws(schema, 1)
    assert draws(schema, 1) != draws(schema, 2)
    wide = RandomPolicy(schema, 1)
    for turn in range(5):
        replies = wide.act(views(turn, slots=3))
    assert replies[0].action == draws(schema, 1, 5)[-1]
    assert replies[0].action != replies[1].action


def test_idle_does_the_least() -> None:
    schema = Rich.model_json_schema()
    action = IdlePolicy(schema).act(views())[0].action
    assert action == {
        "color": "red", "move": "noop", "count": 3, "huge": 0, "ratio": -0.5, "flag": False,
        "name": "", "at": {"x": 0.25, "tags": [".."]}, "either": 0, "always": 7, "free": None,
    }  # fmt: skip


@pytest.mark.parametrize("policy", [IdlePolicy, lambda schema: RandomPolicy(schema, 3)])
def test_where_raw_text_is_one_form_the_fields_are_filled(policy: Any) -> None:
    action = policy(Forms.model_json_schema()).act(views())[0].action
    assert action.keys() == {"burn", "coast"}


def test_a_reply_alone_is_a_field_like_any_other() -> None:
    schema: Json = {"properties": {"reply": {"type": "string"}}, "required": ["reply"]}
    assert IdlePolicy(schema).act(views())[0].action == {"reply": ""}


def test_a_script_is_handed_out_in_order_and_its_end_repeats() -> None:
    a, b, c = Reply(text="a"), Reply(text="b"), Reply(text="c")
    policy = ScriptedPolicy([[a, b], [c]])
    policy.begin([5, 2])
    view = View("", {}, {}, 0)
    assert policy.act({5: view, 2: view}) == {5: a, 2: c}
    later = View("", {}, {}, 4)
    assert policy.act({5: later, 2: later}) == {5: b, 2: c}
    policy.end([5, 2])
    policy.close()
