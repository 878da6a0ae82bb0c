"""The row of plans that are found by what the environment's own code compares an action with.

Where nobody says what a success is worth, "nobody earned more" says little: the panel does not try, and exploration
is seldom right by chance. So a process of its own takes down what each step compares, and a search puts that into its
actions (:mod:`gonogo.explore.compared`). The plans are then flown in the audit's own process, as everything is that
counts. What they earn can be earned, so it belongs to the scale. But they know what no agent is told: nothing is said
of them, and no GO rests on their success.

What is the same on every task is learnt by any agent, whoever found it. So all texts that were looked for in a text of
an action, on whatever task, are put into it together: a habit like those of the panel, which is judged as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from gonogo.auditing.checks.blind_plan import fixed_row, said_of
from gonogo.auditing.resets import key_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.shared_plan import SharedPlan, shared_plan
from gonogo.auditing.survey import COMPARED, Survey, SurveyRow, fly_habit, total
from gonogo.exploits.panel import Habit, Kind
from gonogo.exploits.witness import actions_of
from gonogo.explore.changes import ComparedFlight, ComparedStep
from gonogo.explore.compared import AskedText, ComparedSearch
from gonogo.rollouts.types import Connection, Failure, Schemas
from gonogo.wire import Action, TaskOptions

NAME = "what its own code compares, put in"
MOST_LOST = 3
"""Flights of a task that may be lost, each perhaps with a timeout, before it is left alone."""


class ComparedFlights:
    """Flights of which each step says what it compared.

    Args:
        connection: Where they fly.
        count: Is told of each reset and step before it is sent; it may raise to end the search.
    """

    def __init__(self, connection: Connection, count: Callable[[int], None]) -> None:
        self._connection, self._count = connection, count
        self._lost: Counter[str] = Counter()

    @property
    def schemas(self) -> Schemas:
        """JSON schemas of the environment."""
        return self._connection.schemas

    def fly(self, task: TaskOptions, actions: Sequence[Action]) -> ComparedFlight:
        """Reset to a task and send actions until they, or the episode, end.

        After a few lost flights of a task nothing is sent to it any more.
        """
        key = key_of(task)
        if self._lost[key] >= MOST_LOST:
            return ComparedFlight({}, [], over=True, refused=True)
        self._count(1)
        answer = self._connection.reset({0: task})[0]
        if isinstance(answer, Failure):
            self._lost[key] += 1
            return ComparedFlight({}, [], over=True, refused=True)
        first, steps, refused = answer.observation, list[ComparedStep](), False
        for action in actions:
            if answer.done:
                break
            self._count(1)
            answer = self._connection.step({0: action})[0]
            if isinstance(answer, Failure):
                self._lost[key] += 1
                return ComparedFlight(first, steps, over=True, refused=True)
            refused = answer.refusal is not None
            said = answer.comparisons or ()
            steps.append(ComparedStep(answer.reward or 0.0, answer.observation, said))
        return ComparedFlight(first, steps, over=answer.done, refused=refused)


def compared_rows(
    session: AuditSession,
    flown: Survey,
    tasks: Sequence[TaskOptions],
    more: Sequence[TaskOptions],
    steps: int,
) -> Iterator[SurveyRow]:
    """The row of the plans that the search finds, one for each task, and rows of all that is looked for in a text.

    None where nothing is compared, or paid.

    Args:
        session: Where they are flown.
        flown: The survey; the search begins with what is paid best in it.
        tasks: Reset options of the row's episodes.
        more: Those of further tasks, on which one plan for all has to be paid as well.
        steps: Environment steps of the search on each task, resets counted; as many again for one plan for all.

    Raises:
        BudgetSpent: Nothing is left of the time or the budget.
    """
    found = search_tasks(session, flown, tasks, steps, more)
    if found.row.episodes:
        yield found.row
    for text in found.asked:
        place = ".".join(map(str, text.path))
        name = f"{place}: all {len(text.words)} texts that its code looks for"
        yield fly_habit(session, Habit.constant(name, Kind.WORDS, text.filled, place), tasks)
    if found.same.actions:
        plan = [*found.same.actions, session.space.idle()]
        name = f"the same on each seed: {said_of(plan)}"
        yield fixed_row(session, name, plan, tasks, against=found.same.against)


class Found(NamedTuple):
    """What the search finds.

    Attributes:
        row: Each task's best plan; without episodes where none is paid.
        asked: What was looked for in texts of actions.
        same: A plan that is paid as well as those on every task; empty where none is.
    """

    row: SurveyRow
    asked: Sequence[AskedText] = ()
    same: SharedPlan = SharedPlan(())


def search_tasks(
    session: AuditSession,
    flown: Survey,
    tasks: Sequence[TaskOptions],
    steps: int,
    more: Sequence[TaskOptions] = (),
) -> Found:
    """Search each task for the plan that is paid most, and all of them for one plan.

    Args:
        session: Where the best plans are flown.
        flown: The survey.
        tasks: Reset options of the row's episodes.
        steps: Environment steps of the search on each task, and as many again for one plan for all.
        more: Further tasks, on which that one plan has to be paid as well and more may be looked for in a text; without
            any it is not searched.
    """

    def again(session: AuditSession, tasks: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        return search_tasks(session, flown, tasks, steps).row

    connection = session.comparing()
    if connection is None:
        return Found(SurveyRow(NAME, COMPARED, []))
    with closing(connection):
        flights = ComparedFlights(connection, session.looking)
        search = ComparedSearch(flights, session.sources)
        best = [search.best(task, steps, best_known(flown, task)) for task in tasks]
        search.ask_on(more)
        asked = search.asked
        same = SharedPlan(())
        if more:
            known = list(zip(tasks, best, strict=True))
            same = shared_plan(flights, search, known, more, steps)
    idle = session.space.idle()  # what comes after a plan that ends nothing
    sent = [(t, [*each.actions, idle]) for t, each in zip(tasks, best, strict=True) if each.actions]
    row = SurveyRow(NAME, COMPARED, session.plans(NAME, sent), again=again)
    return Found(row, asked, same)


def best_known(flown: Survey, task: TaskOptions) -> list[Action]:
    """What is sent in the episode of a task that is paid most; empty where none is paid."""
    paid = [e for row in flown.rows for e in row.ended if e.task == task and total(e) > 0]
    return actions_of(max(paid, key=total).turns) if paid else []
