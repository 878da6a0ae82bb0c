"""What a station leaves behind: versioned JSON records and JSON-lines logs that survive a crash.

A record is one JSON object whose ``schema`` names its kind and version, as in
``gonogo/evaluation/1``. It is written whole or not at all. A log has one JSON object a line; only
its last line can be torn, and a reader leaves that line out.

Reading is where trust is decided: :func:`read_record` refuses a record that is missing, of another
schema, or about another version of the environment. Nothing here knows what a record means.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gonogo.errors import MissingRecord, RecordError, StaleRecord
from gonogo.records.provenance import Machine, SourceHash

if TYPE_CHECKING:  # a broken installation is told without pydantic, which this needs
    from gonogo.wire import JsonObject

PART = ".part"
"""End of the name of a file that is being written; whoever has its folder alone removes what is left of them."""
CHANGING = "changing.json"
"""File of a run's folder that names what changed of the environment's data while it ran, and the code that it wrote."""
MOST_NAMED = 5


def schema_name(kind: str, version: int) -> str:
    """The ``schema`` of a record, as in ``gonogo/evaluation/1``."""
    return f"gonogo/{kind}/{version}"


def write_record(path: Path, kind: str, version: int, body: JsonObject) -> None:
    """Write a record whole or not at all: a reader sees the old one or the new one.

    Args:
        path: Where to; missing folders are made.
        kind: What the record is, as in ``evaluation``.
        version: Version of the kind's schema.
        body: The record's fields, without ``schema``. Numpy scalars and arrays are written as
            plain numbers and lists.

    Raises:
        RecordError: A field cannot be JSON; NaN and infinities cannot.
    """
    source = body.get("source_hash")
    if isinstance(source, SourceHash):
        known = _changing(path.parent)
        if new := [name for name in source.changed() if name not in known]:
            known = sorted([*known, *new])
            write_text(path.parent / CHANGING, json.dumps(known, indent=2) + "\n")
        body = {**body, "source_hash": source.without(known), "source_data": {**source.data}}
    text = _dumps({"schema": schema_name(kind, version), **body}, path, indent=2)
    write_text(path, text + "\n")


def write_text(path: Path, text: str) -> None:
    """Replace a file's content atomically: temporary file, fsync, rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART)
    try:
        with naming(path), os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes private files; a record is as readable as any file the user writes.
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)  # it has the new name by now, or is of no use


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an error of the disk say which file it is about: one that is open already has no name in it."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def read_record(
    path: Path, kind: str, version: int, source: str | None = None, station: str | None = None
) -> JsonObject:
    """Read a record that can be relied on.

    Args:
        path: The record's file.
        kind: What it has to be.
        version: The schema version that the reader understands.
        source: The environment's present :func:`~gonogo.records.provenance.source_hash`, to be compared with
            the record's ``source_hash``; None where the record need not be about this environment.
        station: The command that writes such records, for the error's words; None where none does.

    Returns:
        The record with its ``schema``.

    Raises:
        MissingRecord: There is no such file, or it is not a JSON object.
        StaleRecord: It is of another kind, version or environment source.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        writer = "" if station is None else f"; gonogo {station} writes it"
        raise MissingRecord(f"{path}: no {kind} record there{writer}") from error
    except (OSError, ValueError) as error:
        raise MissingRecord(f"{path}: not readable as JSON: {error}") from error
    if not isinstance(record, dict):
        raise MissingRecord(f"{path}: a record is a JSON object, not {type(record).__name__}")
    expected = schema_name(kind, version)
    if record.get("schema") != expected:
        raise StaleRecord(f"{path}: schema must be {expected}, not {record.get('schema')!r}")
    if source is not None:
        data = source.data if isinstance(source, SourceHash) else None
        now = source_in(path.parent, source)
        if why := _stale(record, now, data, _changing(path.parent)):
            raise StaleRecord(f"{path}: {why}; run {station or kind} again")
    return record


def source_in(folder: Path, source: str) -> str:
    """The hash of an environment's source as a run's records hold it: without what the environment wrote in that run.

    Args:
        folder: The run's.
        source: The hash of all that is there now.
    """
    return source.without(_changing(folder)) if isinstance(source, SourceHash) else source


def digest(record: JsonObject) -> str:
    """SHA-256 of a record's content, by which plots and pages name the record that they were made from."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def differences(old: JsonObject, new: JsonObject, within: str = "") -> list[str]:
    """Which fields of two configs have other values, each with its dotted name and both values.

    Args:
        old: One, as JSON has it.
        new: The other.
        within: Dotted name of what both are, with a dot at its end.
    """
    found = []
    for name in dict.fromkeys([*old, *new]):
        before, now = old.get(name), new.get(name)
        if isinstance(before, dict) and isinstance(now, dict):
            found += differences(before, now, f"{within}{name}.")
        elif before != now:
            found.append(f"{within}{name} was {_short(before)} and is {_short(now)}")
    return found


