"""What the differences between flights of one success mean, on flights made by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gonogo.auditing.checks.stability import (
    AGAIN,
    BESIDE,
    SLOWLY,
    cause,
    is_task,
    witnesses,
)
from gonogo.auditing.checks.stability import history as flown
from gonogo.auditing.session import AuditSession
from gonogo.exploits.witness import Witness


def flight(reward: float) -> Witness:
    return Witness({"seed": 1}, ({},), (reward,), True, True)


def history(first: float, again: float, beside: float, slowly: float) -> dict[str, Witness]:
    rewards = {"first": first, AGAIN: again, BESIDE: beside, SLOWLY: slowly}
    return {name: flight(reward) for name, reward in rewards.items()}


@pytest.mark.parametrize(
    ("here", "there", "name"),
    [
        ((1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 1.0, 1.0), None),
        ((1.0, 0.9, 0.8, 0.7), (1.0, 0.9, 0.8, 0.7), "episode_state_leak"),
        ((1.0, 0.9, 0.7, 0.8), (0.6, 0.8, 0.5, 0.9), "nondeterministic"),
        ((1.0, 0.999, 1.0, 0.5), (1.0, 0.998, 1.0, 0.5), "process_dependent"),
        ((1.0, 1.0, 1.0, 1.0), (0.9, 0.9, 0.9, 0.9), "process_dependent"),
        ((1.0, 1.0, 0.5, 1.0), (1.0, 1.0, 0.5, 1.0), "session_state_leak"),
        ((1.0, 1.0, 1.0, 0.5), (1.0, 1.0, 1.0, 0.5), "process_dependent"),
    ],
)
def test_the_pattern_of_differences_tells_the_cause(
    here: tuple[float, ...], there: tuple[float, ...], name: str | None
) -> None:
    found = cause(history(*here), history(*there), one_process=False)
    assert (found and found[0]) == name


def test_a_server_is_one_process_whose_sessions_differ() -> None:
    found = cause(history(1, 1, 1, 1), history(0.9, 0.9, 0.9, 0.9), one_process=True)
    assert found is not None
    assert found[0] == "session_state_leak"


def test_a_task_is_known_without_its_seed() -> None:
    assert is_task({"level": 1, "seed": 7}, {"level": 1})
    assert is_task(None, {})
    assert not is_task({"level": 2}, {"level": 1})


@pytest.mark.parametrize(
    ("flights", "shows"),
    [
        ((1.0, 0.9, 0.8, 0.7), AGAIN),
        ((1.0, 1.0, 0.5, 1.0), BESIDE),
        ((1.0, 1.0, 1.0, 0.5), SLOWLY),
    ],
)
def test_the_flight_that_shows_it_is_not_the_one_that_a_replay_repeats(
    flights: tuple[float, ...], shows: str
) -> None:
    found = cause(history(*flights), history(*flights), one_process=False)
    assert found is not None
    assert found[1] == shows


@pytest.mark.parametrize("name", ["Steep", "PaidAlways"])
def test_what_the_number_of_resets_decides_is_no_matter_of_time_or_process(
    name: str, session_of: Callable[[str], AuditSession]
) -> None:
    """Later tasks pay more; a flight with pauses is of the first task, as the one that it is held against."""
    session = session_of(f"tests.zoo.turns:{name}")
    seen = witnesses(flown(session, ({"seed": 1}, [{"number": 1}])))
    assert cause(seen, seen, one_process=False, turns=True) is None
    untold = cause(seen, seen, one_process=False)
    assert (untold and untold[0]) == (None if name == "Steep" else "episode_state_leak")
