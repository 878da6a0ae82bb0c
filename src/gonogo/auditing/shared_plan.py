"""One plan for all seeds that earns what the best plan of a seed does, and what the code holds its actions against.

A search that flies each of its plans on several seeds at once finds actions that pay whatever the episode asks for. In
a sound procedure one plan may be right on every seed. So what the environment's own code compares the actions with is
looked at: where that differs from seed to seed, and the same actions are paid in full all the same, the comparison asks
too little.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gonogo.auditing.checks.blind_plan import is_points
from gonogo.exploits.witness import ddmin
from gonogo.explore.changes import ComparedFlight
from gonogo.explore.compared import BestPlan, ComparedSearch, Comparing
from gonogo.explore.relations import ShownPath
from gonogo.explore.retrace import is_plain, put, scalars
from gonogo.explore.substitution import alike, same
from gonogo.rollouts.types import Compared
from gonogo.wire import Action, JsonValue, TaskOptions

ALL = 1 - 1e-6
"""Share of the best plan's mark that one plan for all seeds has to earn."""
MOST_JOIN = 3
"""Tasks that join those for which a plan is searched, of those on which it earns less."""
TESTS = 24
"""Tries at a shorter plan."""


class SharedPlan(NamedTuple):
    """A plan for all seeds.

    Attributes:
        actions: What is sent on each.
        against: Two values that the same part of it is compared with on two seeds, and where; empty where the code is
            not seen to compare it with what differs.
    """

    actions: Sequence[Action]
    against: str = ""


class Held(NamedTuple):
    """A value of a plan at a place of the code that compares it.

    Attributes:
        site: The place.
        action: Number of the action.
        path: Where the value stands in it.
    """

    site: str
    action: int
    path: ShownPath


def shared_plan(
    where: Comparing,
    search: ComparedSearch,
    best: Sequence[tuple[TaskOptions, BestPlan]],
    more: Sequence[TaskOptions],
    steps: int,
) -> SharedPlan:
    """Search one plan for all tasks, and leave out what it does not need; without actions where none is found.

    It is searched where the best plan earns a full mark: first for few tasks, then flown on more. Those on which it
    earns less join the few, and the search goes on.

    Args:
        where: Where plans are flown.
        search: The search that found the best plan of each task.
        best: Some tasks, each with its best plan.
        more: Further tasks.
        steps: Environment steps of the search on each task, in all rounds together.
    """
    tasks, plan = [task for task, _ in best], [each.actions for _, each in best]
    mark = max(each.total for _, each in best)
    enough, spent = ALL * mark, 0
    while is_points(mark) and spent < steps:
        found = search.best_for_all(tasks, steps - spent, plan, enough)
        spent += found.steps
        if found.total < enough:
            break
        less = [task for task in more if where.fly(task, found.actions).total < enough]
        if not less:
            return shortest_plan(where, found.actions, [*tasks, *more], enough)
        tasks, plan = [*tasks, *less[:MOST_JOIN]], [found.actions]
    return SharedPlan(())


def shortest_plan(
    where: Comparing, plan: Sequence[Action], tasks: Sequence[TaskOptions], enough: float
) -> SharedPlan:
    """A plan without what it does not need to earn as much on each of some tasks.

    Args:
        where: Where it is flown.
        plan: The plan.
        tasks: Reset options.
        enough: What it has to earn on each.
    """

    def earns(kept: Sequence[Action]) -> bool:
        return all(where.fly(task, kept).total >= enough for task in tasks)

    short = ddmin(plan, earns, TESTS)
    return SharedPlan(short, held_against(where, short, tasks))


def held_against(where: Comparing, plan: Sequence[Action], tasks: Sequence[TaskOptions]) -> str:
    """Two values that one of a plan is compared with on two tasks, and where, for a reader; empty where none differ.

    Args:
        where: Where it is flown.
        plan: What is sent on each task.
        tasks: Reset options.
    """
    flown = [compared_with(where.fly(task, plan), plan) for task in tasks]
    for held in flown[0]:
        others = [each.get(held, []) for each in flown]
        if not all(others) or any(all(o in more for more in others) for o in others[0]):
            continue
        one, another = next((o, more[0]) for more in others[1:] for o in others[0] if o not in more)
        value = dict(scalars(plan[held.action]))[held.path]
        if isinstance(value, str) or follows(where, plan, held, tasks[0]):
            return f"{value!r} is compared with {one!r} on one seed and {another!r} on another ({held.site})"
    return ""


def follows(where: Comparing, plan: Sequence[Action], held: Held, task: TaskOptions) -> bool:
    """Whether another number in the place of one is compared there as well: a counter may only have been the same.

    Args:
        where: Where it is flown.
        plan: The plan.
        held: The number.
        task: Reset options.
    """
    value = dict(scalars(plan[held.action]))[held.path]
    assert isinstance(value, int | float)
    for other in (value + 1, value - 1):
        action = dict(put(plan[held.action], held.path, other))
        changed = [*plan[: held.action], action, *plan[held.action + 1 :]]
        if held in compared_with(where.fly(task, changed), changed):
            return True
    return False


def compared_with(
    flight: ComparedFlight, plan: Sequence[Action]
) -> dict[Held, list[str | int | float]]:
    """What each value of a plan was compared with, at each place.

    Args:
        flight: The plan's flight.
        plan: What was sent.
    """
    found: dict[Held, list[str | int | float]] = {}
    sent: list[tuple[int, ShownPath, JsonValue]] = []
    for number, step in enumerate(flight.steps):
        sent += [(number, path, v) for path, v in scalars(plan[number]) if not is_plain(v)]
        for each in step.comparisons:
            for mine, other in ((each.left, each.right), (each.right, each.left)):
                if isinstance(other, list):
                    continue
                for place, path, value in sent:
                    if comes_from(mine, value):
                        found.setdefault(Held(each.site, place, path), []).append(other)
    return found


def comes_from(side: Compared, value: JsonValue) -> bool:
    """Whether a side of a comparison is a value, or a list that holds it."""
    return any(
        alike(item, value)
        if isinstance(item, str) or not isinstance(value, int | float)
        else same(item, value)
        for item in (side if isinstance(side, list) else [side])
    )
