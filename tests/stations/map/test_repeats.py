"""The pattern of differences tells the cause."""

from __future__ import annotations

import pytest

from gonogo.stations.map.repeats import Differences, same_seed_differs

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


def test_a_seed_decides_nothing_where_all_open_alike_and_the_same_goes_on_otherwise() -> None:
    chance = Differences(LATER, LATER, LATER, LATER, LATER)
    told = same_seed_differs(chance, "nondeterministic", [LATER, None])
    assert told is not None and "3 seeds open alike" in told
    assert same_seed_differs(chance, "nondeterministic", [AT_RESET, LATER]) is None
    assert same_seed_differs(chance, "nondeterministic", []) is None
    same = Differences(None, None, None, None, None)
    assert same_seed_differs(same, "session_state_leak", [None]) is None
