"""Who is left of a foreign process, however it, its supervisor or gonogo itself ends; and of what it printed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.env.worker.processes import gone, runs

from gonogo.env.json_lines import take_lines
from gonogo.env.variables import child_environment
from gonogo.env.worker.child import Child, Start, spawn
from gonogo.env.worker.client import worker_command
from gonogo.env.worker.forkserver import fork
from gonogo.env.worker.supervisor import LOG_BYTES

ROOT = Path(__file__).parents[3]
FUNCTIONS = """
import os, signal, sys, time
from pathlib import Path

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


@pytest.fixture(params=[spawn, fork])
def start(request: pytest.FixtureRequest) -> Start:
    started: Start = request.param
    return started


def open_child(folder: Path, name: str, start: Start) -> Child:
    (folder / "functions.py").write_text(FUNCTIONS)
    command = worker_command(
        {"kind": "functions", "role": "policy", "paths": [f"functions:{name}"]}
    )
    return Child(command, folder, child_environment(), start)


def ask(child: Child, **observation: object) -> dict[str, object]:
    asked = {"type": "observe", "episode": "0", "observation": observation}
    line = json.dumps(asked).encode() + b"\n"
    answer = json.loads(child.exchange(line, lambda buffer: take_lines(buffer, 1), 60))
    action: dict[str, object] = answer["action"]
    return action


def test_what_made_its_own_session_ends_with_the_worker(tmp_path: Path, start: Start) -> None:
    child = open_child(tmp_path, "leave_one", start)
    left = ask(child)
    assert runs(left["sleeper"])
    child.close()
    assert not any(runs(left[name]) for name in ("pid", "sleeper"))
    assert gone(left["supervisor"])
    assert not Path(str(left["scratch"])).exists()


def test_what_a_worker_that_ends_by_itself_leaves_is_ended(tmp_path: Path, start: Start) -> None:
    child = open_child(tmp_path, "leave_one_and_go", start)
    with pytest.raises(BrokenPipeError):
        ask(child)
    said = child.obituary()
    assert "exited with code 3" in said
    assert not runs(int(said.rpartition(" ")[2]))
    child.close()


def test_where_the_supervisor_is_killed_nobody_is_left_either(tmp_path: Path) -> None:
    child = open_child(tmp_path, "leave_one", fork)
    left = ask(child)
    assert isinstance(left["supervisor"], int)
    os.kill(left["supervisor"], signal.SIGKILL)
    assert gone(left["pid"], left["sleeper"])
    assert "SIGKILL" in child.obituary()
    child.close()
    assert not Path(str(left["scratch"])).exists()


def stopped(child: Child) -> dict[str, object]:
    """What a child left that stops its supervisor."""
    left = ask(child)
    assert isinstance(left["supervisor"], int)
    os.kill(left["supervisor"], signal.SIGSTOP)
    return left


def test_where_the_supervisor_is_stopped_nobody_is_left_either(
    tmp_path: Path, start: Start
) -> None:
    child = open_child(tmp_path, "leave_one", start)
    left = stopped(child)
    child.close()
    assert gone(*(left[name] for name in ("pid", "sleeper", "supervisor")))
    assert not Path(str(left["scratch"])).exists()


@pytest.fixture
def gonogo(tmp_path: Path, start: Start) -> Iterator[tuple[subprocess.Popen[str], dict[str, int]]]:
    """A process that has a child which left a sleeper, and waits for another answer."""
    script = (
        "import json\n"
        "from pathlib import Path\n"
        "from gonogo.env.worker.child import spawn\n"
        "from gonogo.env.worker.forkserver import fork\n"
        "from tests.env.worker.test_supervisor import ask, open_child\n"
        f"folder, start = Path({str(tmp_path)!r}), {start.__name__}\n"
        "child, other = open_child(folder, 'leave_one', start), open_child(folder, 'sleep', start)\n"
        "print(json.dumps(ask(child) | {'other': other.pid}), flush=True)\n"
        "ask(other)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nobody_outlives_gonogo(
    gonogo: tuple[subprocess.Popen[str], dict[str, int]], number: signal.Signals
) -> None:
    process, left = gonogo
    assert runs(left["sleeper"])
    process.send_signal(number)
    assert gone(left["pid"], left["sleeper"], left["supervisor"], left["other"])
    assert not Path(str(left["scratch"])).exists()


def test_what_is_printed_without_end_fills_no_disk_and_keeps_its_end(
    tmp_path: Path, start: Start
) -> None:
    child = open_child(tmp_path, "print_much", start)
    assert ask(child, times=200) == {}
    size = max(
        os.stat(f"/proc/self/fd/{name}").st_size
        for name in os.listdir("/proc/self/fd")
        if "(deleted)" in link(name)
    )
    os.kill(child.pid, signal.SIGTERM)
    assert child.obituary().endswith("the last line")
    child.close()
    assert size <= 2 * LOG_BYTES


def link(name: str) -> str:
    with contextlib.suppress(FileNotFoundError):
        return os.readlink(f"/proc/self/fd/{name}")
    return ""
