"""Notebooks that run, fail, hang, or are none, and what their process says of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gonogo.errors import Misuse
from gonogo.records.submission import NotebookFailure
from gonogo.submission.check.execution import find_notebook, look_at_notebook
from gonogo.submission.check.notebook import NotebookOutcome, run_notebook
from gonogo.submission.check.subject import Subject

pytest.importorskip("nbclient", reason="running a notebook needs nbclient, nbformat and ipykernel")
pytest.importorskip("ipykernel", reason="running a notebook needs nbclient, nbformat and ipykernel")
Subjects = Callable[..., Subject]


def notebook(file: Path, *sources: str) -> Path:
    """A notebook of words and code cells, run before as far as its metadata says."""
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": "words", "metadata": {}, "source": "# Words"},
    ]
    cells += [
        {
            "cell_type": "code",
            "id": f"cell{n}",
            "metadata": {"execution": {"shell.execute_reply": "2026"}},
            "source": source,
            "outputs": [],
            "execution_count": 7,
        }
        for n, source in enumerate(sources)
    ]
    page = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    file.write_text(json.dumps(page))
    return file


def test_a_notebook_that_runs_beside_the_files_of_its_commit(
    package: Path, subject: Subjects, commit: Callable[[Path], None]
) -> None:
    notebook(
        package / "train.ipynb", "from pathlib import Path", "Path('openenv.yaml').read_text()"
    )
    commit(package)
    answer = look_at_notebook(subject())
    assert answer.word == "GO", answer.said
    assert "all 2 code cells" in answer.said


def test_a_notebook_that_fails_says_the_cell_and_the_error(
    package: Path, subject: Subjects
) -> None:
    file = notebook(package / "train.ipynb", "x = 1", "y = x + z", "print(y)")
    answer = look_at_notebook(subject(check__notebook=str(file)))
    assert answer.word == "NO-GO"
    assert (
        "code cell 2 of 3 fails: NameError: name 'z' is not defined (cell: y = x + z)"
        in answer.said
    )


@pytest.mark.long
def test_a_notebook_that_hangs(package: Path, subject: Subjects) -> None:
    file = notebook(package / "train.ipynb", "import time; time.sleep(600)")
    answer = look_at_notebook(subject(check__notebook=str(file), check__notebook_s=6.0))
    assert answer.word == "NEEDS YOU"
    assert "code cell 1 did not end within 6 s" in answer.said


def test_a_file_that_is_no_notebook(package: Path, subject: Subjects) -> None:
    file = package / "train.ipynb"
    file.write_text("print('hello')")
    with pytest.raises(Misuse, match="no notebook"):
        look_at_notebook(subject(check__notebook=str(file)))


def test_which_notebook(package: Path, subject: Subjects) -> None:
    assert look_at_notebook(subject()).word == "NEEDS YOU"
    one = notebook(package / "one.ipynb", "1")
    assert find_notebook(subject()) == one
    two = notebook(package / "two.ipynb", "2")
    assert find_notebook(subject()) is None
    (package / "README.md").write_text("[train](two.ipynb)")
    assert find_notebook(subject()) == two
    assert look_at_notebook(subject(check__quick=True)).word == "NEEDS YOU"
    asked = look_at_notebook(subject(check__quick=True, check__notebook=str(one)))
    assert str(asked.command).endswith(f"--notebook {one}")


def test_a_kernel_that_dies_is_told_with_the_cell_that_it_died_of(tmp_path: Path) -> None:
    file = notebook(tmp_path / "a.ipynb", "x = 1", "", "import os\nos._exit(1)", "x = 2")
    before = file.read_bytes()
    source, why = "import os os._exit(1)", "its kernel died"
    failed = NotebookFailure(cell=2, source=source, error=why, late=False)
    assert run_notebook(file, 60.0) == NotebookOutcome(cells=3, failed=failed)
    assert file.read_bytes() == before


def test_json_that_is_no_notebook_is_refused_with_its_fault(tmp_path: Path) -> None:
    file = tmp_path / "a.ipynb"
    cells = [{"cell_type": "nothing"}]
    page = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    file.write_text(json.dumps(page))
    with pytest.raises(Misuse, match=r"a\.ipynb cannot be run: no notebook: "):
        run_notebook(file, 60.0)
