"""A notebook in a process of its own: how many cells it has, and at which it failed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gonogo.errors import Misuse
from gonogo.records.submission import NotebookFailure
from gonogo.submission.notebooks import NotebookOutcome, run_notebook

pytest.importorskip("nbclient", reason="running a notebook needs nbclient, nbformat and ipykernel")
pytest.importorskip("ipykernel", reason="running a notebook needs nbclient, nbformat and ipykernel")


def notebook(file: Path, *sources: str) -> Path:
    """A notebook of code cells, run before as far as its metadata says."""
    cells = [
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
