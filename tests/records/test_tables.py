"""Tables are the same in the terminal and on the page."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from gonogo.records.record import Verdict
from gonogo.records.tables import (
    Conclusion,
    TextTable,
    cut,
    in_a_line,
    markdown,
    print_sheets,
    task_text,
)
from gonogo.records.terminal import HIDDEN

RECORD = Conclusion(Verdict.GO, "all is [well]", ["mind the gap"])
SHEETS = [
    TextTable("One [bold]", ("a", "b"), [("1 | 2", "x\ny"), ("[red]", "")]),
    TextTable("Empty", ("a",), []),
]


def test_a_page_has_verdict_tables_and_notes() -> None:
    page = markdown("Title", SHEETS, RECORD)
    assert page.startswith("# Title\n\n**GO**: all is [well]\n\n## One [bold]\n\n| a | b |\n")
    assert "| 1 \\| 2 | x y |" in page
    assert "Empty" not in page
    assert page.endswith("\n- mind the gap\n")


def test_the_terminal_shows_the_same() -> None:
    out = io.StringIO()
    print_sheets(SHEETS, RECORD, Console(file=out, width=80))
    said = out.getvalue()
    for text in ("One [bold]", "1 | 2", "[red]", "Note: mind the gap", "GO: all is [well]"):
        assert text in said
    assert "Empty" not in said


def test_names_between_colons_stay_what_they_are() -> None:
    out = io.StringIO()
    record = Conclusion(Verdict.GO, "a:lock: is well", ["a:lock: too"])
    sheet = TextTable("a:lock: titled", ("a",), [("a:lock: said",)])
    print_sheets([sheet], record, Console(file=out, width=80))
    assert out.getvalue().count("a:lock:") == 4


def test_a_task_on_one_line() -> None:
    assert task_text({}) == "default"
    assert task_text({"level": "hard", "index": 2}) == "level=hard, index=2"


def test_a_cut_text_shows_that_it_went_on() -> None:
    assert (cut("abc", 3), cut("abcd", 3)) == ("abc", "abc…")


def test_commands_can_be_copied_also_from_a_narrow_terminal() -> None:
    command = f"gonogo check {'x' * 90} --out runs/mine"
    sheet = TextTable("Boxes", ("box",), [("y" * 50,)], {command: ["one", "two"]})
    out = io.StringIO()
    print_sheets([sheet], RECORD, Console(file=out, width=40))
    assert f"# one; two\n{command}\n" in out.getvalue()
    assert out.getvalue().count("y") == 50  # folded, not cut
    assert f"```sh\n# one; two\n{command}\n```" in markdown("Title", [sheet], RECORD)


HOSTILE = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m\r\x08\u202egnp.exe\u2066 <img src=x onerror=y> "
    "![a](http://evil) a|b a\\|b\n# Heading\n- item"
)


def test_nothing_leaves_its_place_on_a_page() -> None:
    record = Conclusion(Verdict.GO, HOSTILE, [HOSTILE])
    page = markdown(HOSTILE, [TextTable(HOSTILE, ("a", "b"), [(HOSTILE, "x")])], record)
    assert HIDDEN.search(page) is None
    assert "<img" not in page
    assert "](" not in page.replace("]\\(", "")
    lines = page.splitlines()
    assert [line for line in lines if line.startswith("# H")] == []
    assert len([line for line in lines if line.startswith("- ")]) == 1
    (row,) = [line for line in lines if line.endswith("| x |")]
    assert "a\\|b a\\\\\\|b" in row


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("it died", "it died"),
        ("it died\nits last words", "it died"),
        ("could not be made:\n  File x\nKeyError: 'a'", "could not be made: KeyError: 'a'"),
        ("\n*****\n  Resource 'a' not found.\n  Please:\n*****", "Resource 'a' not found."),
        ("it ended:", "it ended:"),
        ("***", "***"),
    ],
)
def test_the_line_of_an_error_that_says_what_is_wrong(said: str, line: str) -> None:
    assert in_a_line(said) == line
