"""Running a notebook from top to bottom in a process of its own: did every cell end, and if not, which and why.

    python -m gonogo.submission.check.notebook NOTEBOOK RESULT CELL_SECONDS

The process writes RESULT, a :class:`NotebookOutcome` as JSON. It imports little, because each check begins one.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from gonogo.env.variables import child_environment
from gonogo.env.worker.process import run_to_end
from gonogo.errors import MissingExtra, Misuse
from gonogo.records.record import Part
from gonogo.records.submission import NotebookFailure

NEEDED = ("nbformat", "nbclient", "ipykernel")
SOURCE_CHARS = 200
GRACE_S = 30.0
"""Seconds in which a notebook whose last cell was late is ended in order."""


class NotebookOutcome(Part):
    """What became of a notebook."""

    cells: int
    """Its code cells."""
    failed: NotebookFailure | None
    """None where all ended."""


def run_notebook(notebook: Path, timeout_s: float) -> NotebookOutcome:
    """Run a notebook in its folder; it is not changed.

    Args:
        notebook: The file.
        timeout_s: Seconds for all of it, and for each cell.

    Raises:
        MissingExtra: What runs notebooks is not installed.
        Misuse: The file is no notebook.
        TimeoutExpired: It took longer.
    """
    if any(find_spec(name) is None for name in NEEDED):
        raise MissingExtra("dev", "running a notebook")
    with TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        words = [str(notebook), str(result), str(int(timeout_s))]
        command = [sys.executable, "-m", "gonogo.submission.check.notebook", *words]
        status, said = run_to_end(command, Path.cwd(), child_environment(), timeout_s + GRACE_S)
        if status != 0:
            lines = said.splitlines() or ["it said nothing"]
            raise Misuse(f"{notebook} cannot be run: {lines[-1]}")
        return NotebookOutcome.model_validate_json(result.read_text(encoding="utf-8"))


def main(notebook: Path, result: Path, cell_seconds: int) -> None:
    """Run it and write what came of it."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    try:
        page = nbformat.read(notebook, as_version=4)
        nbformat.validate(page)
    except (OSError, ValueError, AttributeError, nbformat.ValidationError) as error:
        sys.exit(f"no notebook: {' '.join(str(error).split())[:SOURCE_CHARS]}")
    for cell in page.cells:
        cell.metadata.pop("execution", None)  # of an earlier run
    client = NotebookClient(
        page,
        timeout=cell_seconds,
        kernel_name="python3",
        resources={"metadata": {"path": str(notebook.parent)}},
    )
    fault, late = None, False
    try:
        client.execute()
    except CellExecutionError as raised:
        fault = f"{raised.ename}: {raised.evalue}"
    except CellTimeoutError:
        late, fault = True, f"did not end within {cell_seconds} s"
    except DeadKernelError:
        fault = "its kernel died"
    code = [cell for cell in page.cells if cell.cell_type == "code" and cell.source.strip()]
    failed = None
    if fault is not None:
        # Cells before the one at fault have a count and no error; it is the last that was begun.
        begun = [n for n, cell in enumerate(code, start=1) if "execution" in cell.metadata]
        number = max(begun, default=1)
        source = " ".join(code[number - 1].source.split())[:SOURCE_CHARS]
        failed = NotebookFailure(cell=number, source=source, error=fault, late=late)
    outcome = NotebookOutcome(cells=len(code), failed=failed)
    result.write_text(outcome.model_dump_json(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]), int(sys.argv[3]))
