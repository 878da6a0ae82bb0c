"""Tables of texts, made from a record, and how its figures are written: the same in the terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

__all__ = [
    "Sheet",
    "cut",
    "decimal",
    "estimate",
    "markdown",
    "percent",
    "print_sheets",
    "print_tables",
    "table_text",
    "task_text",
]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of texts; one without rows is not shown.

    Attributes:
        title: Above it.
        columns: Their heads.
        rows: A text for each column.
        commands: To be copied, below it: for each, what it is for.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    commands: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def script(self) -> Iterator[str]:
        """The commands as lines of a shell, each below a comment that says what it is for."""
        for command, reasons in self.commands.items():
            yield f"# {'; '.join(reasons)}"
            yield command


def print_sheets(sheets: Iterable[Sheet], record: dict[str, Any], console: Console) -> None:
    """Print the tables, then the record's notes and its verdict with the reason."""
    print_tables(sheets, record["notes"], console)
    said = f"{record['verdict']}: {record['reason']}"
    console.print(said, markup=False, highlight=False, emoji=False)


def print_tables(sheets: Iterable[Sheet], notes: Iterable[str], console: Console) -> None:
    """Print the tables, then notes."""
    for sheet in sheets:
        columns = [Column(name, overflow="fold") for name in sheet.columns]  # a path is shown whole
        table = Table(*columns, title=Text(sheet.title), title_justify="left")
        for row in sheet.rows:
            table.add_row(*map(Text, row))  # as it is: of ":lock:" no padlock is made
        if sheet.rows:
            console.print(table)
        for line in sheet.script():
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    for note in notes:
        console.print(f"Note: {note}", markup=False, highlight=False, emoji=False)


def markdown(title: str, sheets: Iterable[Sheet], record: dict[str, Any]) -> str:
    """The tables as a page, with the record's verdict above them and its notes below."""
    lines = [f"# {title}", "", f"**{record['verdict']}**: {record['reason']}"]
    for sheet in sheets:
        if sheet.rows:
            lines += ["", f"## {sheet.title}", "", table_text(sheet.columns, sheet.rows)]
        if sheet.commands:
            lines += ["", "```sh", *sheet.script(), "```"]
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


def cut(text: str, most: int) -> str:
    """A text of this many characters at most, and a mark where it went on."""
    return text if len(text) <= most else f"{text[:most]}…"


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
