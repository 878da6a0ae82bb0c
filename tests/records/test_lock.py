"""A folder or a file that one command has at a time, also where it is removed under it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.test_cli import ROOT, gonogo

from gonogo.config import keeping
from gonogo.errors import MissingRecord, Misuse
from gonogo.records.files import PART, write_text
from gonogo.records.lock import LOCK, file_in_use, folder_in_use

HOLDS = """
import sys, time
from pathlib import Path
from gonogo.records.lock import file_in_use, folder_in_use
with {how}(Path(sys.argv[1]), "train"):
    print("has it", flush=True)
    time.sleep(60)
"""


def holder(how: Callable[..., object], path: Path) -> subprocess.Popen[str]:
    """A process that has a folder or a file."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS.format(how=how.__name__), str(path)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "has it\n"
    return process


@pytest.mark.long
def test_two_commands_do_not_share_a_folder(gridworld: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with holder(folder_in_use, out) as other:
        for words in (["map"], ["audit"], ["train"], ["check"]):
            ended = gonogo(*words, str(gridworld), "--out", str(out))
            assert ended.returncode == 2
            assert f"{out} is in use by gonogo train (process {other.pid} since " in ended.stderr
        assert gonogo("poll", "--read", str(gridworld), "--out", str(out)).returncode == 3
        other.kill()
    mapped = gonogo("map", str(gridworld), "--out", str(out))
    assert mapped.returncode == 0, mapped.stderr  # the lock went with the process
    assert not (out / LOCK).exists()


def test_two_rollouts_do_not_share_a_file(gridworld: Path, tmp_path: Path) -> None:
    file = tmp_path / "episodes.jsonl"
    words = ["rollout", str(gridworld), "--policies", "idle", "--episodes", "1"]
    with holder(file_in_use, file) as other:
        ended = gonogo(*words, "--file", str(file))
        assert ended.returncode == 2 and f"(process {other.pid} since " in ended.stderr
        elsewhere = gonogo(*words, "--file", str(tmp_path / "others.jsonl"))
        assert elsewhere.returncode == 0, elsewhere.stderr
        other.kill()
    assert gonogo(*words, "--file", str(file)).returncode == 0


def test_a_folder_that_is_removed_under_a_command_is_a_hold_and_the_next_one_s_lock_stays(
    gridworld: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    words = ["audit", str(gridworld), "--out", str(out), "--seeds", "4", "--budget", "20"]
    process = subprocess.Popen(
        [sys.executable, "-m", "gonogo", *words], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not (out / "map.md").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    shutil.rmtree(out.rename(tmp_path / "gone"))  # at once, whatever the command writes meanwhile
    with holder(folder_in_use, out) as other:
        said = process.communicate(timeout=120)[1]
        assert process.returncode == 3, said
        assert said.splitlines()[-1].startswith(f"gonogo: the run's folder {out} was removed while")
        assert "Traceback" not in said and (out / LOCK).exists()
        other.kill()


@pytest.mark.parametrize("what", ["folder", "file"])
@pytest.mark.parametrize("error", [None, FileNotFoundError, Misuse])
def test_what_is_removed_under_a_command_is_said_whatever_it_ends_with(
    tmp_path: Path, what: str, error: type[Exception] | None
) -> None:
    out = tmp_path / "run"
    held = folder_in_use if what == "folder" else file_in_use
    with (
        pytest.raises(Misuse if error is Misuse else MissingRecord),
        held(out if what == "folder" else out / "episodes.jsonl", "map"),
    ):
        shutil.rmtree(out)
        if error is not None:
            raise error("anything")
    assert not out.exists()


def test_a_file_of_episodes_that_is_removed_under_a_rollout_is_a_hold(tmp_path: Path) -> None:
    file = tmp_path / "episodes.jsonl"
    with pytest.raises(MissingRecord, match=r"episodes\.jsonl was removed while gonogo rollout"):  # noqa: SIM117
        with file_in_use(file, "rollout"):
            file.read_bytes()


def test_a_folder_that_is_emptied_under_a_command_is_a_hold(tmp_path: Path) -> None:
    for error in (None, FileNotFoundError("anything")):
        with pytest.raises(MissingRecord, match="was removed"), keeping(tmp_path, None, {}, "x"):
            (tmp_path / "flags.json").unlink()
            if error is not None:
                raise error


def test_what_a_killed_command_had_begun_to_write_is_removed(tmp_path: Path) -> None:
    killed = f"""
import os, signal
from pathlib import Path
import gonogo.records.files
gonogo.records.files.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
for name in ("episodes.jsonl", "audit/flown.jsonl"):
    if os.fork() == 0:
        gonogo.records.files.write_text(Path({str(tmp_path)!r}) / name, "half")
    os.wait()
"""
    subprocess.run([sys.executable, "-c", killed], check=True)
    assert len([each for each in tmp_path.rglob(f".*{PART}")]) == 2
    with folder_in_use(tmp_path, "map"):
        assert not [each for each in tmp_path.rglob(f".*{PART}")]
    write_text(tmp_path / f".others.jsonl.x{PART}", "")
    write_text(tmp_path / f".mine.jsonl.x{PART}", "")
    with file_in_use(tmp_path / "mine.jsonl", "rollout"):
        assert [each.name for each in tmp_path.glob(f".*{PART}")] == [f".others.jsonl.x{PART}"]
