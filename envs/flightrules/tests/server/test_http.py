"""The same over HTTP: 4xx with the reason, never 500."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

DRIFT = {"burn": "idle", "mode": "safe_hold", "coast_s": 60}


def post(base_url: str, path: str, body: object) -> httpx.Response:
    content = body if isinstance(body, str | bytes) else json.dumps(body)
    return httpx.post(
        base_url + path,
        content=content,
        headers={"content-type": "application/json"},
        timeout=60,
        trust_env=False,
    )


@pytest.mark.parametrize(
    "path", ["/reset", "/step", "/flightrules/task", "/flightrules/tasks", "/mcp"]
)
@pytest.mark.parametrize(
    "body",
    [
        "{",
        "[1]",
        "7",
        '{"seed": NaN, "action": {"coast_s": NaN}, "id": NaN}',
        '{"seed": 1e999, "timeout_s": -1e999}',
        '{"seed": ' + "9" * 5_000 + "}",
        '{"\\ud800": 1}',
        b"\xff\xfe",
        "[" * 20_000,
        '{"x": "' + "x" * 5_000_000 + '"}',
    ],
    ids=lambda body: repr(body[:20]),
)
def test_a_malformed_body(base_url: str, path: str, body: str | bytes) -> None:
    answer = post(base_url, path, body)
    assert 400 <= answer.status_code < 500
    assert len(answer.text) < 1000 and "Traceback" not in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/FlightRules/task",
        "/FLIGHTRULES/tasks",
        "/flightrules/%74ask",
        "/%72eset",
        "/%2e/step",
        "/mcp/",
        "/flightrules/num_tasks/",
        "/elsewhere/task_range",
        "/Reset",
        "/health",
        "/nowhere",
    ],
)
@pytest.mark.parametrize(
    "body",
    [
        '{"split": NaN, "index": NaN, "seed": NaN, "action": NaN}',
        "[" * 20_000,
        b"\xff\xfe",
        '{"split": "' + "x" * 50_000_000 + '"}',
    ],
    ids=["nan", "deep", "bytes", "50 MB"],
)
def test_a_malformed_body_however_the_path_is_spelt(
    base_url: str, path: str, body: str | bytes
) -> None:
    answer = post(base_url, path, body)
    assert 400 <= answer.status_code < 500
    assert len(answer.text) < 1000 and "xxxx" not in answer.text


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_of_another_type_is_not_echoed(base_url: str, content_type: str) -> None:
    for path in ("/reset", "/step", "/flightrules/task", "/mcp"):
        answer = httpx.post(
            base_url + path,
            content=json.dumps({"action": DRIFT, "split": "test", "index": 0, "secret": "x" * 999}),
            headers={"content-type": content_type},
            trust_env=False,
        )
        assert 400 <= answer.status_code < 500 and "xxxx" not in answer.text


def test_a_long_path_is_refused_and_not_echoed(base_url: str) -> None:
    answer = post(base_url, "/" + "x" * 20_000 + "/task", {"split": "test", "index": 0})
    assert (answer.status_code, "xxxx" in answer.text) == (414, False)


RPC = {"jsonrpc": "2.0", "method": "openenv/session/close", "id": 1}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({**RPC, "params": {"session_id": ["x"]}}, "session_id must be text"),
        ({**RPC, "params": {"session_id": {"x": 1}}}, "session_id must be text"),
        ({**RPC, "method": "tools/list", "params": {"session_id": [1]}}, "session_id must be text"),
        ({**RPC, "params": {"session_id": 7}}, "session_id must be text"),
        ({**RPC, "params": [1]}, "params"),
        ({**RPC, "method": ["tools/list"]}, "method"),
        ({**RPC, "method": "x" * 60_000}, "method may be 255 characters"),
        ({**RPC, "params": {"session_id": "x" * 60_000}}, "session_id may be 255 characters"),
        ({**RPC, "id": "x" * 60_000}, "id may be 255 characters"),
        ({**RPC, "id": 10**4000}, "id may be 255 characters"),
        ({**RPC, "id": True}, "id"),
        ({**RPC, "extra": "x" * 60_000}, "extra"),
        ({"method": "tools/list"}, "jsonrpc"),
    ],
)
def test_a_json_rpc_request_of_wrong_types(base_url: str, body: Any, said: str) -> None:
    answer = post(base_url, "/mcp", body)
    assert (answer.status_code, said in answer.json()["detail"]) == (422, True), answer.text
    assert len(answer.text) < 1000


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/reset", {"seed": -1}, 422, "seed must be an integer"),
        ("/reset", {"seed": "7"}, 422, "seed must be an integer"),
        ("/reset", {"seed": True}, 422, "seed must be an integer"),
        ("/reset", {"level": "moon"}, 422, "level must be one of"),
        ("/reset", {"split": "secret", "index": 0}, 422, "split must be one of"),
        ("/reset", {"split": "test", "index": -1}, 422, "index in split test"),
        ("/reset", {"difficulty": 1}, 422, "unknown reset option"),
        ("/step", {"action": DRIFT}, 409, "call reset first"),
        ("/step", {}, 422, "action must be a JSON object"),
        ("/step", {"action": 5}, 422, "action must be a JSON object"),
        ("/step", {"action": {"burn": "warp"}}, 422, "invalid action: burn"),
        ("/step", {"action": {"throttle": 1}}, 422, "throttle"),
        ("/step", {"action": DRIFT, "timeout_s": "soon"}, 422, "timeout_s"),
        ("/flightrules/num_tasks", {"split": "secret"}, 422, "split must be one of"),
        ("/flightrules/tasks", {"split": "secret"}, 422, "split must be one of"),
        ("/flightrules/task", {"split": "test", "index": -1}, 400, "index"),
        ("/flightrules/task", {"split": "test", "index": 10**12}, 400, "index"),
        ("/flightrules/task_range", {"split": "test", "start": -5, "stop": 2}, 400, "index"),
        ("/flightrules/task_range", {"split": "test"}, 422, "a range may hold"),
        ("/FlightRules/task", {"split": "test", "index": "0"}, 422, "index must be an integer"),
        ("/flightrules/task", {"split": "test", "index": True}, 422, "index must be an integer"),
        ("/flightrules/task", {"split": ["test"], "index": 0}, 422, "split must be text"),
        ("/flightrules/task", {"split": "test"}, 422, "index"),
        ("/flightrules/task_range", {"split": "test", "stop": 2.0}, 422, "stop must be an integer"),
        ("/elsewhere/task", {"split": "test", "index": 0}, 404, "unknown environment"),
    ],
)
def test_a_request_that_cannot_be_met(
    base_url: str, path: str, body: Any, status: int, said: str
) -> None:
    answer = post(base_url, path, body)
    assert (answer.status_code, said in answer.text) == (status, True), answer.text


def test_reset_without_a_body(base_url: str) -> None:
    answer = httpx.post(base_url + "/reset", timeout=60, trust_env=False)
    assert answer.status_code == 200
    assert answer.json()["done"] is False


def test_the_task_api(base_url: str) -> None:
    splits = httpx.get(base_url + "/flightrules/splits", trust_env=False).json()
    assert {"name": "train", "type": "train"} in splits
    count = post(base_url, "/flightrules/num_tasks", {"split": "test"}).json()["num_tasks"]
    assert count >= 200
    shown = post(base_url, "/flightrules/tasks", {"split": "test"}).json()["tasks"]
    assert 0 < len(shown) <= count
    last = post(base_url, "/flightrules/task", {"split": "test", "index": count - 1}).json()["task"]
    assert last["index"] == count - 1
    task = post(base_url, "/flightrules/task", {"split": "test", "index": 1}).json()["task"]
    ranged = post(base_url, "/flightrules/task_range", {"split": "test", "start": 1, "stop": 3})
    assert ranged.json()["tasks"][0] == task == shown[1]


def test_the_level_of_a_task_is_the_one_it_flies(base_url: str, wire: Any) -> None:
    for index in (0, 1):
        body = {"split": "validation", "index": index}
        task = post(base_url, "/flightrules/task", body).json()["task"]
        wire.reset(**body)
        state = wire.state()
        assert (state["level"], state["split"]) == (task["level"], "validation")


def test_schema_metadata_health_state(base_url: str) -> None:
    for path in ("/schema", "/metadata", "/health", "/state"):
        assert httpx.get(base_url + path, trust_env=False).status_code == 200
