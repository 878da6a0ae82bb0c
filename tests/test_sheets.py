"""Tables are the same in the terminal and on the page; a page is written between its markers only."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from gonogo.sheets import (
    SECTIONS,
    Sheet,
    begin_of,
    end_of,
    filled,
    markdown,
    marks_in,
    print_sheets,
    task_text,
)

RECORD = {"verdict": "GO", "reason": "all is [well]", "notes": ["mind the gap"]}
SHEETS = [
    Sheet("One [bold]", ("a", "b"), [("1 | 2", "x\ny"), ("[red]", "")]),
    Sheet("Empty", ("a",), []),
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


def test_a_task_on_one_line() -> None:
    assert task_text({}) == "default"
    assert task_text({"level": "hard", "index": 2}) == "level=hard, index=2"


LINES = st.text(alphabet="ab <!->:#\r\n`|é", max_size=40)


@given(
    st.lists(st.sampled_from(list(SECTIONS)), unique=True, min_size=1),
    st.lists(LINES, min_size=2 * len(SECTIONS) + 1, max_size=2 * len(SECTIONS) + 1),
    st.sampled_from(["\n", "\r\n"]),
)
def test_outside_of_the_markers_nothing_is_touched(
    names: list[str], texts: list[str], end: str
) -> None:
    outside, inside = iter(texts[: len(names) + 1]), iter(texts[len(names) + 1 :])
    page = after = next(outside)
    for name in names:
        first = f"\n{begin_of(name)}{end}"
        last = f"{end_of(name)}{end}{next(outside)}"
        page += f"{first}{next(inside)}\n{last}"
        after += f"{first}New.\n{last}"
    assert filled(page, "page", dict.fromkeys(names, "New.\n")) == after
    assert list(marks_in(page, "page")) == names
    assert filled(page, "page", {}) == page
