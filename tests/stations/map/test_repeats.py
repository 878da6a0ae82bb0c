"""The pattern of differences tells the cause."""

from __future__ import annotations

import pytest

from gonogo.stations.map.repeats import Differences

AT_RESET, LATER = {"step": 0}, {"step": 3}


@pytest.mark.parametrize(
    ("again", "after_other", "new_session", "beside", "new_process", "cause"),
    [
        (AT_RESET, AT_RESET, AT_RESET, AT_RESET, AT_RESET, "seed_ignored"),
        (LATER, LATER, LATER, LATER, LATER, "nondeterministic"),
        (None, None, None, None, AT_RESET, "process_dependent"),
        (None, None, None, None, LATER, "process_dependent"),
        (AT_RESET, AT_RESET, None, None, None, "episode_state_leak"),
        (None, LATER, None, None, None, "episode_state_leak"),
        (AT_RESET, AT_RESET, AT_RESET, None, None, "session_state_leak"),
        (None, None, AT_RESET, None, None, "session_state_leak"),
        (None, None, None, LATER, None, "session_state_leak"),
    ],
)
def test_the_cause(again, after_other, new_session, beside, new_process, cause) -> None:  # type: ignore[no-untyped-def]
    assert Differences(again, after_other, new_session, beside, new_process).cause() == cause


def test_a_coin_that_falls_alike_a_few_times_is_no_matter_of_the_process() -> None:
    coin = Differences(None, AT_RESET, None, None, AT_RESET, resets=AT_RESET)
    assert coin.vary()
    assert coin.cause() == coin.cause_unseen() == "seed_ignored"
    counted = Differences(AT_RESET, AT_RESET, AT_RESET, AT_RESET, None, resets=AT_RESET)
    assert counted.cause() == "session_state_leak"


def test_without_a_second_process_chance_comes_before_a_leak() -> None:
    everywhere = Differences(AT_RESET, AT_RESET, AT_RESET, None, None)
    assert everywhere.cause_unseen() == "seed_ignored"
    assert Differences(LATER, LATER, LATER, None, None).cause_unseen() == "nondeterministic"
    assert Differences(LATER, LATER, None, None, None).cause_unseen() == "episode_state_leak"
