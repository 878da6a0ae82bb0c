"""A real server on a real port, and a raw WebSocket to it."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvicorn
from hypothesis import HealthCheck, settings
from websockets.sync.client import ClientConnection, connect

# A loaded machine is no finding.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


class Wire:
    """A WebSocket that speaks OpenEnv's messages, with nothing between the test and the wire."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    def raw(self, message: str | bytes) -> dict[str, Any]:
        self.socket.send(message)
        return json.loads(self.socket.recv(timeout=60))

    def ask(self, kind: str, data: object = None) -> dict[str, Any]:
        message = {"type": kind} if data is None else {"type": kind, "data": data}
        return self.raw(json.dumps(message))

    def reset(self, **options: object) -> dict[str, Any]:
        return _data(self.ask("reset", options), "observation")

    def step(self, **action: object) -> dict[str, Any]:
        return _data(self.ask("step", action), "observation")

    def state(self) -> dict[str, Any]:
        return _data(self.ask("state"), "state")


def _data(answer: dict[str, Any], kind: str) -> dict[str, Any]:
    assert answer["type"] == kind, answer
    return answer["data"]


def serve(app: Any) -> Iterator[str]:
    """Serve an application from a thread until the generator is closed; yields the base URL."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="warning", ws_ping_interval=None, lifespan="on")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=20)


@pytest.fixture
def serving() -> Callable[[Any], Iterator[str]]:
    """Serves any application; see `serve`."""
    return serve


@pytest.fixture(scope="session")
def base_url() -> Iterator[str]:
    from flightrules.server.app import build_app

    yield from serve(build_app({}))


@pytest.fixture
def fresh_url() -> Iterator[str]:
    """A server that holds no session yet, not even one about to close."""
    from flightrules.server.app import build_app

    yield from serve(build_app({}))


@pytest.fixture(scope="session")
def web_url() -> Iterator[str]:
    """The same server with the page at /web."""
    from flightrules.server.app import build_app

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENABLE_WEB_INTERFACE", "true")
        app = build_app({})
    yield from serve(app)


@pytest.fixture
def open_wire(base_url: str) -> Iterator[Callable[..., Wire]]:
    """Opens as many sessions as a test wants, and closes them after it."""
    sockets: list[ClientConnection] = []

    def open_one(http_url: str = base_url, path: str = "/ws") -> Wire:
        url = http_url.replace("http://", "ws://") + path
        sockets.append(connect(url, proxy=None, max_size=2**20, ping_interval=None))
        return Wire(sockets[-1])

    yield open_one
    for each in sockets:
        each.close()


@pytest.fixture
def wire(open_wire: Callable[[], Wire]) -> Wire:
    return open_wire()
