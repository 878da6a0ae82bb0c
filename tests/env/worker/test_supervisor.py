"""Who is left of a foreign process, however it, its supervisor or gonogo ends; and what a fork has of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.env.worker.processes import FUNCTIONS, ask, child_of, gone, runs

from gonogo.env.variables import child_environment
from gonogo.env.worker.process import Child, Start, fork, spawn, worker_command
from gonogo.env.worker.supervisor import HEADER, LOG_BYTES, receive

ROOT = Path(__file__).parents[3]


@pytest.fixture(params=[spawn, fork])
def start(request: pytest.FixtureRequest) -> Start:
    started: Start = request.param
    return started


def test_what_made_its_own_session_ends_with_the_worker(tmp_path: Path, start: Start) -> None:
    child = child_of(tmp_path, "leave_one", start=start)
    left = ask(child)
    assert runs(left["sleeper"])
    child.close()
    assert not any(runs(left[name]) for name in ("pid", "sleeper"))
    assert gone(left["supervisor"])
    assert not Path(str(left["scratch"])).exists()


def test_what_a_worker_that_ends_by_itself_leaves_is_ended(tmp_path: Path, start: Start) -> None:
    child = child_of(tmp_path, "leave_one_and_go", start=start)
    with pytest.raises(BrokenPipeError):
        ask(child)
    said = child.obituary()
    assert "exited with code 3" in said
    assert not runs(int(said.rpartition(" ")[2]))
    child.close()


def test_where_the_supervisor_is_killed_nobody_is_left_either(tmp_path: Path) -> None:
    child = child_of(tmp_path, "leave_one", start=fork)
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
    child = child_of(tmp_path, "leave_one", start=start)
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
        "from gonogo.env.worker.process import fork, spawn\n"
        "from tests.env.worker.processes import ask, child_of\n"
        f"folder, start = Path({str(tmp_path)!r}), {start.__name__}\n"
        "child, other = (child_of(folder, name, start=start) for name in ('leave_one', 'sleep'))\n"
        "print(json.dumps(ask(child) | {'other': other.pid}), flush=True)\n"
        "ask(other)\n"
    )
    log = tmp_path / "stderr.txt"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [sys.executable, "-c", script],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said, log.read_text()
        yield process, json.loads(said)
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
    child = child_of(tmp_path, "print_much", start=start)
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


def test_each_child_is_a_process_with_a_group_a_folder_and_variables_of_its_own(
    tmp_path: Path,
) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    children = [child_of(folder, "me", {"GIVEN": folder.name}) for folder in folders]
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
        assert told["openenv"] and told["adapters"]
        # What is read ahead holds no state that an environment draws from.
        assert not told["numpy"]
        assert not told["died_children_are_heard_of"]
    assert first["draw"] != second["draw"]
    assert first["hash"] == second["hash"]


def test_what_python_reads_at_its_start_is_the_childs_own(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "functions.py").write_text(FUNCTIONS)
    command = worker_command({"kind": "functions", "role": "policy", "paths": ["functions:me"]})
    child = Child(command, tmp_path, {**child_environment(), "PYTHONPATH": str(elsewhere)}, fork)
    assert ask(child)["cwd"] == str(tmp_path)
    child.close()


@pytest.fixture
def line() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Gonogo's end of the socket that requests come over, and the server's."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_a_request_comes_with_its_descriptors_however_it_is_cut(
    line: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = line
    asked = {"argv": ["x"], "scratch": "y" * 3000}
    body = json.dumps(asked).encode()
    reads, writes = os.pipe()
    socket.send_fds(ours, [HEADER.pack(len(body))], [reads, writes])
    for place in range(0, len(body), 1000):
        ours.sendall(body[place : place + 1000])
    told = receive(theirs)
    assert told is not None
    said, descriptors = told
    assert said == asked and len(descriptors) == 2
    os.write(descriptors[1], b"the same pipe")
    assert os.read(reads, 20) == b"the same pipe"
    for descriptor in (reads, writes, *descriptors):
        os.close(descriptor)


@pytest.mark.parametrize("sent", [b"", HEADER.pack(10) + b"{}"])
def test_who_hangs_up_asks_for_nothing(
    line: tuple[socket.socket, socket.socket], sent: bytes
) -> None:
    ours, theirs = line
    ours.sendall(sent)
    ours.shutdown(socket.SHUT_WR)
    assert receive(theirs) is None
