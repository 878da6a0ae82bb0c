"""What a command has alone while it runs: a run's folder, a file of episodes."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path

from gonogo.claims import file_in_use, folder_in_use

__all__ = ["file", "folder", "let_go", "report_to"]

_held = ExitStack()
_folders: list[Path] = []


def folder(out: Path) -> None:
    """Have a run's folder until the command ends; as :func:`~gonogo.claims.folder_in_use`.

    Of several processes of one training, which share the folder, the first one has it for all.
    """
    if os.environ.get("RANK", "0") == "0":
        _held.enter_context(folder_in_use(out, _command()))
    _folders.append(out)


def file(path: Path) -> Path:
    """Have a file until the command ends, and answer it; as :func:`~gonogo.claims.file_in_use`."""
    _held.enter_context(file_in_use(path, _command()))
    return path


def let_go() -> None:
    """End it."""
    _held.close()
    _folders.clear()


def report_to() -> Path | None:
    """The folder that a report about this command belongs into; None where it has none."""
    return _folders[-1] if _folders else None


def _command() -> str:
    return next((word for word in sys.argv[1:] if not word.startswith("-")), "")
