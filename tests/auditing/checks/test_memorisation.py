"""How many openings there are, and whether what is behind them can be learned by heart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tests.auditing.rows import IDLE, row

from gonogo import config
from gonogo.auditing.checks.memorisation import (
    HEART,
    RESETS,
    Looks,
    count,
    judged,
    memorisation,
    weighed,
)
from gonogo.auditing.survey import EXPLORED, REFERENCE, Survey
from gonogo.auditing.suspicions import Suspicion
from gonogo.pipeline import audit as pipeline
from gonogo.records.audit import AuditReport, SeedVariety
from gonogo.records.contract import ContractReport
from gonogo.records.findings import Severity


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def test_three_bridges_are_learned_by_heart(opened: Callable[..., Any]) -> None:
    record, (suspicion,) = memorisation(*opened("memorisable_tasks:Defect"), rng())
    assert (record.resets, record.openings, record.estimated) == (RESETS, 3, 3)
    assert record.by_heart.learned == 3
    assert record.by_heart.success.mean == 1
    assert suspicion.id == "memorisable_tasks"
    assert suspicion.witness.success is True


def test_three_openings_with_hundreds_of_bridges_behind_are_not(
    opened: Callable[..., Any],
) -> None:
    record, suspected = memorisation(*opened("memorisable_tasks:Sound"), rng())
    assert suspected == []
    assert record.openings == 3
    assert record.by_heart.success.mean < 0.5


def test_boards_that_were_never_seen_are_not_known(opened: Callable[..., Any]) -> None:
    record, suspected = memorisation(*opened("seed_ignored__constant:Sound"), rng())
    assert suspected == []
    assert record.openings > 100
    assert record.estimated > record.openings
    assert record.by_heart.flown <= 3


def test_one_episode_for_all_seeds_is_learned_by_heart(opened: Callable[..., Any]) -> None:
    record, (suspicion,) = memorisation(*opened("seed_ignored__constant:Defect"), rng())
    assert (record.openings, record.by_heart.learned) == (1, 1)
    assert suspicion.id == "memorisable_tasks"


def explored(flown: Survey) -> Survey:
    """The survey, as if exploration had found what the policy that is meant to succeed does."""
    rows = [replace(row, kind=EXPLORED) if row.kind == REFERENCE else row for row in flown.rows]
    return replace(flown, rows=rows)


def test_what_exploration_found_is_learned_by_heart_where_there_is_one_episode_only(
    opened: Callable[..., Any],
) -> None:
    session, flown = opened("seed_ignored__constant:Defect")
    record, (suspicion,) = memorisation(session, explored(flown), rng())
    assert (suspicion.id, suspicion.severity) == ("memorisable_tasks", None)
    assert "nobody is known who looks" in suspicion.explanation
    assert record.by_heart.success_of_reference == 0


def test_what_exploration_found_is_no_matter_where_it_fails_on_other_seeds(
    opened: Callable[..., Any],
) -> None:
    session, flown = opened("memorisable_tasks:Sound")
    record, suspected = memorisation(session, explored(flown), rng())
    assert suspected == []
    assert record.by_heart.flown > 0
    assert record.by_heart.success.mean < 0.9


def test_what_exploration_found_has_to_succeed_on_nearly_every_seed() -> None:
    found = row("explored 1", EXPLORED, [1.0], success=True)
    failed = row("explored 1", EXPLORED, [0.0])
    some = replace(found, episodes=[*found.episodes[:2], *failed.episodes[2:]])
    flown = Survey({}, [IDLE, some])
    for episodes, accused in ((some.episodes, False), (found.episodes, True)):
        _, suspected = judged(flown, "plans", 1, 6, episodes)
        assert bool(suspected) is accused


def test_a_success_that_costs_is_none_where_nobody_is_known_to_look() -> None:
    found = row("explored 1", EXPLORED, [-0.35], success=True)
    assert judged(Survey({}, [IDLE, found]), "plans", 1, 6, found.episodes)[1] == []
    looked = row("solver", REFERENCE, [-0.2], success=True)
    flown = Survey({}, [IDLE, looked])
    assert judged(flown, "plans", 1, 6, found.episodes)[1] != []


def test_one_order_of_moves_that_is_right_with_whatever_is_seen_is_merely_suspicious() -> None:
    same, differs = (row("plan", HEART, [1.0], shown=shown) for shown in ({"lamp": 1}, None))
    looks, doubt = Looks({}, set()), Severity.SUSPICIOUS
    suspicion = Suspicion("memorisable_tasks", same, same.episodes[0], "learned", 1.0)
    for flown, severity in ((same.episodes, None), (differs.episodes, doubt)):
        (found,) = weighed([suspicion], flown, looks)
        assert found.severity is severity
    (few,) = weighed([suspicion], same.episodes[:3], looks)
    assert few.severity is doubt


def test_few_answers_behind_one_opening_are_tried_in_turn(opened: Callable[..., Any]) -> None:
    record, (suspicion,) = memorisation(*opened("memorisable_tasks__pegs:Defect"), rng())
    assert record.openings == 1
    assert record.answers.success.mean == 1
    assert suspicion.id == "memorisable_tasks"
    record, suspected = memorisation(*opened("memorisable_tasks__pegs:Sound"), rng())
    assert (record.openings, suspected) == (1, [])


def test_few_episodes_behind_one_opening_are_lived_through_again(
    opened: Callable[..., Any],
) -> None:
    record, (suspicion,) = memorisation(*opened("memorisable_tasks__mazes:Defect"), rng())
    assert record.openings == 1
    assert record.episodes.learned == 3
    assert record.episodes.success.mean == 1
    assert suspicion.id == "memorisable_tasks"
    record, suspected = memorisation(*opened("memorisable_tasks__mazes:Sound"), rng())
    assert (record.episodes, suspected) == (None, [])


def test_a_task_that_names_one_episode_is_not_held_against_its_environment(
    opened: Callable[..., Any],
) -> None:
    field, flown = opened("rotten_third_task__globs:Sound")
    record, suspected = memorisation(
        field, replace(flown, task={"split": "train", "index": 2}), rng()
    )
    assert suspected == []
    assert "one episode" in record.note


def test_the_unseen_are_estimated() -> None:
    known = count(["a", "a", "b", "b"])
    assert (known.resets, known.openings, known.estimated, known.unseen) == (4, 2, 2.0, 0.0)
    assert count(["a", "b", "c"]).estimated is None
    assert count(["a", "a", "b", "c", "d"]).estimated == 4 + 3 * 2 / (2 * 2)


def test_a_clock_makes_no_episode_another_one(tmp_path: Path) -> None:
    target, little = "tests.zoo.single:Stamped", {"audit.seeds": 8, "audit.search": 0}
    run = config.load(None, {"target": target, "out": str(tmp_path), "map.steps": 4, **little})
    pipeline.audit(run)
    (sheet,) = AuditReport.load(tmp_path).tasks
    assert sheet.numbers.distinct_episodes == SeedVariety(different=3, seeds=8)
    assert sheet.distinct.openings == 3
    (volatile,) = ContractReport.load(tmp_path).volatile
    assert (volatile.path, volatile.kind) == ("observation.text", "a clock")
