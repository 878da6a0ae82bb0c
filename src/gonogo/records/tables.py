"""Tables of texts, made from a record, and how its figures are written: the same in the terminal and in Markdown.

What is shown often comes from a foreign environment. Nothing of it may move the cursor of a terminal, set its title or
turn the direction of a line, and nothing of it may leave its cell of a page or become a tag: everything that is printed
goes through a :class:`~gonogo.records.terminal.Terminal` or :func:`visible`, and everything on a page through
:func:`inline`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from gonogo.records.record import Estimate, Verdict
from gonogo.records.terminal import visible
from gonogo.wire import TaskOptions

TAG = re.compile(r"<(?=[A-Za-z/!?])|(?<=\])(?=\()")
"""Where a tag of HTML would begin, or the address of a link or picture of Markdown."""
PIPE = re.compile(r"(\\*)\|")


def inline(text: str) -> str:
    """A text for one line of a Markdown page, in which nothing is a tag or a link."""
    return TAG.sub(lambda found: "&lt;" if found[0] else "\\", visible(" ".join(text.split())))


@dataclass(frozen=True, slots=True)
class TextTable:
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


class Concluded(Protocol):
    """What ends in a verdict, as a station's record does."""

    @property
    def verdict(self) -> Verdict:
        """The answer."""
        ...

    @property
    def reason(self) -> str:
        """The evidence behind it, in a sentence."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What else a reader should know."""
        ...


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The verdict over something that has no record of its own.

    Attributes:
        verdict: The answer.
        reason: The evidence behind it.
        notes: What else a reader should know.
    """

    verdict: Verdict
    reason: str
    notes: Sequence[str] = ()


def print_sheets(sheets: Iterable[TextTable], record: Concluded, console: Console) -> None:
    """Print the tables, then the record's notes and its verdict with the reason."""
    print_tables(sheets, record.notes, console)
    said = f"{record.verdict.name}: {record.reason}"
    console.print(said, markup=False, highlight=False, emoji=False)


def print_tables(sheets: Iterable[TextTable], notes: Iterable[str], console: Console) -> None:
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


def markdown(title: str, sheets: Iterable[TextTable], record: Concluded) -> str:
    """The tables as a page, with the record's verdict above them and its notes below."""
    lines = [f"# {inline(title)}", "", f"**{record.verdict.name}**: {inline(record.reason)}"]
    for sheet in sheets:
        if sheet.rows:
            lines += ["", f"## {inline(sheet.title)}", "", table_text(sheet.columns, sheet.rows)]
        if sheet.commands:
            lines += ["", "```sh", *map(visible, sheet.script()), "```"]
    if record.notes:
        lines += ["", *(f"- {inline(note)}" for note in record.notes)]
    return "\n".join(lines) + "\n"


def table_text(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join(row_text(row) for row in (columns, ["---"] * len(columns), *rows))


def row_text(cells: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(PIPE.sub(bar, inline(cell)) for cell in cells)} |"


def bar(found: re.Match[str]) -> str:
    """A bar that ends no cell, whatever stands before it."""
    return f"{found[1]}{found[1]}\\|"


def task_text(options: TaskOptions) -> str:
    """A task's reset options on one line."""
    return ", ".join(f"{key}={value}" for key, value in options.items()) or "default"


def reset_text(before: Sequence[TaskOptions]) -> str:
    """Of which reset an episode is, by those before it."""
    return f"at reset {len(before) + 1} of a fresh process"


def cut(text: str, most: int) -> str:
    """A text of this many characters at most, and a mark where it went on."""
    return text if len(text) <= most else f"{text[:most]}…"


def in_a_line(said: str) -> str:
    """Of an error with several lines the one that says what is wrong.

    That is the first that holds a word; where it only announces what follows, the last stands behind it.

    Args:
        said: All that was said.
    """
    lines = [line.strip() for line in said.splitlines() if any(map(str.isalnum, line))]
    if not lines:
        return said.strip()
    first, last = lines[0], lines[-1]
    return f"{first} {last}" if first.endswith(":") and len(lines) > 1 else first


def estimate(value: Estimate, sign: str = "") -> str:
    """A mean and its interval, as in ``0.512 [0.401, 0.620]``; says when there is no interval, a dash for no mean.

    Args:
        value: The estimate.
        sign: ``+`` for a difference, whose sign is always written.
    """
    if value.mean is None:
        return "-"
    if value.ci95 is None:
        return f"{value.mean:{sign}.3f} (constant)"
    low, high = value.ci95
    return f"{value.mean:{sign}.3f} [{low:{sign}.3f}, {high:{sign}.3f}]"


def decimal(value: float | None, digits: int = 3) -> str:
    """A number; a dash for none."""
    return "-" if value is None else f"{value:.{digits}f}"


def percent(share: float | None) -> str:
    """A share in percent; a dash for none."""
    return "-" if share is None else f"{100 * share:.1f} %"
