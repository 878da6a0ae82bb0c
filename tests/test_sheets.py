"""Tables are the same in the terminal and on the page."""

from __future__ import annotations

import io

from rich.console import Console

from gonogo.sheets import Sheet, cut, markdown, print_sheets, task_text

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


def test_names_between_colons_stay_what_they_are() -> None:
    out = io.StringIO()
    record = {**RECORD, "reason": "a:lock: is well", "notes": ["a:lock: too"]}
    sheet = Sheet("a:lock: titled", ("a",), [("a:lock: said",)])
    print_sheets([sheet], record, Console(file=out, width=80))
    assert out.getvalue().count("a:lock:") == 4


def test_a_task_on_one_line() -> None:
    assert task_text({}) == "default"
    assert task_text({"level": "hard", "index": 2}) == "level=hard, index=2"


def test_a_cut_text_shows_that_it_went_on() -> None:
    assert (cut("abc", 3), cut("abcd", 3)) == ("abc", "abc…")


def test_commands_can_be_copied_also_from_a_narrow_terminal() -> None:
    command = f"gonogo check {'x' * 90} --out runs/mine"
    sheet = Sheet("Boxes", ("box",), [("y" * 50,)], {command: ["one", "two"]})
    out = io.StringIO()
    print_sheets([sheet], RECORD, Console(file=out, width=40))
    assert f"# one; two\n{command}\n" in out.getvalue()
    assert out.getvalue().count("y") == 50  # folded, not cut
    assert f"```sh\n# one; two\n{command}\n```" in markdown("Title", [sheet], RECORD)
