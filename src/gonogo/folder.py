"""Reading the folder of a foreign environment: regular files inside it, within bounds, and nothing else.

Such a folder may hold a link to a device, a pipe that nobody writes to, a file without end, a loop of folders, or a
few lines of YAML that stand for a billion. What is read here is opened without waiting, has to be a regular file that
lies in the folder also after its links are followed, and is bounded in size, number and depth. What is left out is
said with its reason.
"""

from __future__ import annotations

import codecs
import math
import os
import stat
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from gonogo.wire import Manifest


MOST_BYTES = 8 << 20
"""Of a file that is read whole."""
MOST_HASHED = 256 << 20
"""Of a file that only its hash is made of."""
MOST_FILES = 20_000
MOST_DEPTH = 32
MOST_NODES = 100_000
"""Values of a document, each counted as often as an alias repeats it."""
DEEPEST = 64
"""Levels of a document."""
BLOCK = 1 << 20
MOST_NAMED = 5


class UnreadableFile(OSError):
    """A file that is there and is not read; the message names it and the reason."""


@dataclass(slots=True)
class Walk:
    """The files of a folder.

    Attributes:
        files: Regular files inside it, in sorted order.
        left_out: What else is there, by its name below the folder, with the reason.
    """

    files: list[Path] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    def note(self) -> str | None:
        """What was left out, in a sentence; None where all was read."""
        if not self.left_out:
            return None
        named = [f"{name} ({why})" for name, why in list(self.left_out.items())[:MOST_NAMED]]
        more = len(self.left_out) - len(named)
        return f"not read: {', '.join(named)}{f' and {more} more' if more else ''}"


def walk(folder: Path, skipped: Callable[[str], bool]) -> Walk:
    """The regular files of a folder and of those below it; links to folders are not followed.

    Args:
        folder: The folder.
        skipped: Whether a file or folder of a name is nobody's concern.
    """
    found = Walk()
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        for entry in entries_of(here, folder, found):
            if skipped(entry.name):
                continue
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                if depth < MOST_DEPTH:
                    waiting.append((path, depth + 1))
                else:
                    found.left_out[below(path, folder)] = f"more than {MOST_DEPTH} folders deep"
            # No link has been followed to here, so that what is no link lies inside.
            elif (
                not entry.is_file(follow_symlinks=False)
                and (why := no_file(path, folder)) is not None
            ):
                found.left_out[below(path, folder)] = why
            elif len(found.files) >= MOST_FILES:
                found.left_out[below(path, folder)] = f"more than {MOST_FILES} files"
                return found
            else:
                found.files.append(path)
    found.files.sort()
    return found


def below(path: Path, folder: Path) -> str:
    """A path's name below a folder, as a text that any file can hold: a name may be bytes of no alphabet."""
    return path.relative_to(folder).as_posix().encode("utf-8", "backslashreplace").decode()


def entries_of(here: Path, folder: Path, found: Walk) -> list[os.DirEntry[str]]:
    """What a folder holds, in sorted order; nothing where it cannot be listed."""
    try:
        with os.scandir(here) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        found.left_out[below(here, folder)] = reason(error)
        return []


def no_file(path: Path, folder: Path) -> str | None:
    """Why a path is no regular file inside a folder, or None where it is one."""
    real, inside = os.path.realpath(path), os.path.realpath(folder)
    if real != inside and not real.startswith(f"{inside.rstrip('/')}/"):
        return "a link out of the folder"
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return reason(error)
    return None if stat.S_ISREG(mode) else f"no regular file but {kind_of(mode)}"


def kind_of(mode: int) -> str:
    """What a file is that is none."""
    kinds = {
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFDIR: "a folder",
    }
    return kinds.get(stat.S_IFMT(mode), "something else")


def reason(error: OSError) -> str:
    """An error of the file system in a few words."""
    return (error.strerror or str(error)).lower()


