"""How a command ends: no error looks like a verdict, two commands do not share a folder, a full disk is said."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.test_cli import ROOT, gonogo

from gonogo import faults
from gonogo.errors import DiskFailure
from gonogo.records.lock import LOCK, folder_in_use
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.log import open_kept


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
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # half a module's cache would stay
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


def test_a_reader_that_leaves_changes_no_verdict(gridworld: Path, tmp_path: Path) -> None:
    done = gonogo("map", str(gridworld), "--out", str(tmp_path))
    command = f"{sys.executable} -m gonogo map {gridworld} --out {tmp_path} | head -n 1; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, check=False)
    assert ended.returncode == done.returncode
    said = ended.stderr.decode().splitlines()
    assert all(line.startswith("map, ") for line in said), (
        said
    )  # how far it is, where it takes long
    full = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m gonogo map {gridworld} --out {tmp_path} >/dev/full"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert full.returncode == 3 and b"standard output" in full.stderr
