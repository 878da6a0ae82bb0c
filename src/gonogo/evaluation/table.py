"""The evaluation as tables, for a terminal and, in the same words, for a README."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from gonogo.records.evaluation import EvaluationReport
from gonogo.records.stations import WORDS
from gonogo.records.tables import decimal, estimate, percent

POLICY_COLUMNS = ("policy", "decoding", "score", "success", "invalid", "timeouts", "turns")
NAME = 30
"""Characters of a name, or of two that are compared, that stay on a line."""
CRITERIA_COLUMNS = ("criterion", "", "found")
COMPARISON_COLUMNS = ("compared", "score difference", "success difference", "change", "McNemar p")


def print_evaluation(record: EvaluationReport, console: Console) -> None:
    """Print the record: policies, comparisons, what GO needs, what the intervals cover."""
    title = f"{record.environment}, {tasks_in_words(record)}"
    for name, columns, rows in (
        (title, POLICY_COLUMNS, policy_rows(record)),
        (None, COMPARISON_COLUMNS, comparison_rows(record)),
        ("What GO needs", CRITERIA_COLUMNS, criteria_rows(record)),
    ):
        table = Table(*columns, title=name, title_justify="left")
        listed = list(rows)
        for row in listed:
            table.add_row(*row)
        # A name that is longer, such as a function's, is folded, and no figure is cut for it.
        table.columns[0].no_wrap = all(len(row[0]) <= NAME for row in listed)
        table.columns[0].overflow = "fold"
        if table.row_count:
            console.print(table)
    for note in record.notes:
        console.print(f"Note: {note}", markup=False, highlight=False)


def tasks_in_words(record: EvaluationReport) -> str:
    """What was flown, as in ``200 tasks (level detumble, split test), the same for every policy``."""
    named = f" ({', '.join(options)})" if (options := record.where()) else ""
    count = record.episodes
    return f"{count} task{'s' * (count != 1)}{named}, the same for every policy"


def policy_rows(record: EvaluationReport) -> Iterator[tuple[str, ...]]:
    """A row of texts for each policy."""
    for name, entry in record.policies.items():
        yield (
            name,
            entry.decoding or "-",
            estimate(entry.score),
            estimate(entry.success),
            percent(entry.invalid_rate),
            percent(entry.timeout_rate),
            decimal(entry.mean_turns, 1),
        )


def comparison_rows(record: EvaluationReport) -> Iterator[tuple[str, ...]]:
    """A row of texts for each comparison."""
    for row in record.comparisons:
        change, p = row.improvement_percent, row.mcnemar_p
        yield (
            f"{row.candidate} − {row.baseline}",
            estimate(row.score_difference, "+"),
            estimate(row.success_difference, "+"),
            "-" if change is None else f"{change:+.0f} %",
            "-" if p is None else f"{p:.2g}",
        )


def criteria_rows(record: EvaluationReport) -> Iterator[tuple[str, ...]]:
    """A row of texts for each criterion of the verdict."""
    for row in record.criteria:
        yield row.id.replace("_", " "), WORDS[row.verdict.name], row.said
