"""The mini-blog: problem, environment, what the agent learned and why it matters, in under 800 words.

It is a function of the evaluation's record, the author's words and the place of the plots alone, so that a test can
say whether the page and the records agree. Every figure is the record's; what no record knows is in the author's own
words, those of the theme's problem statement, and is not written before the author has confirmed them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gonogo.config import THEMES, Words
from gonogo.errors import Misuse, StaleRecord
from gonogo.records.evaluation import EvaluationReport, PairedComparison, PolicyResult
from gonogo.records.files import write_text
from gonogo.records.record import Verdict
from gonogo.records.stations import WORDS
from gonogo.records.tables import decimal, estimate, percent, table_text
from gonogo.reporting.author import agent, drafted
from gonogo.rollouts.summary import BASELINE, CANDIDATE

__all__ = ["MOST_WORDS", "write_writeup", "writeup"]

MOST_WORDS = 800
"""A writeup has fewer."""
TITLES = ("what an agent learned", "What the agent learned")
UNPROVEN = ("a training that shows no improvement", "What came of it")
"""Title and section where the verdict is GO, and where it is not."""


def write_writeup(record: EvaluationReport, words: Words, plots: Path, file: Path) -> int:
    """Write the mini-blog.

    Args:
        record: The evaluation's.
        words: The author's.
        plots: Folder of the record and its plots, as ``gonogo publish`` leaves them.
        file: Where the text goes; its links are relative to it.

    Returns:
        How many words it has.

    Raises:
        MissingRecord: There is no record beside the plots.
        StaleRecord: The record beside the plots is another one.
        Misuse: No trained model was flown, or the text would be too long.
    """
    if EvaluationReport.load(plots) != record:
        raise StaleRecord(
            f"{EvaluationReport.path(plots)} is not the run's record; run gonogo publish --plots {plots} first"
        )
    text = writeup(record, words, plots, file)
    write_text(file, text)
    return len(text.split())


def writeup(record: EvaluationReport, words: Words, plots: Path, file: Path) -> str:
    """The mini-blog as Markdown; arguments and errors as of :func:`write_writeup`."""
    absent = [name for name in (BASELINE, CANDIDATE) if name not in record.policies]
    if absent:
        raise Misuse(
            f"a writeup says what a trained agent learned, and the evaluation flew no {absent[0]!r}"
        )
    at = Path(os.path.relpath(plots, file.parent)).as_posix()
    title, came_of_it = TITLES if record.verdict is Verdict.GO else UNPROVEN
    parts = [
        f"# {record.environment}: {title}",
        f"*Written from [`evaluation.json`]({at}/evaluation.json) and the author's words by `gonogo report`; "
        "not edited by hand.*",
        "## The problem",
        words.statement.gap,
        "## The environment",
        *agent(words),
        f"## {came_of_it}",
        *learned(record),
        f"![Before and after]({at}/before_after.png)",
        table(record),
        f"![Reward in training]({at}/reward_curve.png)",
        "## Why it matters",
        *matters(words),
        "## How it was measured",
        measured(record, words),
    ]
    text = "\n\n".join(parts) + "\n"
    if (count := len(text.split())) >= MOST_WORDS:
        raise Misuse(
            f"a writeup has fewer than {MOST_WORDS} words, and this one {count}: shorten the author's words"
        )
    return text


def learned(record: EvaluationReport) -> Iterator[str]:
    """What changed, from the outcome down to how it behaves, and against whom."""
    before, after = (record.policies[name] for name in (BASELINE, CANDIDATE))
    places = (("level", record.level), ("split", record.split))
    named = [f"{key} `{value}`" for key, value in places if value is not None]
    where = f"On {record.episodes} tasks{' of ' + ', '.join(named) if named else ''}, the same for everyone,"
    if record.verdict is Verdict.GO:
        yield (
            f"{where} the mean score of an episode went from {estimate(before.score)} untrained to "
            f"**{estimate(after.score)}** trained{succeeded(before, after)}. "
            f"Verdict: {WORDS[record.verdict.name]} ({record.reason})."
        )
    else:
        yield (
            f"**{WORDS[record.verdict.name]}: no improvement is shown** ({record.reason}). {where} the mean score of "
            f"an episode was {estimate(before.score)} untrained and {estimate(after.score)} trained."
        )
    yield (
        f"Replies that the environment refused went from {percent(before.invalid_rate)} to "
        f"{percent(after.invalid_rate)} of the turns, and an episode from {decimal(before.mean_turns, 1)} to "
        f"{decimal(after.mean_turns, 1)} turns.{parts_of(before, after)}"
    )
    if rows := [against(row) for row in record.comparisons if row.baseline != BASELINE]:
        yield f"On the same tasks, by score: {'; '.join(rows)}."


def succeeded(before: PolicyResult, after: PolicyResult) -> str:
    """The rates of success, where the environment says who succeeded."""
    if before.success.mean is None or after.success.mean is None:
        return ""
    return f", success from {estimate(before.success)} to {estimate(after.success)}"


def parts_of(before: PolicyResult, after: PolicyResult) -> str:
    """How each component of the reward moved."""
    moved = [
        f"{name} {decimal(before.components[name])} → {decimal(value)}"
        for name, value in after.components.items()
        if name in before.components
    ]
    return f" Parts of the reward: {', '.join(moved)}." if moved else ""


def against(row: PairedComparison) -> str:
    """One comparison, and on which side of 0 its interval is."""
    difference = row.score_difference
    ends = difference.ci95
    said = f"{row.candidate} − {row.baseline} {estimate(difference, '+')}"
    if ends is None:
        return said
    return (
        f"{said}, {'better' if ends[0] > 0 else 'worse' if ends[1] < 0 else 'no clear difference'}"
    )


def table(record: EvaluationReport) -> str:
    """Everybody's score and success."""
    rows = []
    for name, entry in record.policies.items():
        shown = f"{name} ({entry.decoding})" if entry.decoding else name
        rows.append((shown, estimate(entry.score), estimate(entry.success)))
    return table_text(("policy", "score", "success"), rows)


def matters(words: Words) -> Iterator[str]:
    """Why a reader will remember it, and how the reward serves the theme."""
    yield words.statement.remember
    claim = None if words.theme is None else words.claim(words.theme)
    if words.theme is not None and claim is not None and claim.trains.answer:
        yield f"Theme: {THEMES[words.theme].lower()}. {claim.trains.reason}"


def measured(record: EvaluationReport, words: Words) -> str:
    """Method and notes, as the record has them, and who drafted the words where no human did."""
    notes = [record.method, *record.notes, *([said] if (said := drafted(words)) else [])]
    return "\n".join(f"- {note[0].upper()}{note[1:]}." for note in notes)
