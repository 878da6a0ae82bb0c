"""The search for who fails and is paid: what a plan is worth on several seeds, and the row that it becomes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from tests.auditing.conftest import Opened
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.search_failures import (
    PLAN,
    PaidFailures,
    distinct,
    fly_sought,
    seek,
    seen_in,
    worth,
)
from gonogo.auditing.survey import SEARCHED, Survey
from gonogo.exploits.panel import Kind
from gonogo.exploits.search import SearchResult


def test_the_best_plan_fails_on_all_seeds_and_becomes_a_row(
    opened: Callable[..., Opened],
) -> None:
    session, flown = opened("paid_for_idling:Defect")
    before = session.steps
    found = seek(session, flown, 600, np.random.default_rng(0))
    assert found.plan is not None and found.plan.worth > 0.5
    assert session.steps > before
    wider = fly_sought(session, flown, found)
    mine = wider.of_kind(SEARCHED)
    assert mine[0].name == PLAN
    assert [e.task for e in mine[0].episodes] == [e.task for e in flown.idle.episodes]
    assert wider.rows[: len(flown.rows)] == flown.rows
    record = found.record()
    assert record.plan is not None and record.plan.best_failing_return == found.plan.worth
    assert record.plan.curve[-1].best == found.plan.worth


def test_where_nothing_is_known_to_fail_nothing_is_searched(
    opened: Callable[..., Opened],
) -> None:
    session, flown = opened("paid_for_idling:Defect")
    silent = row("x", Kind.IDLE, [1.0])
    for episode in silent.episodes:
        episode.success = None
    before = session.steps
    for survey in (Survey({}, [silent]), Survey({}, flown.rows, broken_off=True)):
        found = seek(session, survey, 600, np.random.default_rng(0))
        assert found == PaidFailures()
        assert fly_sought(session, survey, found).rows == survey.rows
    assert session.steps == before
    assert PaidFailures().record().model_dump() == {"plan": None, "policy": None}


def test_a_plan_that_succeeds_once_is_worth_nothing() -> None:
    failing = row("x", Kind.CONSTANT, [0.5]).episodes
    failing[0].episode_return = 0.9
    assert math.isclose(worth(failing[:2]), 0.7)
    assert worth([*failing, SOLVED.episodes[0]]) == -math.inf
    failing[1].episode_return = None
    assert worth(failing) == -math.inf


def test_the_curve_is_told_as_it_rose() -> None:
    plan = SearchResult([{"x": math.nan}], 2.0, [(10, 1.0), (30, 2.0)])
    told = PaidFailures(plan).record().plan
    assert told is not None and told.plan == ({"x": {"$number": "NaN"}},)
    assert [(point.steps, point.best) for point in told.curve] == [(10, 1.0), (30, 2.0)]


def test_what_was_seen_and_what_was_done_once() -> None:
    blind = row("y", Kind.CONSTANT, [0.0])
    for episode in blind.episodes:
        episode.turns[0].observation = {}
    assert len(seen_in(Survey({}, [IDLE, blind]))) == 36
    assert distinct([{"a": 1}, {"b": 2}, {"a": 1}]) == [{"a": 1}, {"b": 2}]
