"""What stops a training: a user's interrupt, and a cluster that takes the machine back."""

from __future__ import annotations

import os
import signal

import pytest

from gonogo.errors import Interrupted
from gonogo.stations.train.board import SIGNALS, Board


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_asks_to_stop_and_a_second_one_stops(number: signal.Signals) -> None:
    before = {each: signal.getsignal(each) for each in SIGNALS}
    with Board(quiet=True) as board:
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
    with Board(quiet=True) as board:
        board.phase("traces", 3)
        with pytest.raises(Interrupted):
            os.kill(os.getpid(), number)
