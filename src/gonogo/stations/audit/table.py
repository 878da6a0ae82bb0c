"""The audit for a reader, made from its record and from nothing else."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gonogo.rollout.protocols import Json

__all__ = ["print_audit"]

MOST_ROWS = 12
SHOWN = frozenset({"reference", "idle", "random"})


def print_audit(record: Json, console: Console) -> None:
    """Print each task's best paid policies, the findings and the verdict."""
    for task in record["tasks"]:
        console.print(task_table(task))
    if record["findings"]:
        table = Table("finding", "task", "what happened", title="Findings", title_justify="left")
        for found in record["findings"]:
            table.add_row(
                found["id"], escape(task_text(found["task"])), escape(found["explanation"])
            )
        console.print(table)
    for note in record["notes"]:
        console.print(f"Note: {note}", markup=False, highlight=False)
    console.print(f"{record['verdict']}: {record['reason']}", markup=False, highlight=False)


def task_table(task: Json) -> Table:
    """The policies of a task: those meant to succeed, then the best paid."""
    columns = ("policy", "kind", "return", "success", "paid where it fails", "steps")
    table = Table(*columns, title=f"Task: {escape(task_text(task['task']))}", title_justify="left")
    rows = sorted(
        task["policies"], key=lambda row: (row["kind"] != "reference", -(row["paid"] or 0))
    )
    rows = [row for row in rows if row["kind"] in SHOWN or (row["paid"] or 0) > 0]
    for row in rows[:MOST_ROWS]:
        table.add_row(
            escape(row["policy"]),
            row["kind"],
            estimate_text(row["return"]),
            estimate_text(row["success"]),
            "unknown" if row["paid"] is None else f"{row['paid']:.3f}",
            "none" if row["steps"] is None else f"{row['steps']:.1f}",
        )
    return table


def estimate_text(estimate: Json | None) -> str:
    """A mean with its interval."""
    if estimate is None:
        return "none"
    if estimate["ci95"] is None:
        return f"{estimate['mean']:.3f} (constant)"
    return "{:.3f} [{:.3f}, {:.3f}]".format(estimate["mean"], *estimate["ci95"])


def task_text(options: Json) -> str:
    """A task's reset options on one line."""
    return ", ".join(f"{key}={value}" for key, value in options.items()) or "default"
