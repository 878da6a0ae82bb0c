"""One command at a time in a run's folder, said by name and process.

The lock is the kernel's: it ends with the process that has it, however that ends. Whoever has it knows that what other
processes were writing there is of no use to anybody, and removes it.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from glob import escape
from pathlib import Path
from typing import IO

from gonogo.errors import DiskFailure, MissingRecord, Misuse
from gonogo.records.files import PART, naming

LOCK = ".gonogo.lock"
FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def folder_in_use(folder: Path, command: str) -> Iterator[None]:
    """Have a run's folder alone; it is made where it is not there, and goes again where nothing was written.

    Args:
        folder: The folder.
        command: Who has it.

    Raises:
        Misuse: Another command has it, or there cannot be a folder that is written into.
        DiskFailure: The disk is full.
        MissingRecord: It was removed in the meantime.
    """
    made = [each for each in (folder, *folder.parents) if not os.path.lexists(each)]
    try:
        with ours(folder / LOCK, f"the run's folder {folder}", command):
            remove_parts(folder, f".*{PART}", f"*/.*{PART}")
            yield
    finally:
        with suppress(OSError):  # there is something in it
            for each in made:
                each.rmdir()


@contextmanager
def file_in_use(file: Path, command: str) -> Iterator[None]:
    """Have a file alone that a command adds to; as :func:`folder_in_use`.

    Args:
        file: The file, which need not be there.
        command: Who has it.

    Raises:
        Misuse: Another command has it, or it cannot be written.
        DiskFailure: The disk is full.
        MissingRecord: It was removed in the meantime.
    """
    with ours(file.with_name(f".{file.name}.lock"), str(file), command):
        if file.exists() and not (file.is_file() and os.access(file, os.W_OK)):
            raise Misuse(f"{file} must be a file that can be written")
        remove_parts(file.parent, f".{escape(file.name)}.*{PART}")
        try:
            yield
        except FileNotFoundError as error:
            if error.filename is None or Path(os.fsdecode(error.filename)) != file:
                raise
            raise removed(str(file), command) from error


@contextmanager
def ours(lock: Path, what: str, command: str) -> Iterator[None]:
    """Hold the lock of a file or folder; whoever removes the lock's file removed what is locked.

    Raises:
        Misuse: Another command holds it, or it cannot be written.
        DiskFailure: The disk is full.
        MissingRecord: It was removed in the meantime.
    """
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        file = taken(lock, what)
    except FileExistsError as error:
        raise Misuse(
            f"{what} cannot be written: {error.filename} is there, and no folder"
        ) from None
    except (OSError, ValueError) as error:  # a ValueError for a name that no file can have
        why = f"{what} cannot be written: {getattr(error, 'strerror', None) or error}"
        raise (DiskFailure if getattr(error, "errno", None) in FULL else Misuse)(why) from None
    with file:
        who = f"gonogo {command} (process {os.getpid()} since {datetime.now():%H:%M})"
        try:
            with naming(lock):
                file.truncate(0)
                os.write(file.fileno(), who.encode())  # what a buffer cannot get rid of fails again
            yield
            if not is_at(file, lock):
                raise removed(what, command)
        except (OSError, MissingRecord) as error:
            # One of these is raised by whatever looks for what is not there any more.
            if is_at(file, lock):
                raise
            raise removed(what, command) from error
        finally:
            if is_at(file, lock):
                lock.unlink()


def removed(what: str, command: str) -> MissingRecord:
    """The error of a command under which its folder or file went away."""
    return MissingRecord(
        f"{what} was removed while gonogo {command} worked in it, and what was written there is lost: give the same "
        "command again to start over"
    )


def is_at(file: IO[str], path: Path) -> bool:
    """Whether an open file is the one that stands at a path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except (FileNotFoundError, NotADirectoryError):
        return False


def taken(lock: Path, what: str) -> IO[str]:
    """The lock's file, which is this process's until it is closed.

    Raises:
        Misuse: Another process has it.
    """
    while True:
        file = lock.open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with file:
                file.seek(0)
                who = file.read() or "another command"
            raise Misuse(
                f"{what} is in use by {who}: wait for its end, or choose another"
            ) from None
        except OSError:  # a file system without locks: it is as if nobody had it
            return file
        # Who had it before may have removed it since it was opened here: it is nobody's then.
        if is_at(file, lock):
            return file
        file.close()


def remove_parts(folder: Path, *patterns: str) -> None:
    """Remove what processes that were killed had begun to write."""
    for pattern in patterns:
        for left in folder.glob(pattern):
            left.unlink(missing_ok=True)
