"""The upgrade for a reader: the tables in the reward's docstrings, and both sides of the audit."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gonogo.records.audit import AuditReport, HeadlineNumbers
from gonogo.records.reward import ExploitCase, RewardReport, SideNumber

__all__ = ["docstring", "markdown", "print_upgrade", "sides"]

WIDTH = 100


def docstring(cases: Sequence[ExploitCase], guards: dict[str, str]) -> str:
    """The table of a component as its docstring has it: one exploit a paragraph."""
    if not cases:
        return "    No exploit was found that a guard keeps out."
    lines = ["    Exploits that were flown, what each is paid, and its guard:"]
    for case in cases:
        said = (
            f"{plain(case.exploit)} ({case.origin}): {case.guarded:.3f}, and {case.unguarded:.3f} without "
            f"`{case.guard}`. {guards[case.guard]}"
        )
        lines += textwrap.wrap(said, WIDTH, initial_indent="    - ", subsequent_indent="      ")
    return "\n".join(lines)


def plain(text: str) -> str:
    """A text that may stand in a docstring: ASCII, short, without what would end it."""
    shown = text.encode("ascii", "backslashreplace").decode().replace("\\", "/").replace('"', "'")
    return textwrap.shorten(shown, 90, placeholder=" ...")


def sides(before: AuditReport, after: AuditReport) -> Iterator[SideNumber]:
    """Each number of the audit, by the environment's own reward and by the new one, task by task."""
    for old, new in zip(before.tasks, after.tasks, strict=True):
        numbers = named(new.numbers)
        for name, number in named(old.numbers).items():
            yield SideNumber(task=old.task, number=name, before=number, after=numbers[name])


def named(numbers: HeadlineNumbers) -> dict[str, float | None]:
    """The numbers that are compared, by their names; None where one is not known."""
    nothing, order = numbers.paid_for_nothing, numbers.failure_out_earns_success
    return {
        "paid for nothing": None if nothing is None else nothing.mean,
        "failure out-earns success, on the same seed": None if order is None else order.same_seed,
        "best failing return": numbers.best_failing_return,
        "best known return": numbers.best_known_return,
    }


def print_upgrade(record: RewardReport, console: Console) -> None:
    """Print both sides, the components, and the verdict."""
    table = Table("", "own reward", "new reward", title="Both sides", title_justify="left")
    for row in record.sides:
        table.add_row(row.number, shown(row.before), shown(row.after))
    flown = record.flown
    for name, both in (
        ("worst success", flown.worst_success),
        ("best failure", flown.best_failure),
    ):
        table.add_row(f"{name} flown here", *map(shown, both))
    for name, *words in judged(record):
        table.add_row(name, *map(escape, words))
    console.print(table)
    table = Table(
        "component", "weight", "exploits", "guards", title="Components", title_justify="left"
    )
    for part in record.components:
        guards = ", ".join(sorted({case.guard for case in part.cases}))
        table.add_row(part.name, f"{part.weight:g}", str(len(part.cases)), guards)
    console.print(table)
    for note in record.notes:
        console.print(f"Note: {note}", markup=False, highlight=False)
    console.print(f"{record.verdict.name}: {record.reason}", markup=False, highlight=False)


def judged(record: RewardReport) -> Iterator[tuple[str, str, str]]:
    """Findings and verdict of both audits."""
    before, after = record.before, record.after
    old, new = (", ".join(dict.fromkeys(side.findings)) or "none" for side in (before, after))
    yield "findings", old, new
    yield "verdict", before.verdict.name, after.verdict.name


def shown(value: float | None) -> str:
    """A number for a table."""
    return "unknown" if value is None else f"{value:.3f}"


def markdown(record: RewardReport) -> str:
    """The page."""
    lines = [
        f"# Reward of {record.environment}",
        "",
        f"**{record.verdict.name}**: {record.reason}",
        "",
    ]
    lines += ["| | own reward | new reward |", "|---|---|---|"]
    lines += [
        f"| {row.number} | {shown(row.before)} | {shown(row.after)} |" for row in record.sides
    ]
    lines += [f"| {' | '.join(row)} |" for row in judged(record)]
    for part in record.components:
        lines += ["", f"## {part.name} ({part.weight:g})", ""]
        lines += [
            "| exploit | from | guard | paid | paid without the guard |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| {plain(case.exploit)} | {case.origin} | `{case.guard}` | {case.guarded:.3f} "
            f"| {case.unguarded:.3f} |".replace("\n", " ")
            for case in part.cases
        ]
    return "\n".join([*lines, ""])