def append_line(path: Path, row: JsonObject) -> None:
    """Append one row to a JSON-lines log and bring it to the disk.

    A line that an earlier crash tore is cut off first, so that it cannot swallow this one.

    Raises:
        RecordError: The row cannot be JSON.
    """
    append_text(path, _dumps(row, path))


def append_text(path: Path, line: str, *, sync: bool = True) -> None:
    """Append one line that is JSON already; otherwise as :func:`append_line`.

    Args:
        path: The log.
        line: The line, without its end.
        sync: Whether it outlives the machine, and not only the process.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with naming(path), path.open("a+b") as file:
        _cut_torn_tail(file.fileno())
        file.write(line.encode() + b"\n")
        file.flush()
        if sync:
            os.fsync(file.fileno())


def read_lines(path: Path) -> Iterator[JsonObject]:
    """Rows of a JSON-lines log; a last line without its end is a crash's and is left out.

    Raises:
        MissingRecord: There is no such file.
        RecordError: A whole line is not a JSON object.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise MissingRecord(f"{path}: not readable: {error}") from error
    for number, line in enumerate(lines[:-1], start=1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise RecordError(f"{path}, line {number}: not JSON: {error}") from error
        if not isinstance(row, dict):
            raise RecordError(f"{path}, line {number}: not a JSON object")
        yield row


def rewind(path: Path, keep: Callable[[JsonObject], bool]) -> int:
    """Keep only the rows that ``keep`` accepts, for a run that resumes from before the log's end.

    Returns:
        How many rows were dropped; 0 where there is no log yet.
    """
    if not path.exists():
        return 0
    rows = list(read_lines(path))
    kept = [row for row in rows if keep(row)]
    write_text(path, "".join(_dumps(row, path) + "\n" for row in kept))
    return len(rows) - len(kept)


def _changing(folder: Path) -> list[str]:
    """Names of what the environment changed or wrote in its folder while something of this run ran."""
    try:
        names = json.loads((folder / CHANGING).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [str(name) for name in names] if isinstance(names, list) else []


def _cut_torn_tail(descriptor: int) -> None:
    end = os.lseek(descriptor, 0, os.SEEK_END)
    size = end
    while size > 0:
        start = max(0, size - 65536)
        block = os.pread(descriptor, size - start, start)
        newline = block.rfind(b"\n")
        if newline >= 0:
            size = start + newline + 1
            break
        size = start
    if size < end:
        os.ftruncate(descriptor, size)


def _stale(
    record: JsonObject, source: str, data: Mapping[str, str] | None, changing: Collection[str]
) -> str | None:
    """Why a record is about another source, in a sentence; None where it is about this one."""
    if record.get("source_hash") != source:
        return f"source_hash is {record.get('source_hash')!r}, and the environment's source has changed since"
    held = None if data is None else record.get("source_data")
    made = held if isinstance(held, dict) else {}
    other = [n for n, was in made.items() if n not in changing and (data or {}).get(n) != was]
    return (
        f"{', '.join(other[:MOST_NAMED])} of the environment has changed since" if other else None
    )


def _umask() -> int:
    # The only way to read it is to set it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _dumps(value: JsonObject, path: Path, indent: int | None = None) -> str:
    try:
        return json.dumps(value, allow_nan=False, ensure_ascii=False, indent=indent, default=_plain)
    except (TypeError, ValueError) as error:
        raise RecordError(f"{path}: cannot be written as JSON: {error}") from error


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _plain(value: Any) -> Any:
    # Numpy scalars and arrays, and torch's, answer tolist with plain numbers.
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Machine):
        return asdict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
