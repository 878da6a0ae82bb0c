"""Success by an expression: what it may say, when it is told, and every way of being wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.adapters.targets import connect, resolve
from gonogo.config import RolloutConfig
from gonogo.errors import Misuse
from gonogo.rollout.engine import Flight, fly
from gonogo.rollout.episodes import Episode
from gonogo.rollout.policies import ScriptedPolicy
from gonogo.rollout.protocols import Reply

COUNTER = "tests.zoo.single:Counter"


def count(success: str, *adds: int, turns: int = 5) -> Episode:
    """One episode of adding numbers, judged by an expression."""
    connection = connect(resolve(COUNTER), 1, RolloutConfig(success=success))
    script = [Reply(action={"add": add}) for add in adds]
    try:
        (episode,) = fly(
            connection, ScriptedPolicy([script]), [{"seed": 0}], Flight("c", max_turns=turns)
        )
    finally:
        connection.close()
    return episode


@pytest.mark.parametrize(
    ("success", "wanted"),
    [
        ("total == 6", True),
        ("total > 6", False),
        ("observation['total'] >= 6 and text == 'sum 6'", True),
        ("len([word for word in text.split() if word == 'sum']) == 1", True),
        ("any(total == n for n in [1, 2, 3])", False),
        ("done", False),
    ],
)
def test_an_expression_says_success_where_the_environment_says_nothing(
    success: str, wanted: bool
) -> None:
    assert count(success, 1, 2, 3, turns=3).success is wanted


def test_what_cannot_be_told_before_the_end_is_no_success_yet() -> None:
    assert count("metadata.winner == 1", 1, turns=1).success is False


def test_the_expression_goes_before_the_environments_own_word(gridworld: Path) -> None:
    connection = connect(
        resolve(str(gridworld)), 1, RolloutConfig(success="done and goal_east > 50")
    )
    script = [Reply(action={"move": "stay"})]
    (episode,) = fly(connection, ScriptedPolicy([script]), [{"seed": 1}], Flight("g"))
    connection.close()
    assert episode.turns[-1].done and episode.success is False


@pytest.mark.parametrize(
    ("success", "said"),
    [
        ("total ==", "success must be an expression, not 'total =='"),
        ("total = 3", "success must be an expression"),
        ("totl == 3", "may name done, metadata, observation, text, total, not totl"),
        ("reward > 0", "not reward"),
        ("__import__('os').getcwd() == ''", "not __import__"),
    ],
)
def test_a_bad_expression_stops_before_anything_is_flown(success: str, said: str) -> None:
    with pytest.raises(Misuse, match="success") as caught:
        connect(resolve(COUNTER), 1, RolloutConfig(success=success))
    assert said in str(caught.value)


def test_an_answer_that_is_no_truth_value_is_refused() -> None:
    with pytest.raises(Misuse, match=r"success 'total' must be true or false, not 1"):
        count("total", 1)


def test_an_end_that_the_expression_cannot_judge_is_an_error(gridworld: Path) -> None:
    connection = connect(resolve(str(gridworld)), 1, RolloutConfig(success="metadata.nowhere > 3"))
    script = [Reply(action={"move": "stay"})]
    with pytest.raises(Misuse, match="cannot be told at an episode's end"):
        fly(connection, ScriptedPolicy([script]), [{"seed": 1}], Flight("g"))
    connection.close()
