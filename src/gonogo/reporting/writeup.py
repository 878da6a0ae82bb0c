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
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.files import write_text
from gonogo.records.submission import ThemeReport
from gonogo.reporting.run_contents import StationRecords
from gonogo.reporting.templates import render
from gonogo.rollouts.summary import BASELINE, CANDIDATE

MOST_WORDS = 800
"""A writeup has fewer."""


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
    places = (("level", record.level), ("split", record.split))
    text = render(
        "writeup.md.j2",
        at=Path(os.path.relpath(plots, file.parent)).as_posix(),
        evaluation=record,
        baseline=BASELINE,
        before=record.policies[BASELINE],
        after=record.policies[CANDIDATE],
        places=[f"{key} `{value}`" for key, value in places if value is not None],
        statement=words.statement,
        agent=list(agent(words)),
        theme=None if words.theme is None else THEMES[words.theme].lower(),
        claim=None if words.theme is None else words.claim(words.theme),
        drafted=[said] if (said := drafted(words)) else [],
    )
    text += "\n"
    if (count := len(text.split())) >= MOST_WORDS:
        raise Misuse(
            f"a writeup has fewer than {MOST_WORDS} words, and this one {count}: shorten the author's words"
        )
    return text


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
