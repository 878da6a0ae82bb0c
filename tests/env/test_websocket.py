"""The WebSocket transport, against real uvicorn servers."""

from __future__ import annotations

import http.server
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gonogo.config import RolloutConfig
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.env.websocket import WebSocketConnection
from gonogo.errors import EnvironmentFailure, EnvironmentTimeout, Misuse, TargetError
from gonogo.rollouts.types import Connection, Failure, Transition

Serve = Callable[..., str]


@pytest.fixture(scope="module")
def rogue_url(serve: Serve, rogue: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The rogue imports itself as ``rogue``, as an installed project does."""
    path = tmp_path_factory.mktemp("installed")
    (path / "rogue").symlink_to(rogue)
    return serve(rogue, path=path)


@pytest.fixture
def rogues(rogue_url: str) -> Iterator[WebSocketConnection]:
    connection = connect(resolve(rogue_url), 2, RolloutConfig(timeout_s=5))
    assert isinstance(connection, WebSocketConnection)
    yield connection
    connection.close()


def play(connection: Connection, trick: str, words: list[str]) -> list[Transition | Failure]:
    """Reset slot 1 with a trick and say the words; a good episode stands in slot 0 beside it."""
    connection.reset({0: {}})
    out = [connection.reset({1: {"trick": trick}})[1]]
    out += [connection.step({0: {"word": "good"}, 1: {"word": word}})[1] for word in words]
    return out


def test_the_capacity_is_what_the_server_grants(serve: Serve, gridworld: Path) -> None:
    url = serve(gridworld)
    connection = connect(resolve(url), 20)
    try:
        assert connection.capacity == 8
        with pytest.raises(EnvironmentFailure, match="grants no session"):
            connect(resolve(url), 1)
    finally:
        connection.close()
        connection.close()


def test_a_refusal_names_field_and_rule(rogues: WebSocketConnection) -> None:
    first, refused = play(rogues, "", [{"a": 1}])  # type: ignore[list-item]
    assert isinstance(first, Transition)
    assert refused == Transition(
        first.observation,
        None,
        False,
        refusal="word: Input should be a valid string (got {'a': 1})",
    )


def test_an_exception_in_step_is_a_refusal(rogues: WebSocketConnection) -> None:
    answer = play(rogues, "raise", ["a", "b"])[-1]
    assert isinstance(answer, Transition)
    assert answer.refusal == "step went wrong"


def test_an_exception_in_reset_is_a_failure(rogues: WebSocketConnection) -> None:
    assert play(rogues, "raise in reset", []) == [Failure("reset raised: no start today")]


def test_a_dropped_socket_costs_its_slot_until_the_next_reset(rogues: WebSocketConnection) -> None:
    *_, lost, after = play(rogues, "", ["a", "forbidden", "b"])
    assert isinstance(lost, Failure)
    assert "ended the session" in lost.message
    assert after == lost
    assert isinstance(rogues.step({0: {"word": "fine"}})[0], Transition)
    assert isinstance(rogues.state([1])[1], Failure)
    assert isinstance(rogues.reset({1: {}})[1], Transition)
    assert isinstance(rogues.step({1: {"word": "fine"}})[1], Transition)


@pytest.mark.parametrize(
    ("trick", "said"),
    [
        ("reset", "episode_id changed"),
        ("rewind", "step_count stayed at 1"),
    ],
)
def test_a_silent_reset_is_a_failure(rogues: WebSocketConnection, trick: str, said: str) -> None:
    lost = play(rogues, trick, ["a", "b"])[-1]
    assert isinstance(lost, Failure)
    assert said in lost.message


def test_a_hang_costs_its_slot_only(rogue_url: str) -> None:
    connection = connect(resolve(rogue_url), 2, RolloutConfig(timeout_s=1.0))
    try:
        connection.reset({0: {}, 1: {"trick": "hang"}})
        connection.step({0: {"word": "a"}, 1: {"word": "a"}})
        answers = connection.step({0: {"word": "b"}, 1: {"word": "b"}})
        assert isinstance(answers[0], Transition)
        assert answers[1] == Failure("no answer within 1 s")
        assert isinstance(connection.step({0: {"word": "c"}})[0], Transition)
    finally:
        connection.close()


def test_making_an_instance_is_part_of_the_start_and_not_of_a_step(
    serve_class: Callable[[str], str],
) -> None:
    url = serve_class("tests.zoo.single:Sleeper")
    connection = connect(resolve(url), 2, RolloutConfig(timeout_s=1))
    try:
        assert connection.renew([0]) == {0: None}
        assert isinstance(connection.reset({0: {}})[0], Transition)
        assert isinstance(connection.step({0: {"add": 1}})[0], Transition)
    finally:
        connection.close()
    with pytest.raises(EnvironmentTimeout, match=r"within 0\.8 s; if .* give --startup-s"):
        connect(resolve(url), 1, RolloutConfig(startup_s=0.8))


def test_a_server_that_does_not_answer_names_the_flag() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(EnvironmentTimeout, match=r"within 0\.5 s; if .* give --startup-s"):
            connect(resolve(url), 1, RolloutConfig(startup_s=0.5))


def test_nothing_at_the_url() -> None:
    with pytest.raises(TargetError, match="nothing answers at http:"):
        connect(resolve("http://127.0.0.1:9"), 1, RolloutConfig(startup_s=2))


def test_another_server_at_the_url() -> None:
    class Hello(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"hello": "world"}')

    with socketserver.TCPServer(("127.0.0.1", 0), Hello) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(TargetError, match="does not answer as OpenEnv does"):
            connect(resolve(f"http://127.0.0.1:{server.server_address[1]}"), 1)
        server.shutdown()


def test_slots_must_be_positive() -> None:
    with pytest.raises(Misuse, match="at least 1, not 0"):
        connect(resolve("http://127.0.0.1:9"), 0)
