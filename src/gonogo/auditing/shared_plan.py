"""One plan for all seeds that earns what the best plan of a seed does, and whether the code asks for more than it.

A search that flies each of its plans on several seeds at once finds actions that pay whatever the episode asks for. In
a sound procedure one plan may be right on every seed. So each value of the plan that the environment's own code
compares with something is spoilt. Two patterns say that an episode asks for something that the plan did not look at:

- **One of several.** A value is asked for on some seeds and not on others, and spoiling it costs on some of those seeds
  and nowhere else: the plan holds the answers to all seeds.
- **Asked for and ignored.** A number is compared with another number on each seed, agrees with none, and moving it
  costs nowhere.

Limits prove nothing: a stock, a deadline or a size of the seed is what a sound plan may well stay within.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from gonogo.auditing.checks.blind_plan import is_points
from gonogo.exploits.witness import ddmin
from gonogo.explore.changes import ComparedFlight
from gonogo.explore.compared import BestPlan, ComparedSearch, Comparing
from gonogo.explore.probes import FIRST_NUMBER
from gonogo.explore.relations import ShownPath
from gonogo.explore.retrace import is_plain, put, scalars
from gonogo.explore.substitution import ORDERED, alike, holds, replaced, same
from gonogo.rollouts.types import Compared
from gonogo.wire import Action, JsonValue, TaskOptions

ALL = 1 - 1e-6
"""Share of the best plan's mark that one plan for all seeds has to earn."""
MOST_JOIN = 3
"""Tasks that join those for which a plan is searched, of those on which it earns less."""
MOST_ASKED = 24
"""Values of a plan that are spoilt."""
TESTS = 120
"""Tries at a shorter plan."""


class SharedPlan(NamedTuple):
    """A plan for all seeds.

    Attributes:
        actions: What is sent on each.
        against: What says that seeds ask for different things; empty where nothing does.
    """

    actions: Sequence[Action]
    against: str = ""


class Asked(NamedTuple):
    """A value of a plan at a place of the code that compares it.

    Attributes:
        site: The place.
        action: Number of the action.
        path: Where the value stands in it.
        word: What is looked for in it, if it is a text in which something is looked for.
    """

    site: str
    action: int
    path: ShownPath
    word: str | None = None


class AskedOn(NamedTuple):
    """How a value was compared on one task.

    Attributes:
        agrees: Whether it was what it was compared with.
        others: What it was compared with.
    """

    agrees: bool
    others: tuple[str | int | float, ...]


