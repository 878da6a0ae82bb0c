"""What an OpenAPI document says of a server's routes, bodies and schemas."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from pydantic import BaseModel

from gonogo.env.worker.openapi import (
    SENT_AS_TEXT,
    action_of,
    find_routes,
    observation_of,
    options_of,
)
from gonogo.rollouts import space


class Move(BaseModel):
    to: int


class Wrapped(BaseModel):
    action: Move
    session_id: str | None = None


class Flat(BaseModel):
    action: str
    target: str | None = None
    episode_id: str | None = None


class Begin(BaseModel):
    task_id: str = "easy"
    seed: int | None = None


class Answer(BaseModel):
    observation: Move
    reward: float


def served(kind: Any, prefix: str = "") -> Any:
    """The routes of an app whose step takes a body of a kind."""
    app = FastAPI()

    @app.post(f"{prefix}/reset")
    def reset(begin: Begin | None = None, level: int = 1) -> Any: ...

    def step(body: Any) -> Answer: ...

    step.__annotations__["body"] = (
        kind  # an annotation is read where it stands, and the kind is known here only
    )
    app.post(f"{prefix}/step")(step)

    @app.get(f"{prefix}/state")
    def state() -> Any: ...

    return find_routes(app.openapi())


def test_a_wrapped_action_is_what_is_in_it() -> None:
    asked = action_of(served(Wrapped, "/api").step, frozenset())
    assert (asked.wrapper, list(asked.schema["properties"]), asked.is_free) == (
        "action",
        ["to"],
        False,
    )


def test_a_flat_action_is_the_body_without_what_names_the_session() -> None:
    asked = action_of(served(Flat).step, frozenset())
    assert (asked.wrapper, list(asked.schema["properties"])) == (None, ["action", "target"])
    assert asked.schema["required"] == ["action"]


def test_any_object_is_a_free_action() -> None:
    assert action_of(served(dict[str, Any]).step, frozenset()).is_free


def test_a_text_in_the_query_can_be_of_no_other_type() -> None:
    """FastAPI takes a plain parameter from the query, where whatever was sent is a text."""
    app = FastAPI()

    @app.post("/reset")
    def reset() -> None: ...

    @app.post("/step")
    def step(action: str, times: int = 1, note: str | None = None) -> None: ...

    schema = action_of(find_routes(app.openapi()).step, frozenset()).schema
    assert schema["$comment"] == SENT_AS_TEXT == space.SENT_AS_TEXT
    told = {rule for rule, _ in space.Space(schema).malformed()}
    assert "times: type" in told and "action missing" in told
    assert not told & {"action: type", "note: type"}
    body = {name: value for name, value in schema.items() if name != "$comment"}
    assert "action: type" in {rule for rule, _ in space.Space(body).malformed()}


def test_options_are_those_of_the_body_and_of_the_query() -> None:
    routes = served(Wrapped)
    told = {each["name"]: each["default"] for each in options_of(routes.reset)}
    assert told == {"level": 1, "task_id": "easy", "seed": None}
    assert list(observation_of(routes.step.answer)["properties"]) == ["to"]


def test_a_document_without_a_step_has_no_routes() -> None:
    app = FastAPI()

    @app.post("/reset")
    def reset(request: Request) -> Any: ...

    assert find_routes(app.openapi()) is None
    assert find_routes({}) is None
