"""Uploading with the hub's real client against a local server that answers as the hub does."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

PUSH = """
import sys
from pathlib import Path
from gonogo.models import hub
from gonogo.errors import Misuse
try:
    hub.check_access(sys.argv[1])
    print(hub.push(sys.argv[1], Path(sys.argv[2])))
except Misuse as error:
    sys.exit(f"{error}")
"""


class Hub(ThreadingHTTPServer):
    """Remembers what it was sent; knows one token."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.files: dict[str, bytes] = {}
        self.made: list[str] = []
        self.full = False


class Answer(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        if not self.path.endswith("/whoami-v2"):
            self.say({})
        elif self.headers.get("authorization") == "Bearer hf_known":
            self.say({"name": "someone", "type": "user"})
        else:
            self.say({"error": "Invalid username or password."}, 401)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path.endswith("/repos/create"):
            asked = json.loads(body)
            self.server.made.append(f"{asked['organization']}/{asked['name']}")
            self.say({"url": f"{self.server.url}/{self.server.made[-1]}"})
        elif "/preupload/" in self.path:
            files = json.loads(body)["files"]
            self.say({"files": [
                {"path": f["path"], "uploadMode": "regular", "shouldIgnore": False} for f in files
            ]})  # fmt: skip
        elif "/commit/" in self.path and self.server.full:
            self.say({"error": "the storage is full"}, 403)
        elif "/commit/" in self.path:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    value = line["value"]
                    self.server.files[value["path"]] = base64.b64decode(value["content"])
            where = f"{self.server.url}/{self.server.made[-1]}/commit/{'0' * 40}"
            self.say({"commitUrl": where, "commitOid": "0" * 40, "success": True})
        else:
            self.say({})

    def say(self, body: Any, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "trained_16bit"
    folder.mkdir()
    for name in ("README.md", "model.safetensors", "gonogo_witness.safetensors"):
        (folder / name).write_bytes(name.encode())
    return folder


def surroundings(home: Path, url: str, token: str | None) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if "proxy" not in k.lower() and k[:3] != "HF_"}
    given = {} if token is None else {"HF_TOKEN": token}
    return {**kept, **given, "HF_ENDPOINT": url, "HF_HOME": str(home), "OMP_NUM_THREADS": "1"}


def push(
    home: Path, url: str, token: str, repository: str, model: Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PUSH, repository, str(model)],
        env=surroundings(home, url, token), capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip


def test_a_model_and_its_card_arrive_and_the_witness_stays(
    hub: Hub, model: Path, tmp_path: Path
) -> None:
    done = push(tmp_path, hub.url, "hf_known", "someone/flyer", model)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"{hub.url}/someone/flyer"
    assert hub.made == ["someone/flyer"]
    assert hub.files == {
        "README.md": b"README.md",
        "model.safetensors": b"model.safetensors",
    }


def test_a_hub_that_takes_nothing_is_said_with_where_the_model_is(
    hub: Hub, model: Path, tmp_path: Path
) -> None:
    hub.full = True
    done = push(tmp_path, hub.url, "hf_known", "someone/flyer", model)
    assert done.returncode == 1 and f"did not take {model}" in done.stderr
    unknown = push(tmp_path, hub.url, "hf_other", "someone/flyer", model)
    assert unknown.returncode == 1 and "does not let us in" in unknown.stderr
    assert len(hub.made) == 1


@pytest.mark.parametrize(
    ("repository", "said"),
    [
        ("someone/flyer", "set HF_TOKEN, or run `hf auth login`"),
        ("some/one/flyer", "Repo id must be in the form"),
    ],
)
def test_without_a_token_or_a_name_training_does_not_start(
    repository: str, said: str, gridworld: Path, tmp_path: Path
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        f"target: {gridworld}\nout: {tmp_path / 'run'}\ntheme: {{required: false}}\n"
        "train: {validation: {tasks: {options: {}}}, curriculum: {stages: [{name: a, options: {}}]}, sft: {}}\n"
    )
    before = tmp_path / "run" / "models" / "trained" / "model.safetensors"
    before.parent.mkdir(parents=True)
    before.write_text("of another training")
    done = subprocess.run(
        [sys.executable, "-m", "gonogo", "train", "--restart", "--config", str(config), "--push", repository],
        env=surroundings(tmp_path, "http://127.0.0.1:9", None),
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode == 2 and said in done.stderr
    assert before.read_text() == "of another training"
