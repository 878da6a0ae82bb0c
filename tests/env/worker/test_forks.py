"""What a forked child has of its own, and how a request for one is read."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.env.worker.processes import FUNCTIONS, ask, start

from gonogo.env.variables import child_environment
from gonogo.env.worker.child import Child
from gonogo.env.worker.client import worker_command
from gonogo.env.worker.forks import HEADER, receive
from gonogo.env.worker.forkserver import fork


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
