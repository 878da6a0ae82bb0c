"""Reward functions outside the environment: what they are given, how they pay, every way of failing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from gonogo.env.reward_functions import RewardFunctions, conversation
from gonogo.errors import Misuse, PolicyFailure
from gonogo.rollouts.episodes import Episode, Turn

HERE = "tests.zoo.paid_outside"


def episodes(*successes: bool) -> list[Episode]:
    """Episodes of two turns, one reply as text and one as an action, paid 1 by the environment."""
    return [
        Episode(
            index=number,
            task={"seed": number},
            target="t",
            policy="p",
            turns=[
                Turn("first", {}, reply="go on", reward=0.25),
                Turn("second", {}, action={"move": "north"}, reward=0.75, done=True),
            ],
            episode_return=1.0,
            components={"own": 1.0},
            success=success,
        )
        for number, success in enumerate(successes)
    ]


@pytest.fixture
def flown() -> Iterator[list[Episode]]:
    yield episodes(True, False)


def paid(flown: list[Episode], *names: str) -> list[float | None]:
    with closing(RewardFunctions([f"{HERE}:{name}" for name in names])) as functions:
        functions.pay(flown)
    return [episode.episode_return for episode in flown]


def test_a_conversation_is_the_replies_with_what_was_seen_between() -> None:
    assert list(conversation(episodes(True)[0])) == [
        {"role": "assistant", "content": "go on"},
        {"role": "user", "content": "second"},
        {"role": "assistant", "content": '{"move": "north"}'},
    ]


def test_functions_pay_in_the_environments_place_each_as_a_component(flown: list[Episode]) -> None:
    characters = len("go on") + len('{"move": "north"}')
    assert paid(flown, "arrived", "length") == [1 + characters / 500, characters / 500]
    assert flown[0].components == {f"{HERE}:arrived": 1.0, f"{HERE}:length": characters / 500}
    assert [turn.reward for turn in flown[1].turns] == [0.0, characters / 500]


def test_functions_are_asynchronous_or_log_as_trl_lets_them(flown: list[Episode]) -> None:
    assert paid(flown, "awaited") == [1.0, 0.0]
    assert paid(flown, "logged") == [1.0, 0.0]


def test_what_a_function_prints_is_no_answer(flown: list[Episode]) -> None:
    assert paid(flown, "wordy") == [1.0, 1.0]


def test_who_says_nothing_leaves_no_return(flown: list[Episode]) -> None:
    assert paid(flown, "silent") == [None, None]


def test_a_lost_episode_stays_as_it_was(flown: list[Episode]) -> None:
    flown[1].error, flown[1].episode_return = "lost", None
    assert paid(flown, "arrived") == [1.0, None]


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("short", Misuse, "must answer a number for each of 2 episodes, not 1"),
        ("undefined", Misuse, "must answer finite numbers, not nan"),
        ("nowhere", Misuse, "nowhere cannot be loaded"),
        ("raises", PolicyFailure, "raises raised KeyError: 'answer'"),
        ("scalar", Misuse, "must answer a list with a number for each episode, not 0.5"),
        ("awaited_scalar", Misuse, "must answer a list with a number for each episode, not 0.5"),
        ("nothing", Misuse, "must answer a list with a number for each episode, not None"),
        ("words", Misuse, "must answer numbers, not 'good'"),
        ("huge", Misuse, "must answer numbers, not 1000"),
    ],
)
def test_a_broken_function_is_named(
    flown: list[Episode], name: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error) as caught:
        paid(flown, name)
    assert said in str(caught.value)
    assert "Traceback" not in str(caught.value)
