"""What foreign code raises is kept and ends no more than its own context, and what hangs is ended again and again."""

from __future__ import annotations

import contextlib
import signal
import time

import pytest

from gonogo.env.worker.boundary import Boundary, Late, within


def test_what_is_raised_is_kept_and_the_rest_of_the_context_is_left_out() -> None:
    done = []
    error = RuntimeError("no")
    with Boundary() as asked:
        done.append("before")
        raise error
    assert asked.error is error and done == ["before"]
    with Boundary() as asked:
        done.append("well")
    assert asked.error is None and done == ["before", "well"]


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit, Late])
def test_what_is_no_error_of_foreign_code_goes_through(end: type[BaseException]) -> None:
    boundary = Boundary()
    with pytest.raises(end), boundary:
        raise end
    assert boundary.error is None


def test_what_hangs_is_ended_and_does_not_take_that_for_an_error_of_its_own() -> None:
    began = time.monotonic()
    with pytest.raises(Late), within(0.05):
        while True:
            with contextlib.suppress(Exception), Boundary():
                time.sleep(60)
    assert time.monotonic() - began < 5


def test_what_takes_it_and_goes_on_is_ended_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gonogo.env.worker.boundary.AGAIN_S", 0.05)
    taken = 0
    with pytest.raises(Late), within(0.05):
        while taken < 2:
            try:
                time.sleep(60)
            except Late:
                taken += 1
        time.sleep(60)
    assert taken == 2


def test_the_clock_is_off_afterwards_and_the_signal_is_what_it_was() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with within(60):
        assert signal.getsignal(signal.SIGALRM) is not before
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
