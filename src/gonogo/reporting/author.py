"""The author's words as the writeup and the README say them: nothing that nobody stands by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gonogo.config import WORDS, Words, read_words
from gonogo.errors import Misuse, StaleRecord
from gonogo.records.submission import ThemeReport
from gonogo.reporting.gather import StationRecords

__all__ = ["agent", "author_of", "confirmed", "drafted"]


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
    found = file or run / WORDS
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
