"""The servers that workers are forked from: one for each hash seed, another in a lost one's place, none left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.env.worker.processes import FUNCTIONS, ask, start

from gonogo.env.worker import forkserver


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_hash_seed_has_a_server_of_its_own(tmp_path: Path) -> None:
    told = []
    for seed in ("1", "2", "1"):
        child = start(tmp_path, "me", {"PYTHONHASHSEED": seed})
        told.append(ask(child))
        child.close()
    assert told[0]["hash"] == told[2]["hash"] != told[1]["hash"]
    assert told[0]["server"] == told[2]["server"] != told[1]["server"]


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
        "from tests.env.worker.processes import ask, start\n"
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
