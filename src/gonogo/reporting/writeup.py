"""The mini-blog: problem, environment, what the agent learned and why it matters, in under 800 words.

It is a function of the evaluation's record, the author's words and the place of the plots alone, so that a test can
say whether the page and the records agree. Every figure is the record's; what no record knows is in the author's own
words, those of the theme's problem statement, and is not written before the author has confirmed them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gonogo.config import THEMES, Words, read_words
from gonogo.config import WORDS as WORDS_FILE
from gonogo.errors import Misuse, StaleRecord
from gonogo.records.evaluation import EvaluationReport, PairedComparison, PolicyResult
from gonogo.records.files import write_text
from gonogo.records.record import Verdict
from gonogo.records.stations import WORDS
from gonogo.records.submission import ThemeReport
from gonogo.records.tables import decimal, estimate, percent, table_text
from gonogo.reporting.run_contents import StationRecords
from gonogo.rollouts.summary import BASELINE, CANDIDATE

__all__ = ["MOST_WORDS", "agent", "author_of", "confirmed", "drafted", "write_writeup", "writeup"]

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


def confirmed(file: Path) -> Words:
    """The author's words, finished and confirmed.

    Raises:
        ConfigError: The file cannot be read or breaks a rule.
        Misuse: The problem statement is not finished, or nobody stands by it.
    """
    words = read_words(file)
    if missing := words.missing():
        raise Misuse(f"{file}: a statement that is published must be whole: {'; '.join(missing)}")
    return words


def author_of(file: Path | None, run: Path, records: StationRecords) -> Words | str:
    """The words for a README.

    Args:
        file: Where they are; None for the place where ``gonogo theme`` writes them.
        run: The run's folder.
        records: Its records; a theme must be of these words.

    Returns:
        The words, or what is missing in a sentence where no file was named and none of a confirmed author is there.

    Raises:
        ConfigError: As of :func:`confirmed`.
        Misuse: As of :func:`confirmed`, for a file that was named.
        StaleRecord: The theme was scored by other words.
    """
    found = file or run / WORDS_FILE
    if file is None and not found.exists():
        return f"{found} (gonogo theme; --words FILE where they are elsewhere)"
    words = read_words(found) if file is None else confirmed(found)
    if missing := words.missing():
        return f"{found}: {', '.join(missing)}"
    theme = records.theme
    if theme is not None and theme.statement != words.statement:
        raise StaleRecord(
            f"{ThemeReport.path(run)}: statement is not that of {found}; run theme again with these words"
        )
    return words


def agent(words: Words) -> Iterator[str]:
    """What an agent observes, decides and does, and how success is verified."""
    said = words.statement
    yield f"**It observes.** {said.observes}"
    yield f"**It decides.** {said.decides}"
    yield f"**It does.** {said.does}"
    yield f"**Success.** {said.verified}"


def drafted(words: Words) -> str | None:
    """Who drafted the words, where no human did."""
    if not words.drafted_by:
        return None
    return f"the words were drafted by {words.drafted_by} and confirmed by the author"
