from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from flightrules.errors import ConfigurationError
from flightrules.server.app import build_app, idle_limit_s, max_sessions

DRIFT = {"burn": "idle", "mode": "safe_hold", "coast_s": 60}


def test_64_sessions_unless_set() -> None:
    assert max_sessions({}) == 64
    assert max_sessions({"MAX_CONCURRENT_ENVS": "3"}) == 3


@pytest.mark.parametrize("given", ["", "0", "-1", "many", "1.5", "²"])
def test_a_setting_that_cannot_work_is_refused(given: str) -> None:
    with pytest.raises(ConfigurationError, match="whole number of at least 1"):
        max_sessions({"MAX_CONCURRENT_ENVS": given})


def test_one_session_too_many_is_told_so(open_wire: Callable[..., Any], fresh_url: str) -> None:
    wires = [open_wire(fresh_url) for _ in range(64)]
    assert all(wire.state()["step_count"] == 0 for wire in wires)
    # The server speaks first and closes: a question could meet a socket that is closed already.
    answer = json.loads(open_wire(fresh_url).socket.recv(timeout=60))
    assert answer["data"]["code"] == "CAPACITY_REACHED"
    assert wires[0].reset(seed=1)["done"] is False


@pytest.mark.parametrize("given", ["", "0", "-1", "nan", "inf", "an hour"])
def test_an_idle_limit_that_cannot_work_is_refused(given: str) -> None:
    with pytest.raises(ConfigurationError, match="FLIGHTRULES_IDLE_S must be a number of seconds"):
        idle_limit_s({"FLIGHTRULES_IDLE_S": given})


@pytest.fixture
def hasty_url(serving: Callable[..., Any]) -> Iterator[str]:
    """A server of two sessions, which it ends after two seconds without use."""
    yield from serving(build_app({"MAX_CONCURRENT_ENVS": "2", "FLIGHTRULES_IDLE_S": "2"}))


def test_an_idle_socket_is_closed_with_a_reason_and_frees_its_session(
    open_wire: Callable[..., Any], hasty_url: str
) -> None:
    used, idle = open_wire(hasty_url), open_wire(hasty_url)
    used.reset(seed=1), idle.reset(seed=1)
    for _ in range(7):
        time.sleep(0.4)
        used.step(**DRIFT)
        with contextlib.suppress(ConnectionClosed):
            idle.state()  # to look at the state is no use of a session
    with pytest.raises(ConnectionClosed) as closed:
        idle.socket.recv(timeout=10)
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, "idle for 2 s" in closed.value.rcvd.reason) == (1001, True)
    assert open_wire(hasty_url).reset(seed=1)["done"] is False
    assert used.state()["step_count"] == 7


def test_sessions_made_over_mcp_and_never_closed_free_their_slots(
    open_wire: Callable[..., Any], hasty_url: str
) -> None:
    create = {"jsonrpc": "2.0", "method": "openenv/session/create", "id": 1}

    def ask() -> Any:
        return httpx.post(hasty_url + "/mcp", json=create, trust_env=False).json()

    assert all("result" in ask() for _ in range(2))
    assert "error" in ask()
    deadline = time.monotonic() + 60
    while "error" in ask():
        assert time.monotonic() < deadline, "the sessions were never ended"
        time.sleep(0.25)
    assert open_wire(hasty_url).reset(seed=1)["done"] is False


def test_the_server_says_how_to_use_it() -> None:
    command = [sys.executable, "-m", "flightrules.server.app", "--help"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "--port" in answer.stdout
