"""Exploration gives an audit values, guides and paid failures that can be flown again in another process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.records_made import contract_report

from gonogo import config
from gonogo.auditing.budget import BudgetSpent, Limit
from gonogo.auditing.explored import MOST_ROUNDS, ROUNDS, TaskExploration, dearest_part, rounds
from gonogo.auditing.flight_log import FlightLog
from gonogo.auditing.progress import AuditProgress
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import EXPLORED, Survey
from gonogo.contract.sources import Sources
from gonogo.env.environment import Env
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import TaskOptions

DOOR = Path(__file__).parents[1] / "first_contact" / "door"
TASKS: list[TaskOptions] = [{"seed": 0}, {"seed": 1}]
FRESH: list[TaskOptions] = [{"seed": 7}, {"seed": 8}]


class Explored:
    """An audit's context of the door, its session, and an exploration there."""

    def __init__(self, folder: Path, stack: ExitStack, most: int | None = None) -> None:
        run = config.load(None, {"target": str(DOOR), "out": str(folder)})
        self.env = Env.of(run)
        self.context = AuditContext(
            self.env,
            run,
            contract_report(),
            FlightLog(folder / "log.jsonl"),
            AuditProgress().part("x"),
            limit=Limit(most=most),
        )
        self.session = stack.enter_context(closing(AuditSession(self.context)))
        sources = Sources.of(self.env.target)
        self.exploration = TaskExploration(self.session, sources, TASKS, run.seed)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_ways_to_a_success_and_to_pay_are_rows_that_another_process_flies_again(
    tmp_path: Path, stack: ExitStack
) -> None:
    here = Explored(tmp_path, stack)
    here.exploration.spend(4000)
    rows = list(here.exploration.rows())
    assert {row.kind for row in rows} == {EXPLORED}
    won = [row for row in rows if len(row.succeeded) == len(TASKS)]
    paid = [row for row in rows if row.failed and not row.succeeded]
    assert won
    assert paid
    assert list(here.exploration.rows()) == []
    others = list(here.exploration.rows(others=True))
    assert others and not {row.name for row in others} & {row.name for row in rows}
    survey = Survey({}, rows)
    assert survey.guided == [episode for row in won for episode in row.succeeded]
    other = stack.enter_context(closing(AuditSession(here.context)))
    for row in (won[0], paid[0]):
        assert row.again is not None
        again = row.again(other, FRESH, survey)
        assert [e.task for e in again.episodes] == FRESH
        assert [e.episode_return for e in again.episodes] == pytest.approx(
            [e.episode_return for e in row.episodes]
        )


def test_what_was_learned_is_there_for_the_panel_of_every_session(
    tmp_path: Path, stack: ExitStack
) -> None:
    here = Explored(tmp_path, stack)
    assert here.session.values == {}
    here.exploration.spend(100)
    assert here.session.values["room"][0] in {"red", "green", "blue"}
    names = {habit.name for habit in here.session.panel()}
    assert "always room='red'" in names
    other = stack.enter_context(closing(AuditSession(here.context)))
    assert {habit.name for habit in other.panel()} == names


def test_an_end_in_the_middle_leaves_what_was_reached(tmp_path: Path, stack: ExitStack) -> None:
    here = Explored(tmp_path, stack, most=300)
    with pytest.raises(BudgetSpent):
        here.exploration.spend(1500)
    figures = here.exploration.figures()
    assert 200 < figures.steps + figures.episodes < 600
    assert figures.lines is not None
    assert 0 < figures.lines <= (figures.of or 0)
    assert here.session.values


def test_lines_that_others_reach_count_once(tmp_path: Path, stack: ExitStack) -> None:
    here = Explored(tmp_path, stack)
    here.session.fly(here.session.panel()[0], TASKS)
    beside = here.session.beside()
    assert len(beside) == 1
    assert here.session.beside() == []


def test_the_dearest_part_ends_with_the_last_gain() -> None:
    turns = [Turn("", {}, reward=reward) for reward in (0.5, None, 1.0, -2.0, 0.5)]
    assert dearest_part(Episode(0, {}, "t", "x", turns=turns)) == (1.5, 3)


def test_rounds_grow_and_end() -> None:
    assert list(rounds(600)) == [300 * 2**number for number in range(ROUNDS)]
    assert list(rounds(0)) == [] == list(rounds(0, sought=True))


def test_where_a_success_is_sought_more_rounds_follow_that_grow_no_further() -> None:
    longest = 300 * 2 ** (ROUNDS - 1)
    some = list(rounds(600, sought=True))
    assert some[:ROUNDS] == list(rounds(600))
    assert some[ROUNDS:] == [longest] * (MOST_ROUNDS - ROUNDS)


def test_news_is_counted_until_there_is_none(tmp_path: Path, stack: ExitStack) -> None:
    here = Explored(tmp_path, stack)
    assert not here.exploration.saturated
    here.exploration.spend(1500)
    first = here.exploration.news
    assert first > 0 and here.exploration.saturated
    here.exploration.spend(4000)
    known = here.exploration.news
    here.exploration.spend(300)
    assert first <= known <= here.exploration.news
