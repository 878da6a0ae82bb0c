"""Makes ``train.ipynb`` from ``train.py``, where the notebook's cells can be read, linted and reviewed as code.

    python notebooks/make.py

A line ``# %%`` begins a cell of code, ``# %% [markdown]`` one of text, whose lines are comments. The notebook holds
no outputs; a test runs it, and another holds it against its source.
"""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

HERE = Path(__file__).parent
SOURCE, NOTEBOOK = HERE / "train.py", HERE / "train.ipynb"
CELL = re.compile(r"^# %%( \[markdown\])?\n", re.MULTILINE)


def make(source: str) -> str:
    """The notebook's file for a source.

    Args:
        source: Cells, as in the module's description.

    Raises:
        ValueError: There is something before the first cell, or no cell.
    """
    before, *parts = CELL.split(source)
    if before or not parts:
        raise ValueError(f"a source begins with a cell, # %%, not with {before[:40]!r}")
    kinds, texts = parts[::2], [text.strip("\n") for text in parts[1::2]]
    cells = []
    for number, (kind, text) in enumerate(zip(kinds, texts, strict=True), start=1):
        cell = new_markdown_cell(uncommented(text)) if kind else new_code_cell(text)
        cell["id"] = f"cell-{number}"  # the library draws one at random
        cells.append(cell)
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return nbformat.writes(new_notebook(cells=cells, metadata=metadata)) + "\n"


def uncommented(text: str) -> str:
    """A text cell's lines without the marks that make them comments."""
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.splitlines())


if __name__ == "__main__":
    NOTEBOOK.write_text(make(SOURCE.read_text(encoding="utf-8")), encoding="utf-8")
