"""What is flown for the grade: by whom, with which seeds, and what is kept of it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.records_made import audited_policy, audited_task

from gonogo.env.connect import connect
from gonogo.env.target import resolve
from gonogo.exploits.panel import Kind
from gonogo.records.audit import AuditedPolicy
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.submission.grade.flights import (
    PROVOKING,
    best_guide,
    groups,
    rows,
    seeded,
    whole,
)


def reference(name: str, success: float | None, paid: float | None) -> AuditedPolicy:
    told = None if success is None else {"mean": success, "ci95": None}
    returns = None if paid is None else {"mean": paid, "ci95": None}
    return audited_policy(name, "reference", success=told, returns=returns)


def test_the_guide_succeeds_most_and_then_is_paid_most() -> None:
    idle = audited_policy("idle", "idle", success={"mean": 1.0, "ci95": None})
    rich, able = reference("rich", 0.2, 9.0), reference("able", 0.8, 1.0)
    abler, lost = reference("abler", 0.8, 2.0), reference("lost", 1.0, None)
    assert best_guide(audited_task(policies=[idle, rich, able])) == "able"
    assert best_guide(audited_task(policies=[idle, rich, able, abler, lost])) == "abler"
    unknown = reference("unknown", None, 5.0)
    assert best_guide(audited_task(policies=[idle, unknown])) == "unknown"
    assert best_guide(audited_task(policies=[idle, lost])) is None


def test_a_task_whose_reset_fails_with_a_seed_is_flown_once_as_it_is(gridworld: Path) -> None:
    with closing(connect(resolve(str(gridworld)), 1)) as connection:
        assert seeded(connection, {}, [7, 8]) == [{"seed": 7}, {"seed": 8}]
        assert seeded(connection, {"split": "nowhere"}, [7, 8]) == [{"split": "nowhere"}]


def episode(
    paid: float | None, *actions: dict[str, int] | None, error: str | None = None
) -> Episode:
    turns = [Turn("", {}, action) for action in actions]
    return Episode(0, {"seed": 1}, "t", "p", turns=turns, episode_return=paid, error=error)


def test_random_returns_are_grouped_by_task_and_not_by_policy() -> None:
    chance = [[episode(0.0), episode(0.5)], [episode(None), episode(0.25)]]
    found = list(groups([{"seed": 1}, {"seed": 2}], chance))
    assert [(group.task, group.returns) for group in found] == [
        ({"seed": 1}, (0.0,)),
        ({"seed": 2}, (0.5, 0.25)),
    ]


def test_only_an_episode_of_actions_that_was_not_lost_is_replayed() -> None:
    assert whole(episode(1.0, {"a": 1}, {"a": 2}))
    assert not whole(episode(1.0, {"a": 1}, None))
    assert not whole(episode(None, {"a": 1}, error="it died"))


def test_the_record_keeps_what_a_grader_asks() -> None:
    (row,) = rows([episode(None, {"a": 1}, error="it died")])
    assert (row.task, row.episode_return, row.turns, row.error) == ({"seed": 1}, None, 1, "it died")


def test_no_habit_that_may_be_meant_provokes() -> None:
    assert PROVOKING.isdisjoint({Kind.IDLE, Kind.RANDOM, Kind.CONSTANT})
