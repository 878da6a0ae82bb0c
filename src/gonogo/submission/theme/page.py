"""The theme's record as tables, and the problem statement as a reader gets it."""

from __future__ import annotations

from collections.abc import Iterator

from gonogo.config import THEMES
from gonogo.records.submission import ThemeReport
from gonogo.records.tables import TextTable
from gonogo.records.tables import markdown as page
from gonogo.submission.theme.rubric import CRITERIA

__all__ = ["markdown", "sheets_of"]

STATEMENT = {
    "gap": "capability gap",
    "observes": "the agent observes",
    "decides": "the agent decides",
    "does": "the agent does",
    "verified": "success is verified",
    "remember": "a reader remembers it",
}


def markdown(record: ThemeReport) -> str:
    """The record as a page."""
    return page(f"Theme of {record.environment}", sheets_of(record), record)


def sheets_of(record: ThemeReport) -> list[TextTable]:
    """Scores, reasons, what was measured, the choice with its statement."""
    names = [f"{name} (+{points})" for name, (points, _) in CRITERIA.items()]
    facts = [(name, word(fact.holds), fact.said) for name, fact in record.facts.named().items()]
    return [
        TextTable("Scores", ("theme", *names, "total of 10"), list(score_rows(record))),
        TextTable(
            "Reasons", ("theme", "criterion", "points", "by", "reason"), list(reason_rows(record))
        ),
        TextTable("Measured", ("what", "holds", "evidence"), facts),
        TextTable("Problem statement", ("what", "words"), list(statement_rows(record))),
        TextTable("Missing", ("what",), [(said,) for said in record.missing]),
    ]


def score_rows(record: ThemeReport) -> Iterator[tuple[str, ...]]:
    """A row for each theme."""
    for theme, title in THEMES.items():
        points = {p.criterion: p.points for p in record.points if p.theme == theme}
        mark = " ← chosen" if theme == record.theme else ""
        cells = (str(points[name]) for name in CRITERIA)
        yield f"{theme} {title}{mark}", *cells, str(record.totals[theme])


def reason_rows(record: ThemeReport) -> Iterator[tuple[str, ...]]:
    """A row for each criterion; what is the same for all themes once."""
    shared = {"underexplored", "paper", "pitch"}
    first = next(iter(THEMES))
    for point in record.points:
        common = point.criterion in shared
        if common and point.theme != first:
            continue
        theme = "all" if common else point.theme
        points = f"{point.points} of {point.of}"
        yield theme, CRITERIA[point.criterion][1], points, point.by, point.reason


def statement_rows(record: ThemeReport) -> Iterator[tuple[str, str]]:
    """The choice, then the statement."""
    chosen = "none" if record.theme is None else f"{record.theme} {THEMES[record.theme]}"
    yield "theme", f"{chosen}: {record.why}"
    said = dict(record.statement)
    for name, label in STATEMENT.items():
        if text := said[name].strip():
            yield label, text
    if record.drafted_by:
        yield "drafted by", record.drafted_by
    yield "confirmed", "yes" if record.confirmed else "no"


def word(holds: bool | None) -> str:
    """Whether a fact holds, in a word."""
    return {True: "yes", False: "no", None: "cannot be told"}[holds]
