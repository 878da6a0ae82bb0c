"""A foreign process over pipes: what is said in time, how its end is told, what it has of its own; servers of forks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.env.worker.processes import FUNCTIONS, ask, child_of, gone

from gonogo.env.variables import child_environment
from gonogo.env.worker import process
from gonogo.env.worker.process import TAIL_BYTES, Child, Malformed, run_to_end, take_lines
from gonogo.errors import EnvironmentFailure

ECHOES = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"


@pytest.fixture
def echoing(tmp_path: Path) -> Iterator[Child]:
    """A child that says each line again."""
    with closing(Child([sys.executable, "-c", ECHOES], tmp_path, child_environment())) as child:
        yield child


def a_line(buffer: bytearray) -> list[bytes] | None:
    return take_lines(buffer, 1)


def test_what_is_larger_than_a_pipe_is_written_while_the_answer_is_read(echoing: Child) -> None:
    said = b"x" * 999
    assert echoing.exchange_lines((said + b"\n") * 2000, 2000, 20) == [said] * 2000


def test_an_answer_is_waited_for_until_the_deadline_and_what_nobody_asked_for_is_seen(
    echoing: Child,
) -> None:
    with pytest.raises(TimeoutError):
        echoing.exchange(b"no end of a line", a_line, 0.05)
    assert not echoing.unasked()
    assert echoing.exchange(b" but now\nand more\n", a_line, 20) == [b"no end of a line but now"]
    assert echoing.exchange(b"", a_line, 20) == [b"and more"]
    echoing.close()
    with pytest.raises(BrokenPipeError):
        echoing.exchange(b"\n", a_line, 20)


def test_who_says_more_than_an_answer_may_hold_is_not_listened_to(
    echoing: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gonogo.env.worker.process.MOST_BYTES", 1000)
    monkeypatch.setattr("gonogo.env.worker.process.CHUNK", 1000)
    with pytest.raises(Malformed, match="must not be longer than 1000 bytes"):
        echoing.exchange(b"x" * 5000 + b"\n", a_line, 20)


def test_what_cannot_be_started_leaves_no_scratch_folder(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match=r"no process can be started in .*nowhere"):
        Child([sys.executable, "-c", ""], tmp_path / "nowhere", child_environment())


@pytest.mark.parametrize(
    ("name", "said"), [("die", "was ended by SIGSEGV"), ("leave", "exited with code 7")]
)
def test_how_a_child_ended_is_told(tmp_path: Path, name: str, said: str) -> None:
    child = child_of(tmp_path, name)
    with pytest.raises(BrokenPipeError):
        ask(child)
    told = child.obituary()
    child.close()
    assert said in told
    assert ("so long" in told) == (name == "leave")


def test_a_child_that_sleeps_is_ended(tmp_path: Path) -> None:
    child = child_of(tmp_path, "sleep")
    asked = json.dumps({"type": "observe", "episode": "0", "observation": {}}).encode() + b"\n"
    with pytest.raises(TimeoutError):
        child.exchange(asked, lambda buffer: take_lines(buffer, 1), 0.2)
    child.abort()
    assert child.obituary().startswith("was ended by SIGABRT")
    child.close()


def test_a_program_that_is_run_to_its_end_leaves_nobody_and_keeps_its_last_words(
    tmp_path: Path,
) -> None:
    script = (
        "setsid sleep 60 & echo $!; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last words"
    )
    (tmp_path / "script.sh").write_text(
        f"({script})\nexit 3\n".replace("echo $!", f"echo $! > {tmp_path}/pid")
    )
    status, said = run_to_end(["sh", "script.sh"], tmp_path, child_environment(), 60)
    assert status == 3
    assert said.splitlines()[-1] == "last words"
    assert len(said) <= TAIL_BYTES
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_program_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    script = f"setsid sleep 61 & echo $! > {tmp_path}/pid; trap '' TERM; sleep 60"
    with pytest.raises(subprocess.TimeoutExpired):
        run_to_end(["sh", "-c", script], tmp_path, child_environment(), 1)
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_program_that_is_not_there_is_said(tmp_path: Path) -> None:
    status, said = run_to_end(["no-such-program"], tmp_path, child_environment(), 60)
    assert (status, said) == (127, "no-such-program: No such file or directory")


def test_caches_are_kept_from_one_process_to_the_next_and_a_home_is_not(tmp_path: Path) -> None:
    script = (
        "ls $HOME $XDG_CACHE_HOME; mkdir -p $HOME/made $XDG_CACHE_HOME/made; echo $XDG_CACHE_HOME"
    )
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    told = [
        run_to_end(["sh", "-c", script], folder, child_environment(), 60)[1].split()
        for folder in (own, own, other)
    ]
    assert ["made" in words for words in told] == [False, True, False]
    assert told[1].count("made") == 1
    assert told[0][-1] == told[1][-1] != told[2][-1]
    named = child_environment() | {"HOME": str(tmp_path)}
    assert "/caches/" not in run_to_end(["sh", "-c", script], own, named, 60)[1]


def test_home_and_temporary_files_are_gone_afterwards(tmp_path: Path) -> None:
    script = "import os, tempfile; print(os.path.expanduser('~')); print(tempfile.mkdtemp())"
    status, said = run_to_end([sys.executable, "-c", script], tmp_path, child_environment(), 60)
    home, temporary = said.splitlines()
    assert status == 0
    assert home != os.path.expanduser("~")
    assert not Path(home).exists()
    assert not Path(temporary).exists()


@pytest.mark.parametrize(
    ("said", "count", "taken", "left"),
    [
        (b'{"a": 1}\n{"b"', 1, [b'{"a": 1}'], b'{"b"'),
        (b"1\n2\n3\n", 2, [b"1", b"2"], b"3\n"),
        (b"\n\n", 1, [b""], b"\n"),
        (b"1\n2", 2, None, b"1\n2"),
        (b"", 1, None, b""),
        (b"1\n", 0, [], b"1\n"),
    ],
)
def test_so_many_lines_or_none(
    said: bytes, count: int, taken: list[bytes] | None, left: bytes
) -> None:
    buffer = bytearray(said)
    assert take_lines(buffer, count) == taken
    assert bytes(buffer) == left


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_hash_seed_has_a_server_of_its_own(tmp_path: Path) -> None:
    told = []
    for seed in ("1", "2", "1"):
        child = child_of(tmp_path, "me", {"PYTHONHASHSEED": seed})
        told.append(ask(child))
        child.close()
    assert told[0]["hash"] == told[2]["hash"] != told[1]["hash"]
    assert told[0]["server"] == told[2]["server"] != told[1]["server"]


def test_another_server_takes_the_place_of_one_that_was_ended(tmp_path: Path) -> None:
    child = child_of(tmp_path, "me")
    server = ask(child)["server"]
    assert isinstance(server, int)
    os.kill(server, signal.SIGKILL)
    assert ask(child)["pid"]  # a child outlives it, and its supervisor tells how it ends
    os.kill(child.pid, signal.SIGTERM)
    assert "SIGTERM" in child.obituary()
    child.close()
    another = child_of(tmp_path, "me")
    assert ask(another)["server"] != server
    another.close()


def test_the_servers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    script = (
        "from pathlib import Path\n"
        "from tests.env.worker.processes import ask, child_of\n"
        f"child = child_of(Path({str(tmp_path)!r}), 'me')\n"
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
    child_of(tmp_path, "me").close()
    assert process.servers
    process.end_servers()
    assert not process.servers
    child = child_of(tmp_path, "me")
    assert ask(child)["openenv"]
    child.close()
