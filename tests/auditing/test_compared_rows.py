"""What the environment's own code compares belongs to the scale, and no GO rests on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.auditing.audits import blocked_of, fly_audit

from gonogo.auditing.compared_rows import MOST_LOST, NAME, ComparedFlights, compared_rows
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import COMPARED, Survey, SurveyRow, fly_idle, total
from gonogo.exploits.panel import Kind
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")

ZOO = "tests.zoo.compared"
TASKS = [{"seed": seed} for seed in (3, 11, 12)]
MORE = [{"seed": seed} for seed in range(20, 30)]


def rows_of(context: AuditContext, steps: int) -> list[SurveyRow]:
    """The rows of a search of so many steps a task."""
    with closing(AuditSession(context)) as session:
        flown = Survey({}, [fly_idle(session, TASKS)])
        return list(compared_rows(session, flown, TASKS, MORE, steps))


def test_an_answer_that_nobody_is_told_is_found_on_each_task(
    context_of: Callable[..., AuditContext],
) -> None:
    (row,) = rows_of(context_of(f"{ZOO}:Sealed"), 60)
    assert (row.name, row.kind) == (NAME, COMPARED)
    assert [total(episode) for episode in row.episodes] == [1.0, 1.0, 1.0]
    assert row.succeeds


def test_all_that_is_looked_for_on_any_task_is_one_habit(
    context_of: Callable[..., AuditContext],
) -> None:
    found, habit, *_ = rows_of(context_of(f"{ZOO}:Ward"), 60)
    assert [total(episode) for episode in found.episodes] == [1.0, 1.0, 1.0]
    assert (habit.name, habit.kind) == ("text: all 8 texts that its code looks for", Kind.WORDS)
    assert [total(episode) for episode in habit.episodes] == [1.0, 1.0, 1.0]
    assert habit.field == "text"


def test_the_row_is_found_anew_on_other_tasks(context_of: Callable[..., AuditContext]) -> None:
    context = context_of(f"{ZOO}:Sealed")
    (row,) = rows_of(context, 60)
    with closing(AuditSession(context)) as session:
        again = row.again(session, [{"seed": 99}], Survey({}, [fly_idle(session, [{"seed": 99}])]))
    assert [total(episode) for episode in again.episodes] == [1.0]


@contextmanager
def flights_of(context: AuditContext) -> Iterator[tuple[ComparedFlights, AuditSession]]:
    """Flights in a process that says what it compares, and the session that counts them."""
    with closing(AuditSession(context)) as session:
        connection = session.comparing()
        assert connection is not None
        with closing(connection):
            yield ComparedFlights(connection, session.looking), session


def test_each_step_and_reset_of_the_search_is_counted(
    context_of: Callable[..., AuditContext],
) -> None:
    with flights_of(context_of(f"{ZOO}:Sealed")) as (flights, session):
        before = session.spent
        flight = flights.fly({"seed": 3}, [{"text": "Rome"}, {"text": "Paris"}])
        assert (len(flight.steps), flight.over) == (1, True)
        assert session.spent - before == 2


def test_a_task_that_is_lost_again_and_again_is_left_alone(
    context_of: Callable[..., AuditContext],
) -> None:
    with flights_of(context_of(f"{ZOO}:Stuck")) as (flights, session):
        for _ in range(MOST_LOST):
            assert flights.fly({"seed": 3}, [{"text": "Rome"}]).refused
        before = session.spent
        assert flights.fly({"seed": 3}, [{"text": "Rome"}]).refused
        assert session.spent == before
        assert flights.fly({"seed": 4}, [{"text": "Rome"}]).refused
        assert session.spent == before + 2


def test_no_go_rests_on_answers_that_nobody_is_told(tmp_path: Path) -> None:
    given = {"target": f"{ZOO}:Sealed", "audit.seeds": 8, "audit.budget": 6_000}
    verdict, record = fly_audit(tmp_path, given, {})
    (task,) = record.tasks
    found = next(policy for policy in task.policies if policy.kind == COMPARED)
    assert (found.returns.mean, found.success.mean) == (1.0, 1.0)
    assert verdict is not Verdict.GO
    assert "no policy without the answers succeeded" in record.reason


@pytest.mark.parametrize(("case", "blocked"), [("Ward", {"keywords_pay"}), ("CarefulWard", set())])
def test_words_that_the_grader_looks_for_are_a_finding_where_others_cost_nothing(
    case: str, blocked: set[str], tmp_path: Path
) -> None:
    assert blocked_of(f"{ZOO}:{case}", tmp_path, 8_000) == blocked
