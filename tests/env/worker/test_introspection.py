"""What a stranger's functions say of actions and options where no schema does."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from pydantic import AliasChoices, AliasPath, BaseModel, Field

from gonogo.env.worker.introspection import (
    action_of,
    checked,
    read_from_body,
    space_schema,
    taken_by,
    taken_by_space,
)
from gonogo.env.worker.openapi import ActionRequest


class Move(BaseModel):
    to: int


class Typed:
    def reset(self) -> None: ...

    def step(self, action: Move) -> None: ...


class Bare:
    def reset(self) -> None: ...

    def step(self, action: str) -> None: ...


class Reading:
    def reset(self) -> None: ...

    def step(self, action):  # type: ignore[no-untyped-def]
        return action["kind"], action.get("by", 1)


@pytest.mark.parametrize(
    ("cls", "fields"), [(Typed, ["to"]), (Bare, ["action"]), (Reading, ["kind", "by"])]
)
def test_a_step_says_what_it_takes(cls: type, fields: list[str]) -> None:
    taken = taken_by(cls, {})
    assert list(taken.form.model_json_schema()["properties"]) == fields


def test_a_bare_value_is_taken_out_of_its_action() -> None:
    assert taken_by(Bare, {}).make({"action": "x"}) == "x"
    assert taken_by(Typed, {}).make({"to": 2}) == Move(to=2)


def test_what_is_read_out_of_a_body_is_an_option() -> None:
    async def reset(request: Any) -> Any:
        data = await request.json()
        store = {"other": 1}
        return (data or {}).get("task", "easy"), data["level"], store["other"]

    assert [name for name in read_from_body(reset) if name != "other"] == ["task", "level"]


OldDiscrete = type("Discrete", (), {"__init__": lambda self, n: setattr(self, "n", n)})
"""A choice as an old Gym has it, which says no start."""


def test_a_space_is_a_schema() -> None:
    assert space_schema(gymnasium.spaces.Discrete(3, start=1)) == {
        "type": "integer",
        "minimum": 1,
        "maximum": 3,
    }
    assert space_schema(OldDiscrete(3)) == {"type": "integer", "minimum": 0, "maximum": 2}
    taken = taken_by_space(gymnasium.spaces.Box(-1, 1, (2,)))
    assert taken.make({"action": [0, 1]}).shape == (2,)
    with pytest.raises(ValueError, match="does not hold"):
        taken.make({"action": [0, 7]})


BODIES = """
def whole(body: dict):
    return body["action"] in ("left", "right"), body.get("session_id")
def inner(body: dict):
    action = body["action"]
    return action["kind"], body["action"].get("by", 1)
def flat(action: dict):
    return int(action.get("move", 0))
"""


@pytest.mark.parametrize(
    ("step", "fields", "wrapper"),
    [("whole", ["action"], None), ("inner", ["kind", "by"], "action"), ("flat", ["move"], None)],
)
def test_a_name_wraps_an_action_only_where_something_is_read_inside_it(
    step: str, fields: list[str], wrapper: str | None, tmp_path: Path
) -> None:
    (tmp_path / "bodies.py").write_text(BODIES)
    spec = spec_from_file_location("bodies", tmp_path / "bodies.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    asked, form = action_of(
        getattr(module, step), ActionRequest({"type": "object"}, None, True), {}
    )
    assert (list(asked.schema["properties"]), asked.wrapper, form) == (fields, wrapper, None)


MADE = """
from pydantic import BaseModel
class Action(BaseModel):
    action: int
def one(body: dict):
    return Action(action=int(body.get("action", 1)))
def unpacked(body: dict):
    return Action(**body["action"])
def validated(body: dict):
    said = body["action"]
    return Action.model_validate(said)
"""


@pytest.mark.parametrize(
    ("step", "wrapper"), [("one", None), ("unpacked", "action"), ("validated", "action")]
)
def test_a_models_field_of_the_wrappers_name_is_no_wrapper_unless_all_of_it_is_read(
    step: str, wrapper: str | None, tmp_path: Path
) -> None:
    (tmp_path / "made.py").write_text(MADE)
    spec = spec_from_file_location("made", tmp_path / "made.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    asked, _ = action_of(getattr(module, step), ActionRequest({"type": "object"}, None, True), {})
    assert (list(asked.schema["properties"]), asked.wrapper) == (["action"], wrapper)


class Aliased(BaseModel):
    session: str = Field(alias="sessionId")
    inner: int = Field(validation_alias=AliasChoices(AliasPath("a", "b"), "innerId", "id"))
    move: int


def aliased(body: Aliased) -> None: ...


def test_what_stands_beside_an_action_has_the_documents_names() -> None:
    aliased.__annotations__["body"] = Aliased
    form = checked(
        aliased, ActionRequest({"type": "object"}, None, False), {"sessionId": "s1", "innerId": 3}
    )
    assert form is not None
    assert form.model_validate({"move": 2}) == {"move": 2}


class Wrapped(BaseModel):
    act: Move = Field(alias="action")


def wrapped(body: Wrapped) -> None: ...


def test_a_wrapper_goes_by_the_documents_name_too() -> None:
    wrapped.__annotations__["body"] = Wrapped
    form = checked(wrapped, ActionRequest({"type": "object"}, "action", False), {})
    assert form is not None
    with pytest.raises(ValueError, match="to"):
        form.model_validate({})
