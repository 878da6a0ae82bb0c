"""Models to probe: a tiny one made from scratch, chat models, and a server that answers as it is told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the train extra is not installed")

from gonogo.adapters.models import Speaker, make, save
from gonogo.adapters.vocabulary import train_tokenizer
from gonogo.config import ModelConfig

TEXTS = ['goal_east: -3\n{"move": "north"}'] * 20
TEMPLATE = (
    "{% for m in messages %}<|{{ 'user' if m.role == 'system' else m.role }}|>{{ m.content }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def speaker(context: int = 2048) -> Speaker:
    """A model of no sense."""
    shape = ModelConfig(
        hidden=32, intermediate=48, layers=2, heads=4, key_value_heads=2, vocabulary=300,
        context=context,
    )  # fmt: skip
    return make(shape, train_tokenizer(TEXTS, 300), seed=1)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model's folder as the train station leaves it, untrained."""
    folder = tmp_path_factory.mktemp("tiny") / "tiny"
    save(speaker(), folder)
    return folder


@pytest.fixture
def chat(tmp_path: Path) -> Callable[..., Path]:
    """Make a chat model's folder, as others than gonogo leave it."""

    def folder(template: str | None = TEMPLATE, pad: str = "<|pad|>", context: int = 2048) -> Path:
        made = speaker(context)
        made.tokenizer.chat_template = template
        made.tokenizer.pad_token = pad
        save(made, tmp_path / "chat")
        (tmp_path / "chat" / "gonogo_model.json").unlink()
        return tmp_path / "chat"

    return folder


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


@pytest.fixture
def served() -> Iterator[Answering]:
    """A running server; its ``answer`` is to be given."""
    server = Answering(("127.0.0.1", 0), Handler)
    server.asked = []
    server.answer = lambda _: '{"move": "stay"}'
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def address(served: Answering) -> str:
    """The server's base URL."""
    return f"http://127.0.0.1:{served.server_address[1]}/v1"
