"""An environment whose resets take as long as a browser's start: the limit is of each, not of all together."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.config import RolloutConfig
from gonogo.errors import Misuse
from gonogo.rollouts.types import Failure, Transition

SLOW = Path(__file__).parent / "slow_reset" / "slow_env"
RESET_S = 0.5
TIMEOUT_S = 2.0
SLOTS = 8


@pytest.mark.long
@pytest.mark.parametrize("over", ["worker", "server"])
def test_a_batch_may_take_longer_than_one_reset(over: str, serve: Callable[..., str]) -> None:
    assert SLOTS * RESET_S > TIMEOUT_S
    where = str(SLOW) if over == "worker" else serve(SLOW)
    with closing(connect(resolve(where), SLOTS, RolloutConfig(timeout_s=TIMEOUT_S))) as connection:
        assert connection.capacity == SLOTS
        begun = connection.reset({slot: {} for slot in range(SLOTS)})
        assert all(isinstance(answer, Transition) for answer in begun.values()), begun


def test_one_that_hangs_is_found_within_the_limit_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESET_S", "60")
    waits = RolloutConfig(timeout_s=TIMEOUT_S, env=("RESET_S",))
    began = time.monotonic()
    with closing(connect(resolve(str(SLOW)), SLOTS, waits)) as connection:
        began = time.monotonic()
        lost = connection.reset({slot: {} for slot in range(SLOTS)})
    assert {answer.kind for answer in lost.values() if isinstance(answer, Failure)} == {"timeout"}
    assert time.monotonic() - began < 30


def test_a_variable_that_is_not_set_is_misuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RESET_S", raising=False)
    with pytest.raises(Misuse, match="no variable RESET_S is set here"):
        connect(resolve(str(SLOW)), 1, RolloutConfig(env=("RESET_S",)))