def blocks(path: Path, folder: Path | None = None, most: int = MOST_HASHED) -> Iterator[bytes]:
    """The content of a regular file, block by block.

    Args:
        path: The file.
        folder: Where it has to lie; its own folder if None.
        most: Most bytes.

    Raises:
        FileNotFoundError: There is none.
        UnreadableFile: It is no regular file inside the folder, is larger, or cannot be read.
    """
    if (why := no_file(path, folder or path.parent)) is not None:
        if not os.path.lexists(path):
            raise FileNotFoundError(path)
        raise UnreadableFile(f"{path}: {why}")
    try:
        # A pipe that takes the file's place in between is opened without waiting for who writes to it.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            known = os.fstat(file.fileno())
            if not stat.S_ISREG(known.st_mode):
                raise UnreadableFile(f"{path}: no regular file")
            read = 0
            if known.st_size > most:
                raise UnreadableFile(f"{path}: larger than {most:,} bytes")
            while block := file.read(BLOCK):
                read += len(block)
                if read > most:
                    raise UnreadableFile(f"{path}: larger than {most:,} bytes")
                yield block
    except OSError as error:
        if isinstance(error, UnreadableFile):
            raise
        raise UnreadableFile(f"{path}: {reason(error)}") from error


def read_bytes(path: Path, folder: Path | None = None, most: int = MOST_BYTES) -> bytes:
    """The content of a regular file; as :func:`blocks`."""
    return b"".join(blocks(path, folder, most))


def read_text(path: Path, folder: Path | None = None, most: int = MOST_BYTES) -> str:
    """The text of a regular file in UTF-8.

    Args:
        path: The file.
        folder: Where it has to lie; its own folder if None.
        most: Most bytes.

    Raises:
        FileNotFoundError: There is none.
        UnreadableFile: As of :func:`blocks`, or it is not UTF-8.
    """
    try:
        return read_bytes(path, folder, most).decode("utf-8")
    except UnicodeDecodeError as error:
        marked = error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        remedy = "; it is UTF-16: save it as UTF-8" if marked else ""
        raise UnreadableFile(
            f"{path}: not UTF-8: byte {error.start} is {error.object[error.start]:#04x}{remedy}"
        ) from error


def read_yaml(path: Path, folder: Path | None = None) -> Any:
    """A YAML document as JSON has it: texts for dates and for keys.

    Raises:
        FileNotFoundError: There is none.
        UnreadableFile: As of :func:`read_text`, or it is no YAML, or one that its aliases make larger than the bound.
    """
    text = read_text(path, folder)
    try:
        loader = yaml.SafeLoader(text)
    except yaml.YAMLError as error:  # a character that YAML does not have
        raise UnreadableFile(f"{path}: {error}") from error
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        weigh(node)
        return plain(loader.construct_document(node))
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise UnreadableFile(f"{path}: {error}") from error
    except RecursionError as error:
        raise UnreadableFile(f"{path}: nested too deeply") from error
    finally:
        loader.dispose()


def weigh(root: yaml.Node) -> None:
    """Refuse a document that is larger or deeper than the bound once its aliases are written out.

    Raises:
        ValueError: It is, or it holds itself.
    """
    weights: dict[int, int] = {}

    def weight(node: yaml.Node, above: frozenset[int]) -> int:
        if id(node) in above:
            raise ValueError("a value that holds itself")
        if len(above) > DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} levels deep")
        if id(node) not in weights:
            values = node.value if isinstance(node, yaml.CollectionNode) else ()
            parts = (
                part
                for value in values
                for part in (value if isinstance(value, tuple) else (value,))
            )
            deeper = above | {id(node)}
            weights[id(node)] = 1 + sum(weight(part, deeper) for part in parts)
        if weights[id(node)] > MOST_NODES:
            raise ValueError(f"more than {MOST_NODES:,} values once its aliases are written out")
        return weights[id(node)]

    weight(root, frozenset())


def read_toml(path: Path, folder: Path | None = None) -> Manifest:
    """A TOML document as JSON has it; otherwise as :func:`read_yaml`."""
    try:
        text = read_text(path, folder)
        if text.startswith("\ufeff"):
            raise ValueError(
                "it begins with a byte order mark, which TOML forbids: save it without"
            )
        document: Manifest = plain(tomllib.loads(text))
    except ValueError as error:
        raise UnreadableFile(f"{path}: {error}") from error
    except RecursionError as error:
        raise UnreadableFile(f"{path}: nested too deeply") from error
    return document


def plain(value: Any, depth: int = 0) -> Any:
    """A document's value as JSON has it.

    Raises:
        ValueError: It is nested too deeply.
    """
    if depth > DEEPEST:
        raise ValueError(f"nested more than {DEEPEST} levels deep")
    if isinstance(value, dict):
        return {str(key): plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(inner, depth + 1) for inner in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)
