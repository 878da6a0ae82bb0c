"""What nobody foresaw is a sentence, an exit code and a file to report."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.test_cli import ROOT

from gonogo import faults
from gonogo.errors import DiskFailure, Misuse
from gonogo.records.lock import LOCK

FAULTY = """
import sys
from gonogo.contract import check_env as station
def run(run, env):
    (run.out / "map.md").write_text("begun")
    return [][1]
station.check_env = run
sys.argv = ["gonogo", "map", {target!r}, "--out", {out!r}, "--success", "won == 'x y'"]
from gonogo.cli import main
main()
"""


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


def test_a_full_disk_is_told_from_the_words_of_other_libraries() -> None:
    outer = RuntimeError("cannot save")
    outer.__cause__ = ValueError("I/O error: No space left on device (os error 28)")
    assert isinstance(faults.foreseen(outer, []), DiskFailure)
    assert faults.foreseen(RuntimeError("28"), []) is None
