"""Every documented ``pip install`` line resolves, and the notebook's first cells install it from an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "envs").glob("*/README.md")),
    *sorted((ROOT / "configs").glob("*.yaml")),
]
LINE = re.compile(r"(?:^[# ]*|`|&& )pip install ([^`\n&#]+)", re.MULTILINE)
"""A command that a page shows, in a block or in backticks; not what gonogo said of somebody's environment."""
PLACEHOLDER = "OWNER"
"""Stands in a documented line for what its reader fills in."""
CELL = re.compile(r"^# %%\n", re.MULTILINE)


def documented() -> dict[str, list[str]]:
    """The words after ``pip install`` of every line that a page shows, by what they ask for."""
    found: dict[str, list[str]] = {}
    for page in PAGES:
        for line in LINE.findall(page.read_text(encoding="utf-8")):
            words = [word.replace("./gonogo[", ".[") for word in shlex.split(line.rstrip(" );"))]
            if not any(PLACEHOLDER in word for word in words):
                wanted = [word for word in words if word not in {"-c", "constraints.txt"}]
                found[" ".join(wanted)] = wanted
    return found


def test_the_lines_are_found() -> None:
    assert {".", ".[train]", ".[unsloth]", ".[train,4bit]", "gonogo[ray]"} <= set(documented())


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("wanted", sorted(documented()))
def test_a_documented_line_resolves_under_the_constraints(wanted: str, tmp_path: Path) -> None:
    """As into a new environment, except that what adds to the gonogo that is there is resolved beside it."""
    words = documented()[wanted]
    if any(word.startswith("./envs") for word in words) and not (ROOT / "envs").is_dir():
        pytest.skip("envs/ is not there")
    fresh = [] if any(word.startswith("gonogo") for word in words) else ["--ignore-installed"]
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--dry-run",
            "--quiet",
            "-c",
            "constraints.txt",
            *fresh,
            *words,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]


def first_cells() -> str:
    """The notebook's first two cells of code: they install everything and print the versions."""
    source = (ROOT / "notebooks" / "train.py").read_text(encoding="utf-8")
    return "\n".join(
        re.split(r"^# %% ", part, maxsplit=1, flags=re.M)[0] for part in CELL.split(source)[1:3]
    )


def run_cells(python: Path, folder: Path, repository: str) -> subprocess.CompletedProcess[str]:
    """Run them as the notebook does, away from a checkout."""
    known = {
        key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "GONOGO_ROOT"}
    }
    return subprocess.run(
        [python, "-m", "IPython", "--no-banner", "--colors=NoColor", "-c", first_cells()],
        cwd=folder,
        env={**known, "GONOGO_REPOSITORY": repository},
        capture_output=True,
        text=True,
        check=False,
    )


def test_away_from_a_checkout_the_notebook_asks_for_the_repository(tmp_path: Path) -> None:
    ran = run_cells(Path(sys.executable), tmp_path, "")
    assert ran.returncode == 1
    assert "RuntimeError: no checkout of gonogo here" in ran.stdout + ran.stderr


@pytest.mark.long
@pytest.mark.timeout(1500)
def test_the_notebook_installs_itself_in_an_empty_folder(tmp_path: Path) -> None:
    """In a new virtual environment, from a clone that its first cell makes."""
    if not (ROOT / ".git").exists() or not (ROOT / "envs" / "flightrules").is_dir():
        pytest.skip("the notebook clones a repository with its environment")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "new"], check=True)
    python = tmp_path / "new" / "bin" / "python"
    # What a notebook runs in has it.
    subprocess.run([python, "-m", "pip", "install", "--quiet", "ipython"], check=True)
    folder = tmp_path / "empty"
    folder.mkdir()
    ran = run_cells(python, folder, ROOT.as_uri())
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    assert re.search(r"^trl==1\.16\.", ran.stdout, re.MULTILINE)
    assert (folder / "gonogo" / "constraints.txt").is_file()
