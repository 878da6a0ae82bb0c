"""A chat model to be loaded, what it is told, and a socket that answers."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.types import Connection


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chat model's folder."""
    from tests.training.small_trainings import chat_folder

    return chat_folder(tmp_path_factory.mktemp("hub") / "chat")


@pytest.fixture(scope="module")
def codec(grid: Connection) -> Codec:
    return Codec(grid.schemas.action, grid.schemas.observation)


@pytest.fixture(scope="module")
def told(codec: Codec) -> str:
    """What it is told before the first observation."""
    return codec.instructions()


@pytest.fixture
def wire() -> Iterator[Callable[[bytes], tuple[str, list[bytes]]]]:
    """A socket that takes each request and answers the given bytes; gives its URL and what came in."""
    listening: list[socket.socket] = []

    def start(answer: bytes) -> tuple[str, list[bytes]]:
        server = socket.create_server(("127.0.0.1", 0))
        listening.append(server)
        asked: list[bytes] = []

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    asked.append(client.recv(65536))
                    client.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        return f"http://127.0.0.1:{server.getsockname()[1]}/v1", asked

    yield start
    for server in listening:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
