"""Commands that are run to their end, and servers that are waited for."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from gonogo.errors import ImageFailure
from gonogo.submission.image_commands import TAIL_CHARS, asked, free_port, healthy


def python(code: str, timeout_s: float = 30.0) -> str:
    return asked([sys.executable, "-c", code], timeout_s, "the command")


def test_what_a_command_prints_is_given() -> None:
    assert python("print('well')") == "well\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; print('out'); sys.exit('it is broken')", "the command failed: it is broken$"),
        ("print('said aloud'); raise SystemExit(3)", "the command failed: said aloud$"),
        (f"raise SystemExit('a' * {3 * TAIL_CHARS})", f"failed: a{{1,{TAIL_CHARS}}}$"),
    ],
)
def test_a_command_that_fails_is_told_by_its_last_words(code: str, said: str) -> None:
    with pytest.raises(ImageFailure, match=said):
        python(code)


def test_a_command_that_takes_too_long_is_ended() -> None:
    with pytest.raises(ImageFailure, match=r"the command did not end within 0\.3 s"):
        python("import time; time.sleep(60)", timeout_s=0.3)


def test_a_free_port_can_be_listened_on() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", free_port()))
        server.listen()


class Well(BaseHTTPRequestHandler):
    """A server that is healthy under one path."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture
def url() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Well)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_server_is_healthy_once_it_answers(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # no proxy knows what is here
    assert healthy(url, 20.0, lambda: False)
    assert not healthy(f"{url}/elsewhere", 0.5, lambda: False)


def test_who_has_ended_is_not_waited_for() -> None:
    began = time.monotonic()
    assert not healthy(f"http://127.0.0.1:{free_port()}", 60.0, lambda: True)
    assert time.monotonic() - began < 30
