"""The report for a reader, made from its results and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from openenv.validation import CheckResult
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gonogo.records.record import Verdict

__all__ = ["print_report"]

STYLES = {"pass": "green", "fail": "red", "skip": "yellow", "error": "red"}


def print_report(
    results: Sequence[CheckResult], openenv: str, verdict: Verdict, console: Console
) -> None:
    """Print every check, how many there are of each status, and both verdicts.

    Args:
        results: OpenEnv's results.
        openenv: OpenEnv's verdict.
        verdict: Ours.
        console: Where to.
    """
    table = Table("check", "status", "evidence", title="OpenEnv's checks", title_justify="left")
    for result in results:
        status = result.status.value
        said = result.evidence[0] if result.evidence else ""
        more = len(result.evidence) - 1
        said += f" (and {more} more)" if more > 0 else ""
        table.add_row(result.check_id, f"[{STYLES[status]}]{status}[/]", escape(said))
    console.print(table)
    counted = {status: sum(r.status.value == status for r in results) for status in STYLES}
    counts = ", ".join(f"{number} {status}" for status, number in counted.items() if number)
    console.print(
        f"{verdict.name}: {counts}; OpenEnv's severity policy says {openenv}", highlight=False
    )