def shared_plan(
    where: Comparing,
    search: ComparedSearch,
    best: Sequence[tuple[TaskOptions, BestPlan]],
    more: Sequence[TaskOptions],
    steps: int,
) -> SharedPlan:
    """Search one plan for all tasks, without actions where none is found.

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
            return questioned(where, found.actions, [*tasks, *more], enough)
        tasks, plan = [*tasks, *less[:MOST_JOIN]], [found.actions]
    return SharedPlan(())


def questioned(
    where: Comparing, plan: Sequence[Action], tasks: Sequence[TaskOptions], enough: float
) -> SharedPlan:
    """A plan with what its shortest form says of the tasks; what that leaves out, other tasks may need.

    Args:
        where: Where it is flown.
        plan: The plan.
        tasks: Reset options.
        enough: What it has to earn on each.
    """

    def earns(kept: Sequence[Action]) -> bool:
        return all(where.fly(task, kept).total >= enough for task in tasks)

    short = ddmin(plan, earns, TESTS)
    for place, action in enumerate(short[:MOST_ASKED]):
        for path, value in scalars(action):
            if isinstance(value, int | float) and is_plain(value) and not isinstance(value, bool):
                # One and zero stand everywhere; a number of its own is known again.
                marked = dict(put(short[place], path, FIRST_NUMBER + place))
                other = [*short[:place], marked, *short[place + 1 :]]
                short = other if earns(other) else short
    return SharedPlan(plan, PlanQuestions(where, short, tasks, enough).said)


class PlanQuestions:
    """What the code compares a plan with on several tasks.

    Args:
        where: Where it is flown.
        plan: What is sent on each task.
        tasks: Reset options.
        enough: What it earns on each.
    """

    def __init__(
        self, where: Comparing, plan: Sequence[Action], tasks: Sequence[TaskOptions], enough: float
    ) -> None:
        self._where, self._plan, self._tasks, self._enough = where, plan, tasks, enough

    @property
    def said(self) -> str:
        """What says that tasks ask for different things, for a reader; empty where nothing does."""
        flown = [asked_in(self._where.fly(task, self._plan), self._plan) for task in self._tasks]
        asked = dict.fromkeys(each for one in flown for each in one)
        found = (
            self._of(each, [one.get(each) for one in flown]) for each in islice(asked, MOST_ASKED)
        )
        return next(filter(None, found), "")

    def _of(self, asked: Asked, on: Sequence[AskedOn | None]) -> str:
        """What one value says."""
        agrees = [each is not None and each.agrees for each in on]
        value = asked.word or dict(scalars(self._plan[asked.action]))[asked.path]
        if any(agrees):
            spoilt = self._without(asked)
            if all(agrees) or not spoilt:
                return ""
            costs = self._costs(spoilt)
            alone = all(agreed for agreed, cost in zip(agrees, costs, strict=True) if cost)
            return (
                f"{value!r} is asked for on some seeds only ({asked.site})"
                if any(costs) and alone
                else ""
            )
        others = [each.others for each in on if each is not None]
        if isinstance(value, str) or len(others) < len(on) or set(others[0]).intersection(*others):
            return ""
        if any(any(self._costs(moved)) for moved in self._moved(asked)):
            return ""
        apart = next(each for each in others if each != others[0])
        return (
            f"{value!r} is compared with {others[0][0]!r} on one seed and {apart[0]!r} on another, and another number "
            f"in its place costs nothing ({asked.site})"
        )

    def _without(self, asked: Asked) -> list[Action]:
        """The plan without a word of a text, or without the action of a value."""
        before, after = self._plan[: asked.action], self._plan[asked.action + 1 :]
        if asked.word is None:
            return [*before, *after]
        text = str(dict(scalars(self._plan[asked.action]))[asked.path])
        less = replaced(text, asked.word, "")
        return [*before, dict(put(self._plan[asked.action], asked.path, less)), *after]

    def _moved(self, asked: Asked) -> Iterator[list[Action]]:
        """The plan with numbers beside one of it."""
        value = dict(scalars(self._plan[asked.action]))[asked.path]
        assert isinstance(value, int | float)
        for other in (value + 1, value - 1):
            action = dict(put(self._plan[asked.action], asked.path, other))
            yield [*self._plan[: asked.action], action, *self._plan[asked.action + 1 :]]

    def _costs(self, plan: Sequence[Action]) -> list[bool]:
        """Whether another plan earns less, on each task."""
        return [self._where.fly(task, plan).total < self._enough for task in self._tasks]


def asked_in(flight: ComparedFlight, plan: Sequence[Action]) -> dict[Asked, AskedOn]:
    """What the values of a plan were compared with in a flight, where equality or a part is what counts.

    Args:
        flight: The plan's flight.
        plan: What was sent.
    """
    found: dict[Asked, AskedOn] = {}
    sent: list[tuple[int, ShownPath, JsonValue]] = []
    for number, step in enumerate(flight.steps):
        sent += [(number, path, v) for path, v in scalars(plan[number]) if not is_plain(v)]
        for each in step.comparisons:
            if each.op in ORDERED:
                continue
            for mine, other in ((each.left, each.right), (each.right, each.left)):
                if isinstance(other, list):
                    continue
                for place, path, value in sent:
                    if not comes_from(mine, value):
                        continue
                    word = word_within(other, value)
                    asked = Asked(each.site, place, path, word)
                    agrees = each.agreed and (word is not None or comes_from(other, value))
                    known = found.get(asked, AskedOn(False, ()))
                    found[asked] = AskedOn(known.agrees or agrees, (*known.others, other))
    return found


def word_within(other: str | float, value: JsonValue) -> str | None:
    """A text that is looked for in another that holds more than it; None of anything else."""
    if not isinstance(other, str) or not isinstance(value, str) or alike(other, value):
        return None
    return other if holds(value, other) else None


def comes_from(side: Compared, value: JsonValue) -> bool:
    """Whether a side of a comparison is a value, or a list that holds it."""
    return any(
        alike(item, value)
        if isinstance(item, str) or not isinstance(value, int | float)
        else same(item, value)
        for item in (side if isinstance(side, list) else [side])
    )
