"""What is flown for the grade: by whom, with which seeds, what is kept of it; canaries, and the peak of memory."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.records_made import audited_policy, audited_task

from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.exploits.panel import Kind
from gonogo.records.audit import AuditedPolicy
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.submission.grade.flights import (
    PROVOKING,
    Canary,
    best_guide,
    groups,
    peak_mb,
    read_canaries,
    rows,
    seeded,
    whole,
)

PLAN: dict[str, Any] = {
    "plan_schema_version": "1",
    "reset": {"episode_id": "canary", "seed": 3, "options": {"level": "a"}},
    "actions": [{"move": "stay"}, {"move": "north"}],
}


def written(file: Path, plan: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(plan if isinstance(plan, str) else json.dumps(plan))
    return file


def test_a_plan_is_a_task_and_its_actions(tmp_path: Path) -> None:
    written(tmp_path / "one.json", PLAN)
    task, actions = {"level": "a", "seed": 3}, ({"move": "stay"}, {"move": "north"})
    assert read_canaries(tmp_path, "one.json") == [Canary("one.json", task, actions)]


def test_a_folder_holds_several_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        written(tmp_path / "canaries" / f"{name}.json", PLAN)
    written(tmp_path / "canaries" / "notes.txt", "none")
    names = [canary.name for canary in read_canaries(tmp_path, "canaries")]
    assert names == ["canaries/a.json", "canaries/b.json", "canaries/c.json"]


def test_none_is_declared(tmp_path: Path) -> None:
    assert read_canaries(tmp_path, None) == []


def test_what_is_no_plan_says_why_and_has_no_actions(tmp_path: Path) -> None:
    written(tmp_path / "a.json", "{")
    written(tmp_path / "b.json", {**PLAN, "actions": "stay"})
    (tmp_path / "c.json").mkdir()
    for name in ("a.json", "b.json", "missing.json"):
        (canary,) = read_canaries(tmp_path, name)
        assert canary.problem and not canary.actions, name


def test_what_lies_outside_of_the_package_is_not_read(tmp_path: Path) -> None:
    outside, root = written(tmp_path / "outside.json", PLAN), tmp_path / "package"
    root.mkdir()
    (root / "link.json").symlink_to(outside)
    (canary,) = read_canaries(root, "link.json")
    assert canary.problem and not canary.actions


def test_memory_is_that_of_a_process_and_its_children() -> None:
    holds = "x = bytearray(b'x' * 80_000_000); print(1, flush=True); input()"
    starts = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {holds!r}])"
    with subprocess.Popen(
        [sys.executable, "-c", starts], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        peak = peak_mb(child.pid)
        child.communicate(b"\n")  # the one that holds it ends, and then who started it
    assert peak is not None
    assert 80 < peak < 200
    assert peak_mb(None) is None


def test_a_process_that_has_ended_has_taken_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    assert peak_mb(child.pid) is None


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
