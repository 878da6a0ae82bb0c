"""Tables of texts, made from a record: the same in the terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

__all__ = ["Sheet", "markdown", "print_sheets", "row_text", "task_text"]


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
            lines += ["", f"## {sheet.title}", "", row_text(sheet.columns)]
            lines += [row_text(["---"] * len(sheet.columns)), *(row_text(r) for r in sheet.rows)]
    if record["notes"]:
        lines += ["", *(f"- {note}" for note in record["notes"])]
    return "\n".join(lines) + "\n"


def row_text(cells: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"


def task_text(options: dict[str, Any]) -> str:
    """A task's reset options on one line."""
    return ", ".join(f"{key}={value}" for key, value in options.items()) or "default"
