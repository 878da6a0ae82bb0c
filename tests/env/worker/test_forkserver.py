"""Workers that are forked, on real processes: what a child has of its own, and how its end is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gonogo.env.json_lines import take_lines
from gonogo.env.variables import child_environment
from gonogo.env.worker import forkserver
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


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_each_child_is_a_process_with_a_group_a_folder_and_variables_of_its_own(
    tmp_path: Path,
) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    children = [start(folder, "me", {"GIVEN": folder.name}) for folder in folders]
    first, second = (ask(child) for child in children)
    for child in children:
        child.close()
    assert first["pid"] != second["pid"]
    assert first["supervisor"] != second["supervisor"]
    assert first["server"] == second["server"] != os.getpid()
    for told, folder in ((first, folders[0]), (second, folders[1])):
        assert told["group"] == told["pid"]
        assert told["cwd"] == str(folder)
        assert told["given"] == folder.name
        assert told["openenv"]
        # What is read ahead holds no state that an environment draws from.
        assert not told["numpy"]
        assert not told["died_children_are_heard_of"]
    assert first["draw"] != second["draw"]
    assert first["hash"] == second["hash"]


def test_a_hash_seed_has_a_server_of_its_own(tmp_path: Path) -> None:
    told = []
    for seed in ("1", "2", "1"):
        child = start(tmp_path, "me", {"PYTHONHASHSEED": seed})
        told.append(ask(child))
        child.close()
    assert told[0]["hash"] == told[2]["hash"] != told[1]["hash"]
    assert told[0]["server"] == told[2]["server"] != told[1]["server"]


def test_what_python_reads_at_its_start_is_the_childs_own(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "functions.py").write_text(FUNCTIONS)
    command = worker_command({"kind": "functions", "role": "policy", "paths": ["functions:me"]})
    child = Child(command, tmp_path, {**child_environment(), "PYTHONPATH": str(elsewhere)}, fork)
    assert ask(child)["cwd"] == str(tmp_path)
    child.close()


@pytest.mark.parametrize(
    ("name", "said"), [("die", "was ended by SIGSEGV"), ("leave", "exited with code 7")]
)
def test_how_a_child_ended_is_told(tmp_path: Path, name: str, said: str) -> None:
    child = start(tmp_path, name)
    with pytest.raises(BrokenPipeError):
        ask(child)
    told = child.obituary()
    child.close()
    assert said in told
    assert ("so long" in told) == (name == "leave")


def test_a_child_that_sleeps_is_ended(tmp_path: Path) -> None:
    child = start(tmp_path, "sleep")
    asked = json.dumps({"type": "observe", "episode": "0", "observation": {}}).encode() + b"\n"
    with pytest.raises(TimeoutError):
        child.exchange(asked, lambda buffer: take_lines(buffer, 1), 0.2)
    child.abort()
    assert child.obituary().startswith("was ended by SIGABRT")
    child.close()


def test_another_server_takes_the_place_of_one_that_was_ended(tmp_path: Path) -> None:
    child = start(tmp_path, "me")
    server = ask(child)["server"]
    assert isinstance(server, int)
    os.kill(server, signal.SIGKILL)
    assert ask(child)["pid"]  # a child outlives it, and its supervisor tells how it ends
    os.kill(child.pid, signal.SIGTERM)
    assert "SIGTERM" in child.obituary()
    child.close()
    another = start(tmp_path, "me")
    assert ask(another)["server"] != server
    another.close()


def test_the_servers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    script = (
        "from pathlib import Path\n"
        "from tests.env.worker.test_forkserver import ask, start\n"
        f"child = start(Path({str(tmp_path)!r}), 'me')\n"
        "print(ask(child)['server'])\n"
    )
    root = Path(__file__).parents[3]
    said = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    deadline = time.monotonic() + 10
    while runs(int(said.stdout)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not runs(int(said.stdout))


def test_the_servers_can_be_ended_and_start_again(tmp_path: Path) -> None:
    start(tmp_path, "me").close()
    assert forkserver.servers
    forkserver.close()
    assert not forkserver.servers
    child = start(tmp_path, "me")
    assert ask(child)["openenv"]
    child.close()
