"""Rows of plans that are found by what the environment's own code compares an action with.

Where nobody says what a success is worth, "nobody earned more" says little: the panel does not try, and exploration
is seldom right by chance. So a process of its own takes down what each step compares, and a search puts that into its
actions (:mod:`gonogo.explore.compared`). The plans are then flown in the audit's own process, as everything is that
counts. What they earn is the best that is known, and where they succeed a success is known: they know what no agent is
told, so nothing is said of them but this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import EXPLORED, Survey, SurveyRow
from gonogo.explore.compared import ComparedFlight, ComparedSearch, ComparedStep
from gonogo.rollouts.types import Connection, Failure, Schemas
from gonogo.wire import Action, TaskOptions

NAME = "what its own code compares, put in"
STEPS = 1_000
"""Environment steps of the search on each task, resets counted: most of what is found is found within them."""


class ComparedFlights:
    """Flights of which each step says what it compared.

    Args:
        session: What counts them.
        connection: Where they fly.
    """

    def __init__(self, session: AuditSession, connection: Connection) -> None:
        self._session, self._connection = session, connection

    @property
    def schemas(self) -> Schemas:
        """JSON schemas of the environment."""
        return self._connection.schemas

    def fly(self, task: TaskOptions, actions: Sequence[Action]) -> ComparedFlight:
        """Reset to a task and send actions until they, or the episode, end.

        Raises:
            BudgetSpent: Nothing is left of the time or the budget.
        """
        self._session.looking(1 + len(actions))
        answer = self._connection.reset({0: task})[0]
        if isinstance(answer, Failure):
            return ComparedFlight({}, [], over=True, refused=True)
        first, steps, refused = answer.observation, list[ComparedStep](), False
        for action in actions:
            if answer.done:
                break
            answer = self._connection.step({0: action})[0]
            if isinstance(answer, Failure):
                return ComparedFlight(first, steps, over=True, refused=True)
            refused = answer.refusal is not None
            said = answer.comparisons or ()
            steps.append(ComparedStep(answer.reward or 0.0, answer.observation, said))
        return ComparedFlight(first, steps, over=answer.done, refused=refused)


def compared_rows(session: AuditSession, tasks: Sequence[TaskOptions]) -> Iterator[SurveyRow]:
    """The row of the plans that the search finds, one for each task; none where nothing is compared, or paid.

    Args:
        session: Where they are flown.
        tasks: Reset options of the row's episodes.
    """
    plans = plans_of(session, tasks)
    if any(plans):
        yield fly_plans(session, tasks, plans)


def plans_of(session: AuditSession, tasks: Sequence[TaskOptions]) -> list[tuple[Action, ...]]:
    """What is paid most on each task, of what is found; empty where nothing is paid."""
    connection = session.comparing()
    if connection is None:
        return [()] * len(tasks)
    with closing(connection):
        search = ComparedSearch(ComparedFlights(session, connection), session.sources)
        return [search.best(task, STEPS).actions for task in tasks]


def fly_plans(
    session: AuditSession, tasks: Sequence[TaskOptions], plans: Sequence[Sequence[Action]]
) -> SurveyRow:
    """The row of some plans; on other tasks others are looked for.

    Args:
        session: Where they are flown.
        tasks: Reset options of its episodes.
        plans: What is sent on each.
    """

    def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
        return fly_plans(session, tasks, plans_of(session, tasks))

    idle = session.space.idle()  # what comes after a plan that ends nothing
    sent = [(task, [*plan, idle]) for task, plan in zip(tasks, plans, strict=True) if plan]
    return SurveyRow(NAME, EXPLORED, session.plans(NAME, sent), again=again)
