"""Children of the worker's kind whose functions say what they are, and whether a process still runs."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

from gonogo.env.variables import child_environment
from gonogo.env.worker.process import Child, Start, fork, take_lines, worker_command

FUNCTIONS = """
import os, random, signal, sys, time
from pathlib import Path

def parent(pid):
    with open(f"/proc/{pid}/stat") as said:
        return int(said.read().rpartition(")")[2].split()[1])

def me(observation, memory):
    return {
        "pid": os.getpid(), "group": os.getpgid(0), "supervisor": os.getppid(),
        "server": parent(os.getppid()), "cwd": os.getcwd(),
        "given": os.environ.get("GIVEN"), "draw": random.random(), "hash": hash("a word"),
        "numpy": "numpy" in sys.modules, "openenv": "openenv.core" in sys.modules,
        "adapters": {"worker_asgi", "pydantic.v1"} <= sys.modules.keys(),
        "died_children_are_heard_of": signal.getsignal(signal.SIGCHLD) is not signal.SIG_DFL,
    }

def die(observation, memory):
    os.kill(os.getpid(), signal.SIGSEGV)

def leave(observation, memory):
    print("so long", file=sys.stderr)
    sys.exit(7)

def daemonise(seconds=120):
    reads, writes = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(1, 32):
                if number not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD):
                    signal.signal(number, signal.SIG_IGN)
            os.write(writes, str(os.getpid()).encode())
            time.sleep(seconds)
        os._exit(0)
    os.wait()
    return int(os.read(reads, 20))

def leave_one(observation, memory):
    scratch = Path(os.environ["HOME"]).parent
    (scratch / "home" / "left.txt").write_text("left")
    return {"pid": os.getpid(), "supervisor": os.getppid(), "sleeper": daemonise(), "scratch": str(scratch)}

def leave_one_and_go(observation, memory):
    print("sleeper", daemonise(), file=sys.stderr, flush=True)
    os._exit(3)

def print_much(observation, memory):
    for number in range(observation["times"]):
        os.write(2, b"%d " % number + b"x" * 2**20 + b"\\n")
    os.write(2, b"the last line\\n")
    return {}

def sleep(observation, memory):
    time.sleep(60)
"""


def child_of(
    folder: Path, name: str, env: dict[str, str] | None = None, start: Start = fork
) -> Child:
    """A child that answers with a function of :data:`FUNCTIONS`."""
    (folder / "functions.py").write_text(FUNCTIONS)
    command = worker_command(
        {"kind": "functions", "role": "policy", "paths": [f"functions:{name}"]}
    )
    return Child(command, folder, {**child_environment(), **(env or {})}, start)


def ask(child: Child, **observation: object) -> dict[str, object]:
    asked = {"type": "observe", "episode": "0", "observation": observation}
    line = json.dumps(asked).encode() + b"\n"
    (answer,) = child.exchange(line, lambda buffer: take_lines(buffer, 1), 60)
    action: dict[str, object] = json.loads(answer)["action"]
    return action


def runs(pid: object) -> bool:
    assert isinstance(pid, int)
    # It may end between the file's opening and its reading.
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def gone(*pids: object) -> bool:
    deadline = time.monotonic() + 20
    while any(runs(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(runs(pid) for pid in pids)
