"""Candidates beyond the panel: what is screened, and what is searched."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.auditing.audits import Json, fly_audit
from tests.auditing.conftest import Opened
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.api import replay_file
from gonogo.auditing.exploration import (
    MOST_CYCLED,
    PLAN,
    SCREENED,
    PaidFailures,
    WiderHabits,
    best_paid,
    completed,
    distinct,
    farms,
    keeps_paying,
    promises,
    search_failures,
    searched_rows,
    seen_in,
    sources,
    worth,
)
from gonogo.auditing.probes import longer_looks
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import AGAIN, FARM, REFERENCE, SEARCHED, Scale, Survey, fly_habit
from gonogo.exploits.panel import Kind
from gonogo.exploits.search import SearchResult
from gonogo.records.record import Verdict
from gonogo.rollouts.space import Space

pytestmark = pytest.mark.usefixtures("from_the_root")


def test_a_habit_is_screened_on_few_seeds_and_completed_on_the_others(
    opened: Callable[..., Opened],
) -> None:
    session, flown = opened("paid_for_idling:Defect")
    tasks = [episode.task for episode in flown.idle.episodes[:5]]
    habit = session.panel()[0]
    few = fly_habit(session, habit, tasks[:SCREENED])
    whole = completed(session, few, tasks, flown)
    assert [e.task for e in whole.episodes] == tasks
    assert whole.episodes[:SCREENED] == few.episodes
    assert (whole.name, whole.kind, whole.action) == (habit.name, habit.kind, habit.action)
    assert completed(session, few, tasks[:SCREENED], flown).episodes == few.episodes


def test_what_was_broken_off_is_not_widened(opened: Callable[..., Opened]) -> None:
    session, flown = opened("paid_for_idling:Defect")
    lost = Survey({}, flown.rows, broken_off=True)
    before = session.steps
    assert [*WiderHabits().rows(session, lost, flown.tasks)] == []
    assert session.steps == before


def test_what_succeeds_beside_another_choice_and_what_one_step_earns_are_flown_further(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.careless:AnyBasket")
    tasks = session.tasks({}, range(4))
    idle = Survey({}, [fly_habit(session, session.panel()[0], tasks), SOLVED])
    free = [row for row in WiderHabits().rows(session, idle, tasks) if row.succeeded]
    assert free and all(len(row.succeeded) == len(row.episodes) == 4 for row in free)
    once, less = row("once", Kind.CONSTANT, [0.9]), row("less", Kind.CONSTANT, [0.1, 0.1])
    assert best_paid([less, IDLE, once]) == [once, less]


def test_where_nothing_says_success_what_is_paid_most_is_flown_on_all_seeds_and_looked_at_longer(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.untold:EndlessNotes")
    tasks = session.tasks({}, range(4))
    idle = Survey({}, [fly_habit(session, session.panel()[0], tasks)])
    wider = idle.plus(WiderHabits().rows(session, idle, tasks))
    wider = wider.plus(longer_looks(session, wider))
    shorter = [row for row in wider.rows if row.kind in set(Kind)]
    dear = [row for row in shorter if row.context is not None]
    assert dear and {len(row.episodes) for row in dear} == {4}
    assert all((row.ended[0].episode_return or 0.0) > 0 for row in dear)
    assert {row.about for row in wider.of_kind(AGAIN)} <= {row.name for row in wider.rows}
    assert wider.of_kind(AGAIN)


@pytest.mark.parametrize(("earned", "promising"), [(0.2, True), (0.05, False)])
def test_a_failure_promises_from_a_part_of_a_success_on(earned: float, promising: bool) -> None:
    tried = row("x", Kind.CONSTANT, [0.0])
    tried.episodes[1].episode_return = earned
    assert promises(tried, Scale(Survey({}, [IDLE, SOLVED, tried]))) is promising


def test_a_cycle_keeps_paying_in_the_second_half_of_its_laps() -> None:
    paid, spent = (
        row("x", FARM, pay).episodes[0] for pay in ([0.0, 1, 1, 1, 1], [1.0, 1, 0, 0, 0])
    )
    assert keeps_paying(paid, 1) and not keeps_paying(spent, 1)
    assert not keeps_paying(row("x", FARM, [1.0] * 5, success=True).episodes[0], 1)


def test_paid_actions_are_the_guides_and_then_what_others_alone_were_paid_for() -> None:
    space = Space({"properties": {"do": {"enum": ["wait", "a", "b"]}}, "required": ["do"]})
    guide = row("solve", REFERENCE, [0.5, 0.0, 0.5], success=True, action={"do": "a"})
    other = row("habit", Kind.CYCLE, [0.0, 0.2, 0.2, 0.0], action={"do": "b"})
    for episode in (*guide.episodes, *other.episodes):
        for turn in episode.turns:
            turn.action = {"do": "a" if episode in guide.episodes else "b"}
        episode.turns[-1].done = True
    flown = Survey({}, [IDLE, guide, other])
    found = sources(flown, space.leaves())
    names = [paid.name for paid in found]
    assert names[0] == "paid action 1" and names[-1].endswith(" as habit does")
    last = found[-1]
    assert last.place(other.episodes[0].turns) == 1 and last.row == "habit"
    tasks = [e.task for e in other.episodes]
    assert [task for task, _ in last.starts(flown, tasks)] == tasks
    assert found[0].succeeding and found[0].starts(flown, []) == []


@pytest.mark.parametrize(
    ("name", "found", "sent"),
    [
        ("Desk", None, None),
        ("StampingDesk", "farmable_cycle", [{"do": "open"}, {"do": "take"}, {"do": "stamp"}]),
        ("ReportingDesk", "malformed_action_pays", [{"do": "report", "text": "x"}]),
    ],
)
def test_what_hangs_on_an_order_or_on_a_choice_beside_it_is_tried(
    name: str, found: str | None, sent: list[Json] | None, tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.single:{name}", "audit.reference": "tests.zoo.single:clerk"}
    _, record = fly_audit(tmp_path, {**given, "audit.seeds": 4, "audit.search": 0})
    plans = {finding.id: finding.witness.plan for finding in record.findings}
    del plans["memorisable_tasks"]  # there is one desk
    assert (plans == {}) == (found is None)
    assert plans.get(found or "") == (None if sent is None else tuple(sent))
    assert replay_file(tmp_path / "witnesses.jsonl", None).verdict is Verdict.GO


def test_of_the_cycles_of_one_paid_action_few_are_flown_on_all_seeds(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.deep:Pump")
    tasks = session.tasks({}, range(4))
    habits = {habit.name: habit for habit in session.panel()}
    paid = next(habit for habit in habits.values() if habit.action == {"action": "pump"})
    flown = Survey({}, [fly_habit(session, habit, tasks) for habit in (session.panel()[0], paid)])
    tried: set[tuple[str, str]] = set()
    rows = [*farms(session, flown, tasks, 20_000, tried)]
    assert len(tried) > MOST_CYCLED == len(rows)
    best = max(e.episode_return or 0.0 for row in rows for e in row.episodes)
    assert best == 60.0  # nothing else between: none is paid more


def test_the_best_plan_fails_on_all_seeds_and_becomes_a_row(
    opened: Callable[..., Opened],
) -> None:
    session, flown = opened("paid_for_idling:Defect")
    before = session.steps
    found = search_failures(session, flown, 600, np.random.default_rng(0))
    assert found.plan is not None and found.plan.worth > 0.5
    assert session.steps > before
    wider = flown.plus(searched_rows(session, found, flown.tasks))
    mine = wider.of_kind(SEARCHED)
    assert mine[0].name == PLAN
    assert [e.task for e in mine[0].episodes] == [e.task for e in flown.idle.episodes]
    assert wider.rows[: len(flown.rows)] == flown.rows
    record = found.record()
    assert record.plan is not None and record.plan.best_failing_return == found.plan.worth
    assert record.plan.curve[-1].best == found.plan.worth


def test_after_a_survey_that_was_broken_off_nothing_is_searched(
    opened: Callable[..., Opened],
) -> None:
    session, flown = opened("paid_for_idling:Defect")
    lost, before = Survey({}, flown.rows, broken_off=True), session.steps
    found = search_failures(session, lost, 600, np.random.default_rng(0))
    assert found == PaidFailures()
    assert [*searched_rows(session, found, flown.tasks)] == []
    assert session.steps == before
    assert PaidFailures().record().model_dump() == {"plan": None, "policy": None}


def test_a_plan_that_succeeds_once_is_worth_nothing() -> None:
    failing = row("x", Kind.CONSTANT, [0.5]).episodes
    failing[0].episode_return = 0.9
    assert math.isclose(worth(failing[:2], told=True), 0.7)
    assert worth([*failing, SOLVED.episodes[0]], told=True) == -math.inf
    failing[1].episode_return = None
    assert worth(failing, told=True) == -math.inf


def test_where_nothing_says_success_a_plan_is_worth_what_it_earns() -> None:
    unsaid = row("x", Kind.CONSTANT, [0.5]).episodes
    assert worth(unsaid, told=False) == -math.inf
    for episode in unsaid:
        episode.success = None
    assert worth(unsaid, told=False) == 0.5
    assert worth(unsaid, told=True) == -math.inf


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
