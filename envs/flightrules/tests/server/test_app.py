from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from flightrules.errors import ConfigurationError
from flightrules.server.app import max_sessions


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


def test_the_server_says_how_to_use_it() -> None:
    command = [sys.executable, "-m", "flightrules.server.app", "--help"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "--port" in answer.stdout
