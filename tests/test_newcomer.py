"""The newcomer's benchmark: what it measures, without what takes minutes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.benchmarking import benchmark

from gonogo.records.files import read_record

newcomer = benchmark("newcomer")


def test_the_largest_of_what_was_installed(tmp_path: Path) -> None:
    for number in range(10):
        package = tmp_path / f"package{number}"
        package.mkdir()
        (package / "code.py").write_bytes(b"x" * 1_000_000 * (number + 1))
        (tmp_path / f"package{number}-1.0.dist-info").mkdir()
    found = newcomer.sizes(tmp_path)
    assert (found["packages"], found["installed_mb"]) == (10, 55)
    assert list(found["largest_mb"].items())[:2] == [("package9", 10), ("package8", 9)]
    assert len(found["largest_mb"]) == newcomer.LARGEST


def test_a_command_that_fails_ends_the_measurement(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="ended with exit code 3"):
        newcomer.run([sys.executable, "-c", "raise SystemExit(3)"], tmp_path)
    done = newcomer.run([sys.executable, "-c", "raise SystemExit(3)"], tmp_path, answers=(0, 3))
    assert done.returncode == 3


def test_a_clone_is_of_the_last_commit(tmp_path: Path) -> None:
    fresh = newcomer.Newcomer(tmp_path)
    head = ["git", "-C", str(newcomer.ROOT), "rev-parse", "HEAD"]
    said = subprocess.run(head, capture_output=True, text=True, check=True)
    assert fresh.commit == said.stdout.strip()
    assert (fresh.clone / "pyproject.toml").is_file() and fresh.told("clone")["clone_s"] >= 0


def test_the_record_has_both_parts_and_no_torch() -> None:
    record = read_record(newcomer.RECORD, newcomer.KIND, newcomer.VERSION)
    assert "torch" not in record["core"]["largest_mb"]
    assert record["core"]["install_s"] > 0 and record["poll"]["poll_s"] > 0
