"""What stops a training: a user's interrupt, and a cluster that takes the machine back."""

from __future__ import annotations

import os
import re
import signal
import time

import pytest

from gonogo.errors import Interrupted
from gonogo.records.training import TrainingRow
from gonogo.training import progress as board
from gonogo.training.progress import SIGNALS, TrainingDisplay, line_of

ENOUGH_S = 60.0


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_asks_to_stop_and_a_second_one_stops(number: signal.Signals) -> None:
    before = {each: signal.getsignal(each) for each in SIGNALS}
    with TrainingDisplay(quiet=True) as board:
        board.phase("sft", 3, steps=True)
        assert not board.interrupted()
        os.kill(os.getpid(), number)
        assert board.interrupted()
        assert board.interrupt().exit_code == 128 + number
        with pytest.raises(Interrupted):
            os.kill(os.getpid(), number)
    assert {each: signal.getsignal(each) for each in SIGNALS} == before


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_stops_at_once_where_nothing_is_trained(number: signal.Signals) -> None:
    with TrainingDisplay(quiet=True) as board:
        board.phase("traces", 3)
        with pytest.raises(Interrupted):
            os.kill(os.getpid(), number)


def told(capsys: pytest.CaptureFixture[str], start: str, least: int = 1) -> list[str]:
    """Lines that are printed until enough begin so; a busy machine takes its time."""
    lines: list[str] = []
    deadline = time.monotonic() + ENOUGH_S
    while sum(line.startswith(start) for line in lines) < least and time.monotonic() < deadline:
        time.sleep(0.02)
        lines += capsys.readouterr().err.splitlines()
    return lines


def test_without_a_terminal_a_line_now_and_then_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also while a step takes long; what is reported in between is taken in."""
    pytest.importorskip("trl", reason="the train extra is not installed")
    monkeypatch.setattr(board, "EVERY_S", 0.05)
    with TrainingDisplay() as shown:
        observer = shown.observer(None)
        shown.phase("traces", 40)
        observer.progress(30, 40)
        said = told(capsys, "traces 30/40: ")
        shown.phase("sft", 600, steps=True)
        for step in range(1, 4):
            observer.row(TrainingRow(stage="sft", step=step, numbers={"loss": 0.5}))
        said += told(capsys, "sft 3/600: ", least=2)
    shown._lines.join(ENOUGH_S)  # it is over
    assert not shown._lines.is_alive()
    assert any(line.startswith("traces 30/40: 0:00:") for line in said), said
    steps = [line for line in said if line.startswith("sft 3/600: ")]
    assert len(steps) >= 2 and steps[-1].endswith("loss 0.500"), said
    assert re.search(r"so far, about \d+:\d\d:\d\d left  loss", steps[-1]), said


def test_a_quiet_board_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(board, "EVERY_S", 0.01)
    with TrainingDisplay(quiet=True) as shown:
        shown.phase("traces", 40)
        time.sleep(0.1)
    assert capsys.readouterr().err == ""


def test_a_line_stays_a_line_and_what_is_not_known_is_left_out() -> None:
    with TrainingDisplay(quiet=True) as shown:
        shown.phase("traces", 40)
        shown.phase("untrained", None)
        assert line_of(shown._progress.tasks[0]) == "untrained: 0:00:00 so far"
