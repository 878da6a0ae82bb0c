"""Every bad input of the issue over a real WebSocket: a clear answer, and the session survives."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

DRIFT = {"burn": "idle", "mode": "safe_hold", "coast_s": 60}


@pytest.fixture
def flying(wire: Any) -> Any:
    wire.reset(seed=1, level="detumble", episode_id="kept")
    wire.step(**DRIFT)
    return wire


def refusal(wire: Any, send: Callable[[], dict[str, Any]]) -> str:
    """Send something bad to a running episode; the message of the error. The episode must go on."""
    before = wire.state()
    answer = send()
    assert answer["type"] == "error", answer
    message = answer["data"]["message"]
    assert isinstance(message, str) and 0 < len(message) < 1000
    assert "Traceback" not in json.dumps(answer) and 'File \\"' not in json.dumps(answer)
    assert wire.state() == before
    assert wire.step(**DRIFT)["observation"]["decisions_left"] >= 0
    return message


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("fire!", "not JSON"),
        ('{"type": "step", "data": {"burn": "idle",}}', "not JSON"),
        (b'{"type": "state"}', "must be text"),
        ("[1, 2]", "must be a JSON object"),
        ("3", "must be a JSON object"),
        ("null", "must be a JSON object"),
        ('"step"', "must be a JSON object"),
        ("[" * 20_000 + "]" * 20_000, "nested too deeply"),
        ('{"type": "step", "data": {"coast_s": ' + "9" * 5_000 + "}}", "not JSON"),
        ('{"type": "step", "data": {"note": "\\ud800"}}', "not valid Unicode"),
        ('{"type": "reset", "data": {}, "\\ud800": 1}', "not valid Unicode"),
        ("{}", "type must be text"),
        ('{"type": ["step"]}', "type must be text"),
        ('{"type": "launch"}', "Unknown message type"),
        ('{"type": "state", "extra": 1}', "has the fields type and data"),
        ('{"type": "state", "data": {}}', "Invalid message"),
        ('{"type": "close", "data": 1}', "Invalid message"),
        ('{"type": "mcp"}', "JSON-RPC request must be a JSON object"),
        ('{"type": "mcp", "data": [1]}', "JSON-RPC request must be a JSON object"),
        ('{"type": "mcp", "data": {"jsonrpc": "2.0", "method": 1}}', "method"),
        ('{"type": "step"}', "action must be a JSON object"),
        ('{"type": "step", "data": [1]}', "action must be a JSON object"),
        ('{"type": "reset", "data": 7}', "reset options must be a JSON object"),
    ],
)
def test_a_malformed_message(flying: Any, message: str | bytes, said: str) -> None:
    assert said in refusal(flying, lambda: flying.raw(message))


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
@pytest.mark.parametrize("field", ["coast_s", "burn", "metadata"])
def test_nan_and_infinities(flying: Any, literal: str, field: str) -> None:
    message = f'{{"type": "step", "data": {{"{field}": {literal}}}}}'
    assert "number" in refusal(flying, lambda: flying.raw(message))


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({**DRIFT, "burn": 3}, "burn"),
        ({**DRIFT, "burn": "warp"}, "burn"),
        ({**DRIFT, "mode": None, "coast_s": "60"}, "coast_s"),
        ({**DRIFT, "coast_s": True}, "coast_s"),
        ({**DRIFT, "coast_s": 60.5}, "coast_s"),
        ({**DRIFT, "coast_s": 9}, "greater than or equal to 10"),
        ({**DRIFT, "coast_s": 10**30}, "coast_s"),
        ({**DRIFT, "note": "n" * 201}, "200"),
        ({**DRIFT, "throttle": 1}, "throttle"),
        ({"reply": ["idle"]}, "reply"),
        ({**DRIFT, "type": "call_tool"}, "type"),
    ],
)
def test_wrong_types_and_unknown_fields(flying: Any, action: dict[str, Any], said: str) -> None:
    assert said in refusal(flying, lambda: flying.ask("step", action))


@pytest.mark.parametrize(
    "data",
    [{"reply": "x" * 5_000_000}, {**DRIFT, "note": "x" * 5_000_000}, {"burn": "é" * 2_500_000}],
)
def test_five_megabytes(flying: Any, data: dict[str, Any]) -> None:
    assert "65536" in refusal(flying, lambda: flying.ask("step", data))


def test_step_before_reset(wire: Any) -> None:
    answer = wire.ask("step", DRIFT)
    assert answer["type"] == "error" and "call reset first" in answer["data"]["message"]
    assert wire.state()["step_count"] == 0
    assert wire.reset(seed=0)["done"] is False


def test_step_after_done(wire: Any) -> None:
    wire.reset(seed=0)
    result = {"done": False}
    while not result["done"]:
        result = wire.step(**{**DRIFT, "coast_s": 600})
    ended = wire.state()
    answer = wire.ask("step", DRIFT)
    assert answer["type"] == "error" and "has ended" in answer["data"]["message"]
    assert wire.state() == ended
    assert wire.reset(seed=0)["done"] is False


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seed": -1}, "seed must be an integer from 0"),
        ({"seed": "7"}, "seed must be an integer from 0"),
        ({"seed": True}, "seed must be an integer from 0"),
        ({"seed": 1.5}, "seed must be an integer from 0"),
        ({"seed": 2**63}, "seed must be an integer from 0"),
        ({"seed": [1]}, "seed must be an integer from 0"),
        ({"level": "moon"}, "level must be one of"),
        ({"level": 1}, "level must be one of"),
        ({"split": "secret", "index": 0}, "split must be one of"),
        ({"split": ["test"], "index": 0}, "split must be one of"),
        ({"split": "test", "index": -1}, "index in split test"),
        ({"split": "test", "index": 10**12}, "index in split test"),
        ({"split": "test", "index": "0"}, "index in split test"),
        ({"split": "test", "index": False}, "index in split test"),
        ({"split": "test"}, "together"),
        ({"index": 0}, "together"),
        ({"seed": 1, "split": "test", "index": 0}, "not both"),
        ({"seed": 1, "index": 0}, "not both"),
        ({"difficulty": 3}, "unknown reset option 'difficulty'"),
        ({"func": 1}, "unknown reset option 'func'"),
        ({"self": 1}, "unknown reset option 'self'"),
        ({"session_id": "x"}, "unknown reset option 'session_id'"),
        ({"unknown": {}}, "unknown reset option 'unknown'"),
        ({"episode_id": 5}, "episode_id must be text"),
        ({"episode_id": ""}, "episode_id must be text"),
        ({"episode_id": "x" * 256}, "episode_id must be text"),
        ({"horizon_s": 59}, "horizon_s must be an integer from 60 to 7200, got 59"),
        ({"horizon_s": True}, "horizon_s must be an integer from 60 to 7200, got True"),
        ({"directives": "2"}, "directives must be an integer of at least 1, got '2'"),
        ({"tightness": 9}, "tightness must be a number from 0.5 to 1.5, got 9"),
        ({"anomaly": "gremlin"}, "anomaly must be one of none, gyro_bias"),
        # Well-formed, and impossible: found out when the mission is generated.
        ({"seed": 1, "directives": 3}, "directives must be at most 2, as many as a detumble"),
        (
            {"split": "test", "index": 3, "horizon_s": 1000},
            "horizon_s must be longer than the window of every directive",
        ),
    ],
)
def test_reset_options(flying: Any, options: dict[str, Any], said: str) -> None:
    assert said in refusal(flying, lambda: flying.ask("reset", options))


def test_knobs_over_the_wire(wire: Any) -> None:
    seen = wire.reset(seed=1, level="mission_ops", directives=1, horizon_s=900, tightness=1)
    assert [item["id"] for item in seen["observation"]["directives"]] == ["D1"]
    result = wire.step(**{**DRIFT, "coast_s": 600})
    result = wire.step(**{**DRIFT, "coast_s": 600})
    assert (result["done"], result["observation"]["clock_s"]) == (True, 900)


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({}, "missing burn, mode, coast_s"),
        ({"burn": "idle", "mode": "hold"}, "missing coast_s"),
        ({**DRIFT, "reply": "{}"}, "not both"),
        ({"note": "hi", "reply": "{}"}, "not both"),
        ({"reply": ""}, "empty reply"),
        ({"reply": "I would fire the roll thruster."}, "not JSON"),
        ({"reply": json.dumps(DRIFT) + json.dumps(DRIFT)}, "not JSON"),
        ({"reply": "[" * 10_000}, "not JSON"),
        ({"reply": json.dumps({**DRIFT, "coast_s": float("nan")})}, "NaN"),
        ({"reply": json.dumps({**DRIFT, "success": True})}, "unknown field"),
        ({"burn": "roll+large", "mode": "trim", "coast_s": 60}, "mode trim allows small"),
    ],
)
def test_an_unusable_decision_costs_one_and_says_why(
    flying: Any, action: dict[str, Any], said: str
) -> None:
    left = flying.step(**DRIFT)["observation"]["decisions_left"]
    answer = flying.step(**action)
    assert said in answer["observation"]["last_command"]
    assert said in answer["observation"]["text"]
    assert answer["observation"]["decisions_left"] == left - 1
    assert answer["reward"] == 0.0 and answer["done"] is False


def test_a_mcp_message_is_answered(flying: Any) -> None:
    answer = flying.ask("mcp", {"jsonrpc": "2.0", "method": "tools/list", "id": 1})
    assert answer["type"] == "mcp"
    assert flying.step(**DRIFT)["done"] is False


@pytest.mark.parametrize("session", [[1], {"x": 1}, 7, "x" * 60_000])
def test_a_mcp_message_that_names_no_session(flying: Any, session: object) -> None:
    call = {"jsonrpc": "2.0", "method": "openenv/session/close", "params": {"session_id": session}}
    assert "session_id" in refusal(flying, lambda: flying.ask("mcp", call))


@pytest.mark.parametrize(
    "message",
    [
        "[1]",
        "7",
        "null",
        "{",
        b"{}",
        "[" * 20_000,
        '{"jsonrpc": "2.0", "method": "tools/list", "id": NaN}',
        '{"jsonrpc": "2.0", "method": "tools/list", "id": "\\ud800"}',
        '{"jsonrpc": "2.0", "method": "tools/list", "id": ' + "9" * 5_000 + "}",
        '{"jsonrpc": "2.0", "method": ["tools/list"]}',
        '{"jsonrpc": "2.0", "method": "tools/list", "params": {"session_id": [1]}}',
        '{"jsonrpc": "2.0", "method": "' + "x" * 5_000_000 + '"}',
    ],
    ids=lambda message: repr(message[:50]),
)
def test_a_malformed_frame_on_the_mcp_socket(
    open_wire: Callable[..., Any], base_url: str, message: str | bytes
) -> None:
    """It is answered in JSON-RPC, and the session lives on."""
    wire = open_wire(base_url, "/mcp")
    answer = wire.raw(message)
    assert answer["error"]["code"] in (-32700, -32600)
    assert 0 < len(answer["error"]["message"]) < 1000
    sound = {"jsonrpc": "2.0", "method": "openenv/session/create", "id": 2}
    session = wire.raw(json.dumps(sound))["result"]["session_id"]
    assert wire.raw(message)["error"]
    assert wire.raw(json.dumps(sound))["result"]["session_id"] == session
