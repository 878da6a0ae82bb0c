"""What nobody foresaw: the one place that turns it into a sentence, an exit code and a file to report.

A verdict is a station's answer, so what is unforeseen must never look like one: Python's own exit code for it is 1,
which is NO-GO. Of the unforeseen, a disk that is full is told apart: that is a HOLD, and the same command goes on.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import shlex
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from gonogo.errors import DiskFailure, GonogoError, Misuse

FAULT = 70
"""Exit code of a fault of gonogo's own: EX_SOFTWARE of sysexits.h, and no verdict."""
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
"""What a disk says that takes nothing more."""
PLACE = (
    errno.EACCES,
    errno.EEXIST,
    errno.EISDIR,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.ENOTDIR,
    errno.EPERM,
)
"""What is wrong with a place that a user names."""
RUST = re.compile(r"\(os error (\d+)\)")
"""How libraries written in Rust, such as safetensors and tokenizers, say an error of the system."""
SECRET = "--env"
"""Option whose values are the user's own."""


def foreseen(error: Exception, words: Sequence[str]) -> GonogoError | None:
    """The error of ours that stands for one of the system's; None where there is none.

    Args:
        error: What a command raised.
        words: The command line, whose files and folders are the user's to choose.
    """
    try:
        os.getcwd()
    except FileNotFoundError:
        return Misuse("the folder in which the command was begun is gone: change to another one")
    for cause in causes(error):
        said = RUST.search(str(cause))
        number = cause.errno if isinstance(cause, OSError) else int(said[1]) if said else None
        if number is None:
            continue
        name = getattr(cause, "filename", None)
        if number in DISK:
            where = "standard output or a file" if name is None else name
            return DiskFailure(
                f"{where} could not be written: {os.strerror(number)}; what was finished is kept: make room, "
                "then the same command goes on"
            )
        if number in PLACE and name is not None and (word := named(Path(os.fsdecode(name)), words)):
            return Misuse(f"{word} cannot be used: {os.fsdecode(name)}: {os.strerror(number)}")
    return None


def named(path: Path, words: Sequence[str]) -> str | None:
    """The word that names a path, or one above or below it; None where no word does."""
    whole = path.absolute()
    for word in words:
        said = Path(word.rpartition("=")[2]).absolute()
        if (
            word
            and not word.startswith("-")
            and (whole in (said, *said.parents) or said in whole.parents)
        ):
            return word
    return None


def causes(error: BaseException) -> Iterator[BaseException]:
    """An error, and what it came from."""
    known: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in known:
        known.add(id(following))
        yield following
        following = following.__cause__ or following.__context__


def report(error: BaseException, words: Sequence[str], folder: Path | None = None) -> str:
    """Write down what is needed to mend a fault, and say so.

    Args:
        error: What was raised.
        words: The command line, without the program.
        folder: The run's; None where there is none yet, or where none can be written into.

    Returns:
        One sentence, with the file's name.
    """
    what = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
    text = "\n".join([
        f"command: gonogo {command_line(words)}",
        f"time: {datetime.now(UTC).isoformat(timespec='seconds')}",
        f"python: {platform.python_version()} on {platform.platform()}",
        f"packages: {', '.join(packages())}",
        "",
        "".join(traceback.format_exception(error)),
    ])  # fmt: skip
    file = kept(text, folder)
    how = "" if file is None else f" with {file}"
    if file is None:
        print(text, file=sys.stderr)
    return (
        f"a fault of gonogo's own, which says nothing about the environment or the agent ({what}); "
        f"please report it{how}"
    )


def cache_folder() -> Path:
    """The user's cache for gonogo; it need not exist."""
    # expanduser leaves "~" for a user without a home, and Path.home would raise.
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(tempfile.gettempdir() if cache.startswith("~") else cache) / "gonogo"


def kept(text: str, folder: Path | None) -> Path | None:
    """Write the text into the first folder that takes it: the run's, the user's cache, the machine's scratch."""
    name = f"fault-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.txt"
    for place in (folder, cache_folder(), Path(tempfile.gettempdir())):
        if place is None:
            continue
        try:
            place.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text, encoding="utf-8", errors="replace")
        except OSError:
            continue
        return place / name
    return None


def command_line(words: Sequence[str]) -> str:
    """The words of a command as they are typed, without the values that are the user's own."""
    shown, hidden = [], False
    for word in words:
        option, equals, value = word.partition("=")
        if hidden:
            word = f"{option}=…" if equals else word
        elif option == SECRET and equals:
            name, given, _ = value.partition("=")
            word = f"{SECRET}={name}{'=…' if given else ''}"
        hidden = word == SECRET
        shown.append(word)
    return shlex.join(shown)


def packages() -> Iterator[str]:
    """All that is installed beside gonogo, with its version."""
    found = {each.name: each.version for each in metadata.distributions() if each.name}
    yield from sorted(f"{name} {version}" for name, version in found.items())
