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
from huggingface_hub import ModelCard
from tests.records_made import (
    estimate,
    evaluation_report,
    policy_result,
    saved_model,
    training_report,
)

from gonogo.errors import MissingRecord
from gonogo.models.hub import refresh_cards, write_card
from gonogo.records.provenance import tree_hash
from gonogo.records.record import Verdict

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


CONFIG = {
    "target": "envs/x",
    "model": {"pretrained": None},
    "rollout": {"slots": 8},
    "train": {"micro_batch": 4},
    "reward": None,
    "seed": 7,
}


def run_of(folder: Path, *names: str, pretrained: str | None = None, **given: object) -> Path:
    """A run whose training has ended, with a model's folder of each name."""
    for name in names:
        model = folder / "models" / name
        model.mkdir(parents=True)
        (model / "model.safetensors").write_text(name)
    saved = tuple(saved_model(model=f"models/{name}") for name in names)
    config = {**CONFIG, "model": {"pretrained": pretrained}}
    training_report(config=config, saved=saved, **given).save(folder)
    return folder


def card(run: Path, name: str) -> ModelCard:
    return ModelCard.load(run / "models" / name / "README.md")


def test_a_model_that_was_not_evaluated_says_so(tmp_path: Path) -> None:
    run = run_of(tmp_path, "trained")
    write_card(run, run / "models" / "trained")
    said = card(run, "trained")
    assert said.data.eval_results is None and "have not been evaluated" in said.text
    assert said.data.tags == ["gonogo", "openenv", "reinforcement-learning", "grpo"]
    assert (said.data.library_name, said.data.base_model) == ("transformers", None)
    assert "made from scratch" in said.text and "micro_batch: 4" in said.text
    assert "differ from those in training by 1e-07 of their spread" in said.text


def test_figures_are_those_of_the_evaluation_that_flew_these_weights(tmp_path: Path) -> None:
    run = run_of(tmp_path, "trained", "trained_16bit")
    policies = {
        "idle": policy_result(estimate(0.1)),
        "trained": policy_result(
            estimate(0.75),
            model_hash=tree_hash(run / "models" / "trained"),
            decoding="greedy",
        ),
    }
    evaluation_report(policies, verdict=Verdict.NO_GO, reason="too close").save(run)
    refresh_cards(run)
    for name in ("trained", "trained_16bit"):
        said = card(run, name)
        told = {each.metric_name: each.metric_value for each in said.data.eval_results}
        assert told == {"score, greedy": 0.75, "success, greedy": 0.75}
        assert "| **trained** |" in said.text and "| idle |" in said.text
        assert ": no improvement is shown: too close." in said.text
        rounded = "weights before they were rounded to 16 bit" in said.text
        assert rounded == (name == "trained_16bit")
    (run / "models" / "trained" / "model.safetensors").write_text("other weights")
    refresh_cards(run)
    assert card(run, "trained").data.eval_results is None


def test_an_adapter_says_what_it_belongs_to_and_under_which_licence(tmp_path: Path) -> None:
    run = run_of(tmp_path, "trained", pretrained="Qwen/Qwen2.5-7B-Instruct")
    (run / "models" / "trained" / "adapter_config.json").write_text("{}")
    write_card(run, run / "models" / "trained")
    said = card(run, "trained").data
    assert (said.base_model, said.library_name) == ("Qwen/Qwen2.5-7B-Instruct", "peft")
    assert said.license == "apache-2.0"
    base = tmp_path / "base"
    base.mkdir()
    (base / "README.md").write_text("---\nlicense: mit\n---\nHello.\n")
    local = run_of(tmp_path / "local", "trained", pretrained=str(base))
    write_card(local, local / "models" / "trained")
    told = card(local, "trained").data
    assert (told.base_model, told.license) == (None, "mit")  # a folder is nobody else's


def test_without_a_training_there_is_no_card(tmp_path: Path) -> None:
    refresh_cards(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(MissingRecord):
        write_card(tmp_path, tmp_path)
