"""What is measured, on episodes and texts whose answer is known."""

from __future__ import annotations

import pytest
import yaml

from gonogo.config import blank, check_words
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.submission.theme.catalogue import NEAR, load_catalogue
from gonogo.submission.theme.facts import decisions, delay, hidden, waits_of
from gonogo.submission.theme.rubric import CRITERIA
from gonogo.submission.theme.template import text_of


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


NEARBY = {
    "control a robot arm in simulated physics": "dm_control_env",
    "drive a car through city traffic": "carla_env",
    "optimise CUDA kernels for speed": "kernrl",
    "browse web pages, click buttons and fill forms": "browsergym_env",
    "fight a forest fire with firebreaks": "wildfire_env",
    "questions about annual reports of companies with SQL": "finqa_env",
    "solve logic puzzles and arithmetic questions": "reasoning_gym_env",
    "run shell commands in a linux terminal": "tbench2_env",
    "chess puzzles: find the mate in two moves on the board": "chess_env",
    "trading stocks on a market": "finrl_env",
    "guess the five letter word of wordle": "textarena_env",
    "schedule meetings in a calendar with invitations": "calendar_env",
}
FAR = (
    "operate a power grid and keep its frequency",
    "a hotel concierge who rebooks guests",
    "triage patients in an emergency room",
    "a nuclear reactor is cooled",
    "negotiate a treaty between countries",
    "diagnose faults of a satellite from telemetry",
    "design the layout of a chip",
)


@pytest.mark.parametrize("text", NEARBY)
def test_a_paraphrase_of_an_entry_is_near_it(text: str) -> None:
    name, alike = load_catalogue().nearest(text)[0]
    assert name == NEARBY[text] and alike >= NEAR


@pytest.mark.parametrize("text", FAR)
def test_a_foreign_domain_is_near_nothing(text: str) -> None:
    assert load_catalogue().nearest(text)[0][1] < NEAR


def test_a_name_is_nearest_to_its_own_entry() -> None:
    catalogue = load_catalogue()
    assert len(catalogue.names) == 30 and len(catalogue.commit) == 40
    for name in catalogue.names:
        assert catalogue.nearest(name)[0][0] == name


def test_the_rubric_is_ten_points() -> None:
    assert [points for points, _ in CRITERIA.values()] == [3, 2, 2, 2, 1]


def test_the_template_reads_back_as_it_was_written() -> None:
    text = text_of(blank(), "an: odd\nname")
    assert check_words(yaml.safe_load(text), "template") == blank()
    assert max(map(len, text.splitlines())) <= 120
