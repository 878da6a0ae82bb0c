"""What a server says over HTTP: a route that is not there or answers nonsense is an answer too."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from gonogo.env.environment import connect
from gonogo.env.http import answers, as_object, describe_server, fetch_schemas, objects_in
from gonogo.env.target import UrlTarget, resolve, resolve_url
from gonogo.errors import EnvironmentTimeout, TargetError

Serve = Callable[..., str]
Routes = dict[str, Any]
SCHEMAS = {"action": {"type": "object"}, "observation": {"x": 1}, "state": [1]}


class Routed(BaseHTTPRequestHandler):
    """Answers each route with what is given for it; a function is asked with the body."""

    routes: Routes

    def do_GET(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
        said = self.routes.get(self.path)
        if callable(said):
            said = said(body)
        self.send_response(404 if said is None else 200)
        self.end_headers()
        self.wfile.write(said if isinstance(said, bytes) else json.dumps(said).encode())

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def target() -> Iterator[tuple[UrlTarget, Routes]]:
    """A server, and its routes to be filled in."""
    routes: Routes = {}
    handler = type("Here", (Routed,), {"routes": routes})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield resolve_url(f"http://127.0.0.1:{server.server_address[1]}"), routes
        server.shutdown()


def test_schemas_are_objects_and_there_is_one_of_the_action(
    target: tuple[UrlTarget, Routes],
) -> None:
    where, routes = target
    with pytest.raises(TargetError, match="gives no schemas; is an OpenEnv server there"):
        fetch_schemas(where, 5)
    for nothing in ([], {"observation": {"x": 1}}, {"action": {}}):
        routes["/schema"] = nothing
        with pytest.raises(TargetError, match="no action schema"):
            fetch_schemas(where, 5)
    routes["/schema"] = SCHEMAS
    found = fetch_schemas(where, 5)
    assert (found.action, found.observation, found.state) == ({"type": "object"}, {"x": 1}, {})


def test_a_server_that_does_not_answer_in_time_is_told_from_none() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = resolve_url(f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(EnvironmentTimeout, match=r"no answer within 0\.1 s"):
            fetch_schemas(where, 0.1)
        assert not answers(where, "/health", 0.1)


def test_an_error_and_nonsense_are_answers_of_a_server_that_is_there(
    target: tuple[UrlTarget, Routes],
) -> None:
    where, routes = target
    routes["/broken"] = b"{"
    assert answers(where, "/nowhere", 5) and answers(where, "/broken", 5)


def test_a_server_that_says_nothing_leaves_everything_unknown_with_the_reason(
    target: tuple[UrlTarget, Routes],
) -> None:
    where, routes = target
    routes["/metadata"] = b"no json"
    told = describe_server(where, 5)
    assert (told.metadata, told.reset_observation, told.task_api) == (None, None, None)
    assert told.tools == ()
    assert told.problems.keys() == {"/metadata", "/schema", "/mcp", "/list_environments"}
    assert "404" in told.problems["/schema"]


def test_tools_and_the_task_api_are_asked_route_by_route(
    target: tuple[UrlTarget, Routes],
) -> None:
    where, routes = target
    tool = {"name": "say", "description": "d", "inputSchema": {"type": "object"}}
    numbers = {"train": 3}
    routes |= {
        "/metadata": {"name": "desk"},
        "/schema": {**SCHEMAS, "reset_observation": {"y": 2}},
        "/mcp": {"result": {"tools": [tool, "odd"]}},
        "/list_environments": ["my desk"],
        "/my%20desk/splits": [{"name": "train"}, 7],
        "/my%20desk/num_tasks": lambda body: {"num_tasks": numbers.get(body["split"])},
        "/my%20desk/task_range": lambda body: {
            "tasks": [{"index": n} for n in range(body["stop"])]
        },
    }
    told = describe_server(where, 5)
    assert told.metadata == {"name": "desk"} and told.reset_observation == {"y": 2}
    assert told.tools == ({"name": "say", "description": "d", "input_schema": {"type": "object"}},)
    assert told.task_api is not None
    (split,) = told.task_api.splits
    assert (split.name, split.num_tasks, len(split.preview)) == ("train", 3, 64)
    unknown, negative = told.task_api.answers.unknown_split, told.task_api.answers.negative_index
    assert unknown is not None and (unknown.status, unknown.said) == (200, {"num_tasks": None})
    assert negative is not None and negative.status == 404
    assert told.problems == {}


def test_anything_else_is_no_object_and_holds_none() -> None:
    assert as_object([1]) == {} and as_object({"a": 1}) == {"a": 1}
    assert objects_in([{"a": 1}, 2, None]) == [{"a": 1}] and objects_in("text") == []


def test_over_a_url_http_is_what_can_be_seen(gridworld: Path, serve: Serve) -> None:
    connection = connect(resolve(serve(gridworld)), 1)
    try:
        described = connection.describe()
        assert described.metadata is not None
        assert described.metadata["name"] == "GridEnvironment"
        assert (described.reset, described.code, described.rubric) == (None, None, None)
        assert described.task_api is None
        assert connection.raw([0]) == {0: None}
    finally:
        connection.close()
