"""Publish an evaluation: its record and plots into a folder that is committed, its numbers into READMEs.

A README takes results where it has the two markers, and nothing else of it is touched. The block is a
function of the record and the place of the plots alone, so that a test can say whether README and
record agree. Each plot carries the digest of the record that it was drawn from; plots of another
record are refused.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from gonogo.errors import Misuse, StaleRecord
from gonogo.evaluation.table import (
    COMPARISON_COLUMNS,
    POLICY_COLUMNS,
    comparison_rows,
    policy_rows,
    tasks_in_words,
)
from gonogo.plots.metadata import SOURCE, read_texts
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.files import write_text
from gonogo.records.record import Verdict
from gonogo.records.stations import WORDS
from gonogo.records.tables import estimate, table_text
from gonogo.reporting.markers import begin_of, end_of, filled, marks_in, read_page
from gonogo.rollouts.summary import BASELINE, CANDIDATE

SECTION = "results"
PLOTS = {
    "reward_curve.png": "Reward in training, by step: overall (solid), its components (dashed), the "
    "score on validation tasks (dots) and the untrained model's score (dotted).",
    "before_after.png": "One task flown by both agents, the one of the right agent's median score; "
    "below, every policy's score and success with 95 % intervals.",
}


def publish(run: Path, plots: Path, readmes: Sequence[Path]) -> None:
    """Copy a run's record and plots, and write its results into READMEs.

    Args:
        run: Folder of the run.
        plots: Folder to copy to.
        readmes: Files with the two markers.

    Raises:
        MissingRecord: The run has no evaluation, or lacks a plot.
        StaleRecord: A plot was drawn from another record.
        Misuse: A README lacks the markers; nothing has been written then.
    """
    record = whole(run)
    pages = {readme: with_block(readme, block(record, plots, readme)) for readme in readmes}
    copy(run, plots)
    for readme, page in pages.items():
        write_text(readme, page)


def release(run: Path, plots: Path, readme: Path) -> str:
    """Copy a run's record and plots, and give the results for a README that another station writes.

    Args:
        run: Folder of the run.
        plots: Folder to copy to; nothing is copied where it is the run's own.
        readme: Where the block is to stand.

    Raises:
        MissingRecord: As of :func:`publish`.
        StaleRecord: As of :func:`publish`.
    """
    record = whole(run)
    copy(run, plots)
    return block(record, plots, readme)


def whole(run: Path) -> EvaluationReport:
    """A run's evaluation, whose plots are there and were drawn from it."""
    record = EvaluationReport.load(run)
    for name in PLOTS:
        if read_texts(run / name).get(SOURCE) != record.digest():
            raise StaleRecord(f"{run / name} was drawn from another record; run evaluate again")
    return record


def copy(run: Path, plots: Path) -> None:
    """Copy the record and the plots."""
    if plots.resolve() == run.resolve():
        return
    plots.mkdir(parents=True, exist_ok=True)
    for file in (EvaluationReport.path(run), *(run / name for name in PLOTS)):
        shutil.copyfile(file, plots / file.name)


def written_block(readme: Path) -> str:
    """What stands between a README's markers.

    Raises:
        Misuse: The file cannot be read or has no such markers.
    """
    page, (first, last) = find_block(readme)
    return page[first:last]


def with_block(readme: Path, text: str) -> str:
    """A README's text with another block between the markers."""
    page, _ = find_block(readme)
    return filled(page, readme, {SECTION: text})


def find_block(readme: Path) -> tuple[str, tuple[int, int]]:
    """A README's text and where its block is."""
    page = read_page(readme)
    found = marks_in(page, readme).get(SECTION)
    if found is None:
        raise Misuse(
            f"{readme}: must hold the lines {begin_of(SECTION)} and {end_of(SECTION)}, and does not"
        )
    return page, found


def block(record: EvaluationReport, plots: Path, readme: Path) -> str:
    """The results as Markdown.

    Args:
        record: The evaluation's.
        plots: Folder of the plots and the record, as they are committed.
        readme: Where the block is to stand; links are relative to it.
    """
    at = Path(os.path.relpath(plots, readme.parent)).as_posix()
    written = EvaluationReport.path(Path(at))
    notes = [record.method, *record.notes]
    parts = [
        f"Written from [`{written.name}`]({written.as_posix()}) by `gonogo publish`; not edited by hand.",
        headline(record),
        table_text(POLICY_COLUMNS, policy_rows(record)),
        table_text(COMPARISON_COLUMNS, comparison_rows(record)),
        "".join(f"- {note[0].upper()}{note[1:]}.\n" for note in notes).rstrip(),
        *(f"![{name}]({at}/{name})\n\n*{caption}*" for name, caption in PLOTS.items()),
    ]
    return "\n\n".join(parts) + "\n"


def sentence(text: str) -> str:
    """A text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def headline(record: EvaluationReport) -> str:
    """The result in a sentence: mean episode score before and after, with intervals.

    Where the verdict is not GO, it comes first with its reason, and nothing reads as a step from one to the other.
    """
    flown = tasks_in_words(record)
    before, after = (record.policies.get(name) for name in (BASELINE, CANDIDATE))
    if before is None or after is None:
        return f"{flown}. No trained model was flown."
    if record.verdict is not Verdict.GO:
        said = ", ".join(
            f"{name} {estimate(entry.score)}, success {estimate(entry.success)}"
            for name, entry in ((BASELINE, before), (CANDIDATE, after))
        )
        return (
            f"**{WORDS[record.verdict.name]}: no improvement is shown.** {sentence(record.reason)}. Measured on "
            f"{flown}, mean episode score of two models, both greedy: {said}."
        )
    scores = " → ".join(estimate(entry.score) for entry in (before, after))
    success = " → ".join(estimate(entry.success) for entry in (before, after))
    return (
        f"**Mean episode score {scores}**, success {success}: the untrained and the trained model, "
        f"both greedy, on {flown}. Verdict: {WORDS[record.verdict.name]} "
        f"({record.reason})."
    )
