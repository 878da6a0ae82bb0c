"""What is measured, on episodes whose answer is known."""

from __future__ import annotations

import pytest

from gonogo.rollouts.episodes import Episode, Turn
from gonogo.submission.theme.facts import decisions, delay, hidden, waits_of


def flown(rewards: list[float | None], *, success: bool | None = True, seed: int = 0) -> Episode:
    """An episode in which the observation counts the steps."""
    turns = [
        Turn(text="", observation={"n": n}, action={"a": 1}, reward=r)
        for n, r in enumerate(rewards)
    ]
    return Episode(0, {"seed": seed}, "x", "p", turns=turns, success=success)


@pytest.mark.parametrize(
    ("rewards", "waits"),
    [
        ([0, 0, 0, 1], [4, 3, 2, 1]),
        ([-1, -1, -1, 9], [4, 3, 2, 1]),
        ([0, 1, 0, 2], [2, 1, 2, 1]),
        ([1, 1, 1], [3, 2, 1]),
        ([None, None, 1], [3, 2, 1]),
        ([None, None], []),
    ],
)
def test_the_delay_runs_to_the_next_reward_that_says_something(
    rewards: list[float | None], waits: list[int]
) -> None:
    assert list(waits_of(flown(rewards))) == waits


def test_a_long_success_is_long_and_a_failure_says_nothing() -> None:
    late = [0.0] * 24 + [1.0]
    assert decisions([flown(late)]).holds is True
    assert delay([flown(late)]).holds is True
    assert decisions([flown(late, success=False)]).holds is None
    assert delay([flown(late, success=False)]).holds is None
    assert decisions([flown([0.0, 1.0])]).holds is False
    assert delay([flown([0.0, 1.0])]).holds is False


def test_a_task_that_nobody_solved_may_be_the_long_one() -> None:
    unsolved = flown([0.0, 0.0], success=False)
    unsolved.task = {"level": "hard"}
    assert decisions([flown([0.0, 1.0]), unsolved]).holds is None


def test_hidden_is_what_two_episodes_do_not_share() -> None:
    one, two = flown([0.0] * 30, seed=1), flown([0.0] * 30, seed=2)
    assert hidden([one, two]).holds is False
    assert hidden([one]).holds is None, "an episode says nothing against itself"
    two.turns[7].observation = {"n": -1}
    assert hidden([one, two]).holds is True
