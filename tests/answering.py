"""A server of chat completions that answers as a test tells it; the fixture ``served`` runs one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Answering(ThreadingHTTPServer):
    """A server of chat completions whose answers a test gives."""

    answer: Callable[[dict[str, Any]], bytes | str]
    asked: list[dict[str, Any]]
    models = ("served",)
    seconds = 0.0

    def handle_error(self, *_: Any) -> None:
        """Who was too slow finds nobody there any more."""


class Handler(BaseHTTPRequestHandler):
    """Answers as the server is told."""

    server: Answering

    def do_GET(self) -> None:
        self.send(json.dumps({"data": [{"id": name} for name in self.server.models]}).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append({**body, "authorization": self.headers.get("Authorization")})
        time.sleep(self.server.seconds)
        said = self.server.answer(body)
        if isinstance(said, bytes):
            self.send(said)
            return
        usage = {"prompt_tokens": 10 * len(body["messages"]), "completion_tokens": 5}
        answer = {"choices": [{"message": {"role": "assistant", "content": said}}], "usage": usage}
        self.send(json.dumps(answer).encode())

    def send(self, body: bytes) -> None:
        status = 200
        if body.startswith(b"!"):  # a test's way to say: this status
            status, body = int(body[1:4]), body[4:]
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass
