"""The theme's page: a row for each theme, what is the same for all once, and the statement as it is."""

from __future__ import annotations

from tests.records_made import theme_facts, theme_report

from gonogo.config import THEMES, blank
from gonogo.records.submission import Statement, ThemeReport
from gonogo.submission.theme.page import STATEMENT, markdown, sheets_of
from gonogo.submission.theme.rubric import CRITERIA, score, totals


def scored(**fields: object) -> ThemeReport:
    """A record with all points of what was measured."""
    points = score(theme_facts(), blank())
    return theme_report(points=tuple(points), totals=totals(points), **fields)


def test_each_theme_has_a_row_and_the_chosen_one_is_marked() -> None:
    scores = sheets_of(scored(theme="3.1"))[0].rows
    assert [row[0] for row in scores] == [
        f"{theme} {title}{' ← chosen' * (theme == '3.1')}" for theme, title in THEMES.items()
    ]
    # Of what was measured the domain alone earns its points.
    assert {row[1:] for row in scores} == {("0", "0", "2", "0", "0", "2")}


def test_what_is_the_same_for_all_themes_is_said_once() -> None:
    reasons = sheets_of(scored())[1].rows
    shared = [row for row in reasons if row[0] == "all"]
    assert [row[1] for row in shared] == [
        CRITERIA[name][1] for name in ("underexplored", "paper", "pitch")
    ]
    assert len(reasons) == len(shared) + 2 * len(THEMES)


def test_the_statement_leaves_out_what_is_empty_and_says_who_drafted_it() -> None:
    said = dict.fromkeys(Statement.model_fields, "") | {"gap": "Nobody can."}
    record = scored(statement=Statement(**said), drafted_by="scribe", confirmed=False)
    rows = dict(sheets_of(record)[3].rows)
    assert list(rows) == ["theme", "capability gap", "drafted by", "confirmed"]
    assert (rows["drafted by"], rows["confirmed"]) == ("scribe", "no")
    assert sorted(STATEMENT) == sorted(Statement.model_fields)


def test_the_page_says_facts_and_what_is_missing() -> None:
    text = markdown(scored(missing=("statement.gap is empty",)))
    assert text.startswith("# Theme of x")
    assert "| underexplored | yes | far |" in text
    assert "| agents | cannot be told | one agent acts |" in text
    assert "statement.gap is empty" in text
