"""A reader that leaves, as head does, changes no verdict."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.test_cli import ROOT, gonogo


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
