"""The box about the notebook: does it run from top to bottom, as it is committed?"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from gonogo.errors import MissingRecord
from gonogo.submission.check.answers import BoxAnswer, go, needs_you, no_go
from gonogo.submission.check.subject import Subject
from gonogo.submission.notebooks import run_notebook

__all__ = ["find_notebook", "look_at_notebook"]

LONGER = "check.notebook_s of the config gives more"


def find_notebook(subject: Subject) -> Path | None:
    """The notebook: the config's, the one that the README links, or the only one of the repository or folder."""
    if subject.run.check.notebook is not None:
        return subject.run.check.notebook.resolve()
    try:
        files = [subject.file_of(link) for link in subject.links if link.local]
    except MissingRecord:
        files = []
    found = [path for path in files if path.suffix == ".ipynb" and path.is_file()]
    if not found:
        root = subject.repository or subject.folder
        places = {*root.glob("*.ipynb"), *root.glob("notebooks/*.ipynb")}
        found = sorted({*places, *subject.below("*.ipynb")})
    return found[0] if len(dict.fromkeys(found)) == 1 else None


def look_at_notebook(subject: Subject) -> BoxAnswer:
    """Whether the notebook runs from top to bottom in a fresh process."""
    notebook = find_notebook(subject)
    if notebook is None:
        return needs_you("README.md links no notebook, and there is not exactly one beside it")
    if subject.run.check.quick:
        return needs_you(f"{notebook} was not run: the check is a quick one", subject.command)
    try:
        with fresh(subject, notebook) as copy:
            found = run_notebook(copy, subject.run.check.notebook_s)
    except subprocess.TimeoutExpired:
        within = f"{subject.run.check.notebook_s:g} s"
        return needs_you(f"{notebook} did not end within {within} ({LONGER})")
    failed = found.failed
    if failed is not None and failed.late:
        return needs_you(f"{notebook}: code cell {failed.cell} {failed.error} ({LONGER})")
    if failed is not None:
        return no_go(
            f"{notebook}: code cell {failed.cell} of {found.cells} fails: {failed.error} "
            f"(cell: {failed.source})",
            failed,
        )
    return go(f"{notebook}: all {found.cells} code cells ran from top to bottom")


@contextmanager
def fresh(subject: Subject, notebook: Path) -> Iterator[Path]:
    """A copy of the notebook that may leave files around it: in a clone of its repository, where it is committed."""
    with TemporaryDirectory(prefix="gonogo-notebook-") as scratch:
        root = subject.repository
        inside = root is not None and notebook.is_relative_to(root)
        if root is None or not inside or subject.uncommitted(notebook) is not None:
            yield Path(shutil.copy(notebook, scratch))
            return
        clone = Path(scratch) / "clone"
        words = ["git", "clone", "--quiet", "--depth", "1", f"file://{root}", str(clone)]
        subprocess.run(words, check=True, capture_output=True, timeout=300)
        yield clone / notebook.relative_to(root)
