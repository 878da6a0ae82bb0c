"""How a command ends: no error looks like a verdict, two commands do not share a folder, a full disk is said."""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.test_cli import ROOT, gonogo

from gonogo import errors, faults
from gonogo.config import keeping
from gonogo.errors import DiskFailure, GonogoError, MissingRecord, Misuse
from gonogo.records.base import PART, write_text
from gonogo.records.lock import LOCK, file_in_use, folder_in_use
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.log import open_kept

FAULTY = """
import sys
from gonogo.contract import run as station
def run(run, env):
    (run.out / "map.md").write_text("begun")
    return [][1]
station.check_env = run
sys.argv = ["gonogo", "map", {target!r}, "--out", {out!r}, "--success", "won == 'x y'"]
from gonogo.cli import main
main()
"""
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


def test_no_error_of_gonogo_is_a_no_go() -> None:
    known = [each for each in vars(errors).values() if isinstance(each, type)]
    codes = {each.exit_code for each in known if issubclass(each, GonogoError)}
    assert codes == {2, 3, 70}


def test_what_nobody_foresaw_is_70_and_a_file(gridworld: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    ended = subprocess.run(
        [sys.executable, "-c", FAULTY.format(target=str(gridworld), out=str(out))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin", "SOME_TOKEN": "hf_secret"},
    )
    assert ended.returncode == 70
    assert ended.stdout == "" and "Traceback" not in ended.stderr
    (told,) = out.glob("fault-*.txt")
    assert ended.stderr.count("\n") == 1
    assert "(IndexError: list index out of range)" in ended.stderr and str(told) in ended.stderr
    text = told.read_text()
    assert "return [][1]" in text or "line 6, in run" in text
    assert f"command: gonogo map {gridworld} --out {out} --success 'won == '\"'\"'x y'" in text
    assert "numpy 2" in text or "numpy 1" in text
    assert "hf_secret" not in text
    assert not (out / LOCK).exists()


def test_a_broken_installation_is_no_verdict_either(tmp_path: Path) -> None:
    (tmp_path / "pydantic.py").write_text("raise ImportError('built for another Python')")
    for start in (["-m", "gonogo"], ["-c", "from gonogo.cli import main; main()"]):
        ended = subprocess.run(
            [sys.executable, *start, "--version"],
            capture_output=True,
            text=True,
            check=False,
            env={"PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)},
        )
        assert ended.returncode == 70, ended.stderr
        assert "built for another Python" in ended.stderr and "Traceback" not in ended.stderr


def test_a_folder_that_is_gone_is_misuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    here.rmdir()
    with pytest.raises(FileNotFoundError) as caught:
        Path("run").absolute()
    error = faults.foreseen(caught.value, ["map", "gridworld"])
    assert isinstance(error, Misuse) and "is gone" in str(error)


def test_a_report_goes_where_it_can_be_written_and_keeps_the_users_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "file").write_text("")
    words = ["train", "--env", "TOKEN=abc", "--env=KEY=def", "--env", "HOME", "--seed", "1"]
    said = faults.report(ValueError("no"), words, tmp_path / "file" / "below")
    (told,) = (tmp_path / "cache" / "gonogo").iterdir()
    assert str(told) in said
    assert "gonogo train --env 'TOKEN=…' '--env=KEY=…' --env HOME --seed 1" in told.read_text()


def test_a_reader_that_leaves_changes_no_verdict(gridworld: Path, tmp_path: Path) -> None:
    done = gonogo("map", str(gridworld), "--out", str(tmp_path))
    command = f"{sys.executable} -m gonogo map {gridworld} --out {tmp_path} | head -n 1; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (done.returncode, b"")
    full = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m gonogo map {gridworld} --out {tmp_path} >/dev/full"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert full.returncode == 3 and b"standard output" in full.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_says_how_to_go_on(gridworld: Path, tmp_path: Path, number: int) -> None:
    words = ["audit", str(gridworld), "--out", str(tmp_path / "run"), "--budget", "1000000"]
    with subprocess.Popen(
        [sys.executable, "-m", "gonogo", *words], cwd=ROOT, stderr=subprocess.PIPE, text=True
    ) as process:
        flown = tmp_path / "run" / "audit-in-flight"
        deadline = time.monotonic() + 120
        while not any(flown.rglob("*.jsonl")) and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert f"gonogo: interrupted; to go on: gonogo {' '.join(words)}" in said
    assert "Traceback" not in said
    assert not (tmp_path / "run" / LOCK).exists()


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
    shutil.rmtree(out)
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
import gonogo.records.base
gonogo.records.base.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
for name in ("episodes.jsonl", "audit/flown.jsonl"):
    if os.fork() == 0:
        gonogo.records.base.write_text(Path({str(tmp_path)!r}) / name, "half")
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


@pytest.mark.parametrize("kind", ["file", "below a file", "loop", "nowhere", "device", "long"])
@pytest.mark.parametrize("option", ["--out", "--file"])
def test_a_place_that_cannot_be_written_is_misuse_before_work_starts(
    gridworld: Path, tmp_path: Path, kind: str, option: str
) -> None:
    (tmp_path / "file").write_text("kept")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "nowhere").symlink_to(tmp_path / "none" / "such")
    (tmp_path / "folder").mkdir()
    place = {
        "file": tmp_path / ("file" if option == "--out" else "folder"),
        "below a file": tmp_path / "file" / "x" / "y",
        "loop": tmp_path / "loop" / "x",
        "nowhere": tmp_path / "nowhere" / "x",
        "device": Path("/dev/null") if option == "--out" else Path("/dev/null/x"),
        "long": tmp_path / ("x" * 300),
    }[kind]
    held = folder_in_use if option == "--out" else file_in_use
    with pytest.raises(Misuse, match=r"cannot be written|must be a file"), held(place, "map"):
        pass
    if kind == "file":
        ended = gonogo(
            "rollout" if option == "--file" else "map", str(gridworld), option, str(place)
        )
        assert ended.returncode == 2 and str(place) in ended.stderr, ended.stderr
    assert (tmp_path / "file").read_text() == "kept"


def test_a_disk_that_fills_up_is_a_hold_and_keeps_what_is_finished(
    gridworld: Path, tmp_path: Path
) -> None:
    file = tmp_path / "episodes.jsonl"
    words = [
        "rollout",
        str(gridworld),
        "--policies",
        "idle",
        "--episodes",
        "8",
        "--file",
        str(file),
    ]

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

    full = subprocess.run(
        [sys.executable, "-m", "gonogo", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=small,
    )
    assert full.returncode == 3, full.stderr
    assert "could not be written: File too large" in full.stderr
    assert "the same command goes on" in full.stderr and "Traceback" not in full.stderr
    assert 0 < file.read_text().count("\n") < 8
    again = gonogo(*words)
    assert again.returncode == 0, again.stderr
    assert file.read_text().count("\n") == 8


@contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process grows any more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_is_full_names_the_file_and_leaves_no_lock(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with pytest.raises(OSError) as caught, full_disk(), folder_in_use(out, "map"):
        pass
    assert caught.value.filename == str(out / LOCK) and not out.exists()
    kept = open_kept("idle", out, "a" * 64)
    episode = Episode(0, {}, "e", "idle", None, None)
    with pytest.raises(OSError) as caught, full_disk(), kept.writing() as write:
        write(episode)
    error = faults.foreseen(caught.value, [])
    assert isinstance(error, DiskFailure) and str(error).startswith(f"{kept.path} could not")


def test_a_full_disk_is_told_from_the_words_of_other_libraries() -> None:
    outer = RuntimeError("cannot save")
    outer.__cause__ = ValueError("I/O error: No space left on device (os error 28)")
    assert isinstance(faults.foreseen(outer, []), DiskFailure)
    assert faults.foreseen(RuntimeError("28"), []) is None
