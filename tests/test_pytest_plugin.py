"""``pytest --gonogo TARGET`` fails with what an audit finds, and not with what is accepted."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.records_made import audit_report

from gonogo.pytest_plugin import GATES, pytest_addoption
from gonogo.records.findings import Severity

ROOT = Path(__file__).parents[1]
WORDS = ROOT / "tests" / "first_contact" / "words"
ARGS = ("--gonogo-args", "--budget 300 --seeds 4", "-k", "gonogo")
ACCEPTED = """\
accept:
  - finding: state_contract
    reason: its client reads words
"""


def run_pytest(folder: Path, *words: str) -> tuple[int, str]:
    """Run pytest in a folder; its exit code and what it printed."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "gonogo.pytest_plugin",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*command, "-rA", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": "/usr/bin:/bin", "HOME": str(folder)},
    )
    return done.returncode, done.stdout


def test_a_finding_fails_its_gate_until_it_is_accepted(tmp_path: Path) -> None:
    shutil.copytree(WORDS, tmp_path / "words")
    (tmp_path / "test_own.py").write_text("def test_own():\n    assert False\n")
    code, printed = run_pytest(tmp_path, "--gonogo", "words", *ARGS)
    assert code == 1
    assert "state_contract" in printed and "To mend it: " in printed
    assert "FAILED" in printed and "words: contract" in printed
    assert "1 failed, 3 passed, 1 deselected" in printed

    (tmp_path / "words" / "gonogo.yaml").write_text(ACCEPTED)
    code, printed = run_pytest(tmp_path, "--gonogo", "words", *ARGS)
    assert (code, "4 passed, 1 deselected" in printed) == (0, True)
    assert "state_contract is accepted: its client reads words" in printed


def test_no_verdict_fails_every_gate_and_nothing_happens_without_the_option(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(
        "import sys\n\n\ndef test_own():\n    assert not {'numpy', 'openenv', 'gonogo.records'} & set(sys.modules)\n"
    )
    code, printed = run_pytest(tmp_path, "--gonogo", "nowhere", "-k", "gonogo")
    assert code == 1 and "the audit came to no verdict: exit code 2" in printed
    assert "4 failed, 1 deselected" in printed
    code, printed = run_pytest(tmp_path)
    assert code == 0 and "1 passed" in printed


def test_what_an_audit_before_left_counts_for_nothing(tmp_path: Path) -> None:
    audit_report().save(tmp_path / "out" / "0")  # GO; nobody answers at this address now
    dead = ("--gonogo", "http://127.0.0.1:9", "--gonogo-out", "out", "-k", "gonogo")
    code, printed = run_pytest(tmp_path, *dead)
    assert code == 1 and "the audit came to no verdict" in printed and "4 failed" in printed


def test_the_gates_are_what_is_no_go_and_pytest_finds_the_plugin() -> None:
    assert set(GATES) == {each.value for each in Severity} - {Severity.SUSPICIOUS.value}
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    assert points["pytest11"] == {"gonogo": pytest_addoption.__module__}
