"""The clock of a command, and the lines that say how far it is."""

from __future__ import annotations

import math
import time
from contextlib import closing
from io import StringIO

import pytest

from gonogo.records.terminal import Terminal
from gonogo.rollouts import watch
from gonogo.rollouts.watch import Heartbeat, Watch


def test_a_watch_without_end_is_never_out() -> None:
    endless = Watch()
    assert endless.left == math.inf and not endless.out and endless.shown == "0 s"
    assert endless.within(endless.left / 3).left == math.inf


def test_a_watch_is_out_when_its_seconds_are_gone() -> None:
    late = Watch(60.0, began=time.monotonic() - 61)
    assert late.out and late.left == 0.0 and late.shown == "61 of 60 s"
    assert not Watch(60.0).out


def test_a_part_of_the_time_ends_with_it_at_the_latest() -> None:
    whole = Watch(60.0, began=time.monotonic() - 30)
    assert whole.within(10.0).left == pytest.approx(10.0, abs=1.0)
    assert whole.within(50.0).left == pytest.approx(30.0, abs=1.0)
    assert Watch(began=whole.began).within(10.0).left == pytest.approx(10.0, abs=1.0)


@pytest.mark.parametrize(("terminal", "says"), [(False, True), (True, False)])
def test_lines_come_where_no_terminal_shows_bars(
    terminal: bool, says: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Terminal, "speaks", True)
    monkeypatch.setattr(watch, "SOON_S", 0.01)
    monkeypatch.setattr(watch, "EVERY_S", 0.01)
    told, lines = StringIO(), iter(range(1000))
    console = Terminal(file=told, force_terminal=terminal)
    with closing(
        Heartbeat(lambda: f"line {next(lines)}", console, Watch(began=time.monotonic() - 9))
    ):
        time.sleep(0.3)
    assert ("line 0\nline 1\n" in told.getvalue()) is says
    after = told.getvalue()
    time.sleep(0.05)
    assert told.getvalue() == after
