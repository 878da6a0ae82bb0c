"""What stops a training: a user's interrupt, and a cluster that takes the machine back."""

from __future__ import annotations

import os
import signal

import pytest

from gonogo.stations.train.board import SIGNALS, Board


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_asks_to_stop_and_a_second_one_stops(number: signal.Signals) -> None:
    before = {each: signal.getsignal(each) for each in SIGNALS}
    with Board(quiet=True) as board:
        assert not board.interrupted()
        os.kill(os.getpid(), number)
        assert board.interrupted()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert {each: signal.getsignal(each) for each in SIGNALS} == before
