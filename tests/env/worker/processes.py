"""Children of the worker's kind whose functions say what they are, and whether a process still runs."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

from gonogo.env.json_lines import take_lines
from gonogo.env.variables import child_environment
from gonogo.env.worker.child import Child
from gonogo.env.worker.client import worker_command
from gonogo.env.worker.forkserver import fork

FUNCTIONS = """
import os, random, signal, sys

def parent(pid):
    with open(f"/proc/{pid}/stat") as said:
        return int(said.read().rpartition(")")[2].split()[1])

def me(observation, memory):
    return {
        "pid": os.getpid(), "group": os.getpgid(0), "supervisor": os.getppid(),
        "server": parent(os.getppid()), "cwd": os.getcwd(),
        "given": os.environ.get("GIVEN"), "draw": random.random(), "hash": hash("a word"),
        "numpy": "numpy" in sys.modules, "openenv": "openenv.core" in sys.modules,
        "died_children_are_heard_of": signal.getsignal(signal.SIGCHLD) is not signal.SIG_DFL,
    }

def die(observation, memory):
    os.kill(os.getpid(), signal.SIGSEGV)

def leave(observation, memory):
    print("so long", file=sys.stderr)
    sys.exit(7)

def sleep(observation, memory):
    import time
    time.sleep(60)
"""


def start(folder: Path, name: str, env: dict[str, str] | None = None) -> Child:
    (folder / "functions.py").write_text(FUNCTIONS)
    command = worker_command(
        {"kind": "functions", "role": "policy", "paths": [f"functions:{name}"]}
    )
    return Child(command, folder, {**child_environment(), **(env or {})}, fork)


def ask(child: Child) -> dict[str, object]:
    asked = json.dumps({"type": "observe", "episode": "0", "observation": {}}).encode() + b"\n"
    answer = json.loads(child.exchange(asked, lambda buffer: take_lines(buffer, 1), 20))
    action: dict[str, object] = answer["action"]
    return action


def runs(pid: object) -> bool:
    assert isinstance(pid, int)
    with contextlib.suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def gone(*pids: object) -> bool:
    deadline = time.monotonic() + 20
    while any(runs(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(runs(pid) for pid in pids)
