"""Nothing that a terminal obeys is printed."""

from __future__ import annotations

import io

from rich.panel import Panel
from rich.text import Text

from gonogo.records.record import Verdict
from gonogo.records.tables import (
    Conclusion,
    TextTable,
    inline,
    print_sheets,
)
from gonogo.records.terminal import HIDDEN, Terminal, visible

HOSTILE = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m\r\x08\u202egnp.exe\u2066 <img src=x onerror=y> "
    "![a](http://evil) a|b a\\|b\n# Heading\n- item"
)


def test_nothing_that_a_terminal_obeys_is_printed() -> None:
    record = Conclusion(Verdict.GO, HOSTILE, [HOSTILE])
    sheet = TextTable(HOSTILE, (HOSTILE,), [(HOSTILE,)], {HOSTILE: [HOSTILE]})
    console = Terminal(file=(out := io.StringIO()), width=200)
    print_sheets([sheet], record, console)
    console.print(HOSTILE, markup=False)
    console.print(Panel(Text(HOSTILE)))
    assert HIDDEN.search(out.getvalue()) is None
    assert "red" in out.getvalue()
    coloured = Terminal(
        file=(out := io.StringIO()), force_terminal=True, width=200, color_system="standard"
    )
    coloured.print(Text(HOSTILE, style="bold"))
    assert out.getvalue().startswith("\x1b[1m")  # its own style alone
    assert out.getvalue().count("\x1b") == 2 * out.getvalue().count("\x1b[1m")


def test_what_is_visible_stays() -> None:
    assert visible("a\tb\nç 漢 ✓") == "a\tb\nç 漢 ✓"
    assert inline("1 < 2 and [x] (y) `z`") == "1 < 2 and [x] (y) `z`"
