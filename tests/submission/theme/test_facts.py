"""What is measured, on episodes whose answer is known; and what is flown for it, by whom."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.records_made import audit_report, audited_policy, audited_task, contract_report

from gonogo import config
from gonogo.env.environment import Env
from gonogo.records.audit import AuditReport
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.submission.theme.facts import (
    MOST_TASKS,
    SEEDS,
    decisions,
    delay,
    fly_all,
    guide,
    hidden,
    tasks_of,
    waits_of,
)


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


def test_a_task_that_names_no_episode_is_flown_with_several_seeds() -> None:
    tasks = tasks_of(contract_report({"level": "a"}, {"index": 3}, {"level": "b", "seed": 7}))
    seeded = [{"level": "a", "seed": seed} for seed in range(SEEDS)]
    assert tasks == [*seeded, {"index": 3}, {"level": "b", "seed": 7}]


def test_of_many_tasks_the_first_are_flown() -> None:
    mapped = contract_report(*({"index": n} for n in range(MOST_TASKS + 5)))
    assert tasks_of(mapped) == [{"index": n} for n in range(MOST_TASKS)]


def audited(**rates: tuple[float | None, ...]) -> AuditReport:
    """An audit of two tasks, in which references succeeded so often."""
    tasks = [
        audited_task(
            policies=[
                audited_policy("random", "random", success={"mean": 1.0, "ci95": None}),
                *(
                    audited_policy(name, "reference", success={"mean": told[n], "ci95": None})
                    for name, told in rates.items()
                ),
            ]
        )
        for n in range(2)
    ]
    return audit_report(tasks=tasks)


@pytest.mark.parametrize(
    ("audit", "who"),
    [
        (audited(one=(1.0, 0.0), other=(0.4, 0.7)), ["other"]),
        (audited(one=(None, 0.1), other=(0.0, 0.0)), ["one"]),
        (audited(), []),
    ],
)
def test_the_guide_is_who_succeeds_most_over_all_tasks(
    gridworld: Path, audit: AuditReport, who: list[str]
) -> None:
    assert list(guide(Env(str(gridworld)), audit)) == who


def test_a_policy_that_fails_is_a_note_and_the_others_are_flown(
    gridworld: Path, tmp_path: Path
) -> None:
    run = config.load(None, {"target": str(gridworld), "out": str(tmp_path)})
    mapped = contract_report({"split": "test", "index": 0})
    episodes, notes = fly_all(run, mapped, audited(pilot=(1.0, 1.0)))
    assert [episode.policy for episode in episodes] == ["idle", "random"]
    assert len(notes) == 1 and notes[0].startswith("pilot could not be flown: no policy 'pilot'")
