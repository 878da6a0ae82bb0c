"""The fields of an action that may be any object, as the code reads them."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from gonogo.env.worker.action_fields import ANY_VALUE, READ, ActionReader
from gonogo.env.worker.introspection import named_environments, taken_by
from gonogo.rollouts.space import READ_FROM_CODE, Space

TEXT, WHOLE, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
TRUTH = {"type": "boolean"}


def number(raw: Any) -> float | None:
    return None if isinstance(raw, bool) else float(raw)


def checked(order: Any) -> bool:
    match order:
        case {"side": "buy" | "sell"}:
            return True
    return "limit" in order


class Books:
    def post(self, lines: Any) -> int:
        return sum(line["credit"] for line in lines if isinstance(line.get("account"), str))


class Desk:
    """Reads its action in as many ways as published ones do."""

    def __init__(self) -> None:
        self.books = Books()
        self.memo = {"seen": 1}

    def reset(self) -> None: ...

    def step(self, action: dict[str, Any]) -> Any:
        args = action if isinstance(action, dict) else {}
        tool, amount = args.get("tool"), args.get("amount")
        if not isinstance(tool, str) or type(amount) is not int or amount < 0:
            return self.memo.get("seen")
        return self._act(dict(args))

    def _act(self, told: dict[str, Any]) -> Any:
        if told.get("kind", "").lower() == "report":
            return number(told.get("value"))
        if (told.get("order") or {}) and checked(told["order"]):
            return told["size"] > 3 and bool(told.get("sure"))
        if told.get("urgent", False) == self.memo and told.get("note", "") == self.memo:
            return told.get("tags", []), told.get("count", 1) == self.memo
        return self.books.post(told.get("lines")), [n for n in told.get("names") if n == "all"]


@pytest.mark.parametrize(
    ("field", "schema"),
    [
        ("tool", TEXT),
        ("amount", WHOLE),
        ("kind", TEXT),
        ("value", NUMBER),
        ("size", NUMBER),
        ("order", {"type": "object", "properties": {"side": ANY_VALUE, "limit": ANY_VALUE}}),
        (
            "lines",
            {"type": "array", "items": {"type": "object", "properties": {"account": TEXT, "credit": ANY_VALUE}}},
        ),
        ("names", {"type": "array", "items": TEXT}),
        ("sure", ANY_VALUE),
        ("urgent", {"anyOf": [TRUTH, *ANY_VALUE["anyOf"]]}),
        ("note", ANY_VALUE),
        ("tags", {"anyOf": [{"type": "array", "items": ANY_VALUE}, *ANY_VALUE["anyOf"]]}),
        ("count", ANY_VALUE),
    ],
)  # fmt: skip
def test_a_field_is_what_the_code_does_with_it(field: str, schema: Any) -> None:
    found = ActionReader(named_environments).read(Desk.step, ["action"], None, Desk)
    assert found[field] == schema
    assert "seen" not in found


DESK = Desk()


def route(body: dict[str, Any]) -> Any:
    return DESK.step(body["action"]), body.get("session")


def test_an_action_below_a_name_is_followed_into_the_environment() -> None:
    found = ActionReader(named_environments).read(route, [], "action", None)
    assert {"tool", "amount", "lines"} <= set(found)
    assert "session" not in found and "action" not in found


class Trees:
    """Evaluates a tree by calling itself."""

    def reset(self) -> None: ...

    def step(self, action: dict[str, Any]) -> Any:
        if action.get("op") == "leaf":
            return action["value"] > 0
        return (
            [self.step(action[n]) for n in ("a",)],
            self.step(action["left"]),
            self.step(action["right"]),
        )


def test_what_calls_itself_is_read_once() -> None:
    found = ActionReader(named_environments).read(Trees.step, ["action"], None, Trees)
    assert found == {"op": TEXT, "value": NUMBER, "left": ANY_VALUE, "right": ANY_VALUE}


class Several:
    """Hands its action to methods of several kinds, two of one class's objects among them."""

    def __init__(self) -> None:
        self.first, self.second = Books(), Books()

    def reset(self) -> None: ...

    @classmethod
    def named(cls, action: dict[str, Any]) -> Any:
        return action.get("by_class")

    @staticmethod
    def plain(action: dict[str, Any]) -> Any:
        return action.get("by_none")

    def step(self, action: dict[str, Any]) -> Any:
        return self.named(action), self.plain(action), later(action), action["own"]


