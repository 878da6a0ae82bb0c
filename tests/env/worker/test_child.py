"""A foreign process over pipes: what is said in time, how its end is told, and that home and caches are its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.env.worker.processes import ask, gone, start

from gonogo.env.json_lines import take_lines
from gonogo.env.variables import child_environment
from gonogo.env.worker.child import TAIL_BYTES, Child, Malformed, run_to_end
from gonogo.errors import EnvironmentFailure

ECHOES = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"


@pytest.fixture
def echoing(tmp_path: Path) -> Iterator[Child]:
    """A child that says each line again."""
    with closing(Child([sys.executable, "-c", ECHOES], tmp_path, child_environment())) as child:
        yield child


def a_line(buffer: bytearray) -> bytes | None:
    return take_lines(buffer, 1)


def test_what_is_larger_than_a_pipe_is_written_while_the_answer_is_read(echoing: Child) -> None:
    said = b"x" * 999 + b"\n"
    assert echoing.exchange(said * 2000, lambda buffer: take_lines(buffer, 2000), 20) == said * 2000


def test_an_answer_is_waited_for_until_the_deadline_and_what_nobody_asked_for_is_seen(
    echoing: Child,
) -> None:
    with pytest.raises(TimeoutError):
        echoing.exchange(b"no end of a line", a_line, 0.05)
    assert not echoing.unasked()
    assert echoing.exchange(b" but now\nand more\n", a_line, 20) == b"no end of a line but now\n"
    assert echoing.exchange(b"", a_line, 20) == b"and more\n"
    echoing.close()
    with pytest.raises(BrokenPipeError):
        echoing.exchange(b"\n", a_line, 20)


def test_who_says_more_than_an_answer_may_hold_is_not_listened_to(
    echoing: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gonogo.env.worker.child.MOST_BYTES", 1000)
    monkeypatch.setattr("gonogo.env.worker.child.CHUNK", 1000)
    with pytest.raises(Malformed, match="must not be longer than 1000 bytes"):
        echoing.exchange(b"x" * 5000 + b"\n", a_line, 20)


def test_what_cannot_be_started_leaves_no_scratch_folder(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match=r"no process can be started in .*nowhere"):
        Child([sys.executable, "-c", ""], tmp_path / "nowhere", child_environment())


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
