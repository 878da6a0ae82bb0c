"""What a command has alone while it runs: a run's folder, a file of episodes."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from gonogo.records.lock import file_in_use, folder_in_use

if TYPE_CHECKING:
    from gonogo.config import ConfigFields, RunConfig


_held = ExitStack()
_folders: list[Path] = []


def folder(out: Path) -> None:
    """Have a run's folder until the command ends; as :func:`~gonogo.records.lock.folder_in_use`.

    Of several processes of one training, which share the folder, the first one has it for all.
    """
    if first():
        _held.enter_context(folder_in_use(out, _command()))
    _folders.append(out)


def flags(run: RunConfig, config_file: Path | None, given: ConfigFields) -> None:
    """Keep what the command was given in its folder, which it has; as :func:`~gonogo.config.keeping`."""
    from gonogo.config import (
        keeping,  # not before a command is sure to be one: it takes most of a start
    )

    if first():
        _held.enter_context(keeping(run.out, config_file, given, run.target))


def file(path: Path) -> Path:
    """Have a file until the command ends, and answer it; as :func:`~gonogo.records.lock.file_in_use`."""
    _held.enter_context(file_in_use(path, _command()))
    return path


def let_go() -> None:
    """End it, as the command ends: with its error, where one is being handled."""
    _held.__exit__(*sys.exc_info())
    _folders.clear()


def report_to() -> Path | None:
    """The folder that a report about this command belongs into; None where it has none."""
    return _folders[-1] if _folders else None


def first() -> bool:
    """Whether this is the one process of a training that writes."""
    return os.environ.get("RANK", "0") == "0"


def _command() -> str:
    return next((word for word in sys.argv[1:] if not word.startswith("-")), "")