def around() -> Any:
    def step(self: Any, action: dict[str, Any]) -> Any:
        return missing(action), action["kept"]

    if step.__name__ == "":
        missing = step
    return step


def later(told: dict[str, Any]) -> Any:
    return told.get("by_function")


def test_methods_of_each_kind_are_followed() -> None:
    found = ActionReader(named_environments).read(Several.step, ["action"], None, Several)
    assert set(found) == {"by_class", "by_none", "by_function", "own"}


def test_what_has_no_source_or_no_value_yet_costs_nothing_else() -> None:
    assert set(ActionReader(named_environments).read(around(), ["action"], None, None)) == {"kept"}

    class Callable:
        def __call__(self, action: dict[str, Any]) -> None: ...

    assert ActionReader(named_environments).read(Callable(), ["action"], None, None) == {}


def test_a_schema_that_was_read_is_kept_apart_and_nothing_is_malformed_by_it() -> None:
    assert READ["$comment"] == READ_FROM_CODE
    schema = taken_by(Desk, {}).form.model_json_schema()
    assert set(schema["properties"]) >= {"tool", "amount"}
    assert not list(Space(schema).malformed())
    promised = {name: each for name, each in schema.items() if name != "$comment"}
    assert list(Space(promised).malformed())


class Grade(BaseModel):
    marks: list[Literal["pass", "fail"]]


@dataclasses.dataclass
class Order:
    items: list[int]
    size: Literal["small", "large"] = "small"


class Filled:
    """Fills a model, or a dataclass, with what it is sent; each in another way."""

    def named(self, action: dict[str, Any]) -> Any:
        from tests.env.worker.test_action_fields import Grade as Marked

        return Marked(marks=action.get("decisions"))

    def placed(self, action: dict[str, Any]) -> Any:
        return Order(action.get("decisions"), action.get("size"))  # type: ignore[arg-type]

    def whole(self, action: dict[str, Any]) -> Any:
        return Grade(**action)

    def validated(self, action: dict[str, Any]) -> Any:
        return Grade.model_validate(action["grade"])


MARKS = {"type": "array", "items": {"enum": ["pass", "fail"], "type": "string"}}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("named", ["decisions"]),
        ("whole", ["marks"]),
        ("validated", ["grade", "properties", "marks"]),
    ],
)
def test_what_fills_a_model_has_its_fields_schema(method: str, path: list[str]) -> None:
    step = getattr(Filled, method)
    found: Any = ActionReader(named_environments).read(step, ["action"], None, Filled)
    for name in path:
        found = found[name]
    assert found == {**MARKS, "title": "Marks"}


def test_what_fills_a_dataclass_in_its_place_has_its_fields_schema() -> None:
    found = ActionReader(named_environments).read(Filled.placed, ["action"], None, Filled)
    assert found["decisions"]["items"] == WHOLE
    assert found["size"]["enum"] == ["small", "large"]


@dataclasses.dataclass
class ToolCall:
    name: Any
    arguments: dict[str, Any]


def test_a_declared_type_that_says_less_than_the_code_does_is_left_out() -> None:
    def step(action: dict[str, Any]) -> Any:
        call = ToolCall(action["tool"], action["args"])
        return call, action["tool"] == "go", action["args"]["city"].upper()

    found = ActionReader(named_environments).read(step, ["action"], None, None)
    assert found["tool"] == TEXT
    assert found["args"]["properties"] == {"city": TEXT}
