"""Tables of texts, made from a record, and how its figures are written: the same in the terminal and in Markdown.

And where in a README a command may write: a section stands between two lines that name it, and the rest of the file is
its author's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gonogo.errors import Misuse

__all__ = [
    "SECTIONS",
    "Sheet",
    "begin_of",
    "decimal",
    "end_of",
    "estimate",
    "filled",
    "markdown",
    "marks_in",
    "percent",
    "print_sheets",
    "read_page",
    "table_text",
    "task_text",
]

SECTIONS = {
    "problem": "The Problem",
    "environment": "The Environment",
    "reward": "Reward Design",
    "results": "Results",
    "quickstart": "Quickstart",
    "links": "Links",
}
"""The sections of an environment's README in their order: the name in the markers, and the heading."""
MARKER = re.compile(rf"^<!-- ({'|'.join(SECTIONS)}):(begin|end) -->[ \t]*\r?$\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of texts; one without rows is not shown."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def print_sheets(sheets: Iterable[Sheet], record: dict[str, Any], console: Console) -> None:
    """Print the tables, then the record's notes and its verdict with the reason."""
    for sheet in sheets:
        table = Table(*sheet.columns, title=escape(sheet.title), title_justify="left")
        for row in sheet.rows:
            table.add_row(*(escape(cell) for cell in row))
        if sheet.rows:
            console.print(table)
    for note in record["notes"]:
        console.print(f"Note: {note}", markup=False, highlight=False)
    console.print(f"{record['verdict']}: {record['reason']}", markup=False, highlight=False)


def markdown(title: str, sheets: Iterable[Sheet], record: dict[str, Any]) -> str:
    """The tables as a page, with the record's verdict above them and its notes below."""
    lines = [f"# {title}", "", f"**{record['verdict']}**: {record['reason']}"]
    for sheet in sheets:
        if sheet.rows:
            lines += ["", f"## {sheet.title}", "", table_text(sheet.columns, sheet.rows)]
    if record["notes"]:
        lines += ["", *(f"- {note}" for note in record["notes"])]
    return "\n".join(lines) + "\n"


def table_text(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join(row_text(row) for row in (columns, ["---"] * len(columns), *rows))


def row_text(cells: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"


def task_text(options: dict[str, Any]) -> str:
    """A task's reset options on one line."""
    return ", ".join(f"{key}={value}" for key, value in options.items()) or "default"


def estimate(value: dict[str, Any], sign: str = "") -> str:
    """A mean and its interval, as in ``0.512 [0.401, 0.620]``; says when there is no interval, a dash for no mean.

    Args:
        value: ``mean`` and ``ci95`` of a record.
        sign: ``+`` for a difference, whose sign is always written.
    """
    if value["mean"] is None:
        return "-"
    if value["ci95"] is None:
        return f"{value['mean']:{sign}.3f} (constant)"
    low, high = value["ci95"]
    return f"{value['mean']:{sign}.3f} [{low:{sign}.3f}, {high:{sign}.3f}]"


def decimal(value: float | None, digits: int = 3) -> str:
    """A number; a dash for none."""
    return "-" if value is None else f"{value:.{digits}f}"


def percent(share: float | None) -> str:
    """A share in percent; a dash for none."""
    return "-" if share is None else f"{100 * share:.1f} %"


def begin_of(section: str) -> str:
    """The line after which a section of a README is written."""
    return f"<!-- {section}:begin -->"


def end_of(section: str) -> str:
    """The line before which a section of a README ends."""
    return f"<!-- {section}:end -->"


def marks_in(page: str, source: object) -> dict[str, tuple[int, int]]:
    """Where a page's marked sections stand: between their lines, by name, in the order of the page.

    Args:
        page: Markdown.
        source: Where it comes from, for the message.

    Raises:
        Misuse: A section lacks one of its lines, has one twice, or lies across another.
    """
    found: dict[str, tuple[int, int]] = {}
    begun: re.Match[str] | None = None
    for mark in MARKER.finditer(page):
        name, which = mark.groups()
        line = page.count("\n", 0, mark.start()) + 1
        if which == "begin" and begun is None and name not in found:
            begun = mark
        elif which == "end" and begun is not None and begun[1] == name:
            found[name], begun = (begun.end(), mark.start()), None
        else:
            raise Misuse(
                f"{source}, line {line}: {mark[0].strip()} has no place there: a section has one line "
                f"{begin_of(name)}, and after it, with no other marker between, one line {end_of(name)}"
            )
    if begun is not None:
        raise Misuse(f"{source}: {begin_of(begun[1])} is not followed by {end_of(begun[1])}")
    return found


def read_page(file: Path) -> str:
    """A page with the ends of its lines as they are, so that what is not replaced stays as it is.

    Raises:
        Misuse: It cannot be read.
    """
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            return opened.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"{file}: cannot be read: {error}") from error


def filled(page: str, source: object, texts: Mapping[str, str]) -> str:
    """A page with other texts in its marked sections; everything outside of them as it was.

    Args:
        page: Markdown.
        source: As of :func:`marks_in`.
        texts: By section; those that the page does not have are left out.

    Raises:
        Misuse: As of :func:`marks_in`.
    """
    parts, at = [], 0
    for name, (first, last) in marks_in(page, source).items():
        parts += [page[at:first], texts.get(name, page[first:last])]
        at = last
    return "".join([*parts, page[at:]])
