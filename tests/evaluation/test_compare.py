"""Rewards are held against each other bit for bit."""

from __future__ import annotations

import math

from gonogo.evaluation.compare import bits, compare, name_of
from gonogo.rollouts.episodes import Episode, Turn


def flown(*rewards: float | None, done: bool = True, error: str | None = None) -> Episode:
    """An episode that ends with its last turn."""
    turns = [Turn("", {}, {}, reward=reward) for reward in rewards]
    if turns:
        turns[-1].done = done
    return Episode(3, {}, "t", "walker", turns=turns, error=error)


def test_the_same_rewards_differ_in_nothing() -> None:
    again = flown(0.1, None, math.nan, -0.0)
    assert compare(flown(0.1, None, math.nan, -0.0), again) is None


def test_the_first_difference_is_said_with_its_turn() -> None:
    old = flown(0.5, 0.0)
    assert compare(old, flown(0.5, -0.0)) == (
        "episode 3 of walker, turn 1: reward 0.0 recorded, -0.0 now"
    )
    assert compare(old, flown(0.5 + 2**-53, 0.0)) is not None
    assert str(compare(old, flown(None, 0.0))).endswith("turn 0: reward 0.5 recorded, None now")
    assert compare(old, flown(0.5, 0.0, done=False)) == (
        "episode 3 of walker, turn 1: done True recorded, False now"
    )


def test_an_episode_is_compared_as_far_as_both_went_and_one_that_was_lost_not_at_all() -> None:
    cut = flown(0.5, done=False)
    assert compare(cut, flown(0.5, 1.0)) is None
    assert compare(flown(0.5, error="it died"), flown(0.5)) is None
    assert compare(flown(0.5), flown(0.9, error="it died")) is None


def test_no_reward_has_no_bits() -> None:
    assert bits(None) is None
    assert bits(0.0) != bits(-0.0)
    assert bits(1) == bits(1.0)
    assert name_of(flown()) == "episode 3 of walker"
