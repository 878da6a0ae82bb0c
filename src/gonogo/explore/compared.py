"""A search for the plan that is paid most, led by what its actions are compared with.

Who flies an environment without knowing its rules is hardly ever paid for an answer that has to be right: nothing says
how near it was. The program does, where it compares: what an action was held against is put into it (see
:mod:`gonogo.explore.substitution`). A plan grows by an action at a time, the best paid first; where nothing is paid
at once, by actions after which something holds that did not. What ends an episode is sent after each, so that what is
only paid at the end counts for what it was for, and what the end compares is put into earlier actions.

Which verbs, places and comparisons were paid is kept from task to task and tried first; values are put in anew.
"""

from __future__ import annotations

import heapq
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Protocol

from gonogo.contract.sources import Sources
from gonogo.explore.changes import (
    ComparedFlight,
    ComparedStep,
    EpisodeEnd,
    PlanChange,
    changes,
)
from gonogo.explore.probes import Probes
from gonogo.explore.relations import ShownPath
from gonogo.explore.retrace import put, scalars
from gonogo.explore.substitution import keys_of, looked_for
from gonogo.rollouts.types import Comparison, Schemas
from gonogo.wire import Action, Observation, TaskOptions

SLICE = 20
"""Flights from one plan before another gets its turn."""
BEAM, FRONTIER = 4, 16
"""Plans that take turns, and those that are kept."""
MOST_ACTIONS = 80
"""Of a plan."""
FIRST = 40
"""Flights on which nothing is taken at once, since how much is paid is not known."""
TYPICAL = 0.7
"""Share of the most that an action was paid from which on another is taken at once."""
CLOSERS = 2
INHERITED, TURN = 0.3, 3.0
"""Share of the progress of a plan that those made of it have, and how much a turn counts against it."""
HINT = 0.25
"""What something that holds counts for, against what is paid."""
MOST_MADE = 100
"""Plans that are made of one flight."""
MOST_TEXTS, TEXT_CHARS, MOST_NEW = 1000, 300, 3
"""Texts that a step shows, characters of each, and steps of one plan that are progress by what they show."""
DIGITS = re.compile(r"\d+")
CORRECTED = 10.0
"""How much more it promises to put right what is paid and was partly wrong."""
AGAIN, THROUGHOUT = 0.15, 0.02
"""What the last action promises again, and one that is sent to the end of the episode, where nothing else is paid."""
COMMON = 2
"""Tasks on which a text is looked for that is of no task alone, and such texts that are kept."""
STILL = 0.8
"""Share of the best of the others that is enough to be flown first."""
EPS = 1e-9


class Comparing(Protocol):
    """Where a search flies; what is compared is logged there."""

    @property
    def schemas(self) -> Schemas:
        """JSON schemas of the environment."""
        ...

    def fly(self, task: TaskOptions, actions: Sequence[Action]) -> ComparedFlight:
        """Reset to a task and send actions until they, or the episode, end."""
        ...


class FlownTogether:
    """Flights of the same plan on several tasks, as one: what a step is paid on average, and all that it compared.

    Args:
        where: Where each is flown.
        tasks: Reset options of each.
    """

    def __init__(self, where: Comparing, tasks: Sequence[TaskOptions]) -> None:
        self._where, self._tasks = where, tasks

    @property
    def schemas(self) -> Schemas:
        """JSON schemas of the environment."""
        return self._where.schemas

    def fly(self, task: TaskOptions, actions: Sequence[Action]) -> ComparedFlight:
        """Send actions on each of the tasks; what is shown is that of the first.

        Args:
            task: Further reset options of each.
            actions: What is sent.
        """
        flown = [self._where.fly({**each, **task}, actions) for each in self._tasks]
        steps = [
            self._as_one([flight.steps[number] for flight in flown if number < len(flight.steps)])
            for number in range(max(len(flight.steps) for flight in flown))
        ]
        over, refused = all(f.over for f in flown), any(f.refused for f in flown)
        return ComparedFlight(flown[0].first, steps, over=over, refused=refused)

    def _as_one(self, steps: Sequence[ComparedStep]) -> ComparedStep:
        """The same step of several flights: what was compared on more of them comes first, and when is not told."""
        found: dict[str, list[Comparison]] = {}
        for step in steps:
            for each in step.comparisons:
                found.setdefault(repr(each[:-2]), []).append(each._replace(at=()))
        often = sorted(found.values(), key=len, reverse=True)
        paid = sum(step.reward for step in steps) / len(self._tasks)
        return ComparedStep(paid, steps[0].observation, tuple(each for each, *_ in often))


@dataclass(frozen=True, slots=True)
class BestPlan:
    """The plan that was paid most.

    Attributes:
        actions: What is sent.
        total: Its return.
        steps: Environment steps that the search took, resets counted.
    """

    actions: tuple[Action, ...]
    total: float
    steps: int


@dataclass(frozen=True, order=True, slots=True)
class Candidate:
    """A plan to be flown.

    Attributes:
        rank: What it promises, negative.
        number: Its place among equals.
        made: The plan.
    """

    rank: float
    number: int
    made: PlanChange = field(compare=False)


@dataclass(slots=True)
class Grown:
    """A plan that others are made of.

    Attributes:
        actions: The plan, without what ends it.
        total: Its return, with what ends it where that is more.
        progress: How much holds that did not before it; less of what did on the way to it.
        observation: What it showed last.
        history: How its last action was made.
        fixed: Fields of that which are not changed.
        waiting: Plans that are made of it and were not flown.
        turns: How often it had its turn.
        opened: Whether its first candidates are there.
    """

    actions: tuple[Action, ...]
    total: float
    progress: float
    observation: Observation
    history: tuple[str, ...] = ()
    fixed: frozenset[str] = frozenset()
    waiting: list[Candidate] = field(default_factory=list)
    turns: int = 0
    opened: bool = False


@dataclass(slots=True)
class AskedText:
    """A text of an action in which others were looked for.

    Attributes:
        path: Its place.
        action: The action.
        words: What was looked for, in order, each with the numbers of the tasks on which it was.
    """

    path: ShownPath
    action: Action
    words: dict[str, set[int]] = field(default_factory=dict)

    @property
    def filled(self) -> Action:
        """The action with all that was looked for in that place."""
        return dict(put(self.action, self.path, " ".join(self.words)))

    @property
    def common(self) -> AskedText:
        """The same with what was looked for on several tasks: other words are the answers of one."""
        words = {word: on for word, on in self.words.items() if len(on) >= COMMON}
        return AskedText(self.path, self.action, words)


class PaidWays:
    """What was paid, by how it was made: on every task of an environment.

    Attributes:
        most: The most that one change was paid.
        flown: How many changes were flown.
        tasks: How many tasks were searched so far, the one that is searched among them.
        asked: The texts that were looked for in a text of an action, by the place of that.
    """

    def __init__(self) -> None:
        self._paid: Counter[str] = Counter()
        self._tried: Counter[str] = Counter()
        self.most = 0.0
        self.flown = self.tasks = 0
        self.asked: dict[ShownPath, AskedText] = {}

    def look_in(self, action: Action, comparisons: Sequence[Comparison]) -> None:
        """Take down what was looked for in the texts of an action."""
        for path, text in looked_for(action, comparisons):
            asked = self.asked.setdefault(path, AskedText(path, action))
            asked.words.setdefault(text, set()).add(self.tasks)

    def tried(self, history: Sequence[str]) -> None:
        """Take down that something was flown."""
        self.flown += 1
        self._tried.update(parts(history))

    def paid(self, history: Sequence[str], gain: float) -> None:
        """Take down that it was paid."""
        self._paid.update(parts(history))
        self.most = max(self.most, gain)

    def hinted(self, history: Sequence[str]) -> None:
        """Take down that something held after it that never did."""
        self._paid.update(dict.fromkeys(parts(history), HINT))

    def worth(self, history: Sequence[str]) -> float:
        """How much what is made in this way promises, against what it promised before anything was flown."""
        found = 1.0
        for each in dict.fromkeys([history[0], history[-1], *parts(history)[-1:]]):
            paid = self._paid[each]
            found *= (1 + 4 * paid) / (1 + 0.15 * self._tried[each] + paid)
        return found


def parts(history: Sequence[str]) -> list[str]:
    """Each round of a change, and all of them."""
    return [*dict.fromkeys(history), " > ".join(history)] if len(history) > 1 else list(history)


class ComparedSearch:
    """Searches an environment's tasks, one after another.

    Args:
        where: Where it flies.
        sources: What the environment's folder says.
    """

    def __init__(self, where: Comparing, sources: Sources) -> None:
        self._where, self._sources = where, sources
        self._paid = PaidWays()
        self._closers: dict[str, EpisodeEnd] = {}
        self._known: tuple[Action, ...] = ()

    @property
    def asked(self) -> list[AskedText]:
        """The texts of actions in which several others were looked for on several tasks, with these."""
        common = (each.common for each in self._paid.asked.values())
        return [each for each in common if len(each.words) >= COMMON]

    def best(self, task: TaskOptions, budget: int, known: Sequence[Action] = ()) -> BestPlan:
        """The plan of a task that is paid most, of those that were found.

        Args:
            task: Reset options.
            budget: Environment steps that may be taken, resets counted.
            known: A plan that is known to be paid on the task; empty where none is.
        """
        self._paid.tasks += 1
        run = TaskSearch(
            self._where, Probes(self._where.schemas, self._sources), self._paid, self._closers
        )
        run.search(task, budget, [plan for plan in (tuple(known), self._known) if plan])
        if run.best:
            self._known = run.best
        return BestPlan(run.best, run.total, run.steps)

    def ask_on(self, tasks: Sequence[TaskOptions]) -> None:
        """Send all that is looked for in a text on further tasks, and take down what is looked for there.

        Args:
            tasks: Reset options of each.
        """
        ends = [action for action, _ in list(self._closers.values())[:1]]
        for task in tasks:
            self._paid.tasks += 1
            for asked in self.asked:
                for step in self._where.fly(task, [asked.filled, *ends]).steps:
                    self._paid.look_in(asked.filled, step.comparisons)

    def best_for_all(
        self,
        tasks: Sequence[TaskOptions],
        budget: int,
        known: Sequence[Sequence[Action]],
        enough: float,
    ) -> BestPlan:
        """The plan that earns most on average, of those that are sent unchanged on each of several tasks.

        Args:
            tasks: Reset options of each.
            budget: Environment steps that may be taken on each, resets counted.
            known: Plans that are paid on one of them.
            enough: The average at which the search ends.
        """
        together = FlownTogether(self._where, tasks)
        run = TaskSearch(
            together, Probes(self._where.schemas, self._sources), self._paid, self._closers, enough
        )
        run.search({}, budget, [tuple(plan) for plan in known if plan])
        return BestPlan(run.best, run.total, run.steps)


class TaskSearch:
    """The search of one task.

    Args:
        where: Where it flies.
        probes: What may be sent.
        paid: What was paid on the tasks before.
        closers: What ends an episode at once.
        enough: The return at which it ends.

    Attributes:
        best: The plan that was paid most.
        total: Its return.
        steps: Environment steps so far.
    """

    def __init__(
        self,
        where: Comparing,
        probes: Probes,
        paid: PaidWays,
        closers: dict[str, EpisodeEnd],
        enough: float = math.inf,
    ) -> None:
        self._where, self._probes, self._paid, self._closers = where, probes, paid, closers
        self._enough = enough
        self.best: tuple[Action, ...] = ()
        self.total = 0.0
        self.steps = 0
        self._flown: set[str] = set()
        self._agreed: set[str] = set()
        self._sites: set[str] = set()
        self._seen: set[str] = set()
        self._frontier: list[Grown] = []
        self._count = 0
        self._budget = 0
        self._task: TaskOptions = {}

    def search(self, task: TaskOptions, budget: int, known: Sequence[tuple[Action, ...]]) -> None:
        """Search until the steps are spent, or nothing is left to try.

        Args:
            task: Reset options.
            budget: Environment steps.
            known: Plans that are paid, or were on another task.
        """
        self._task, self._budget = task, budget
        first = self._fly(())
        root = Grown((), 0.0, 0, first.first)
        self._probes.learn(first.first)
        self._shown(first.first, {})
        self._frontier = [root]
        for plan in known:
            self._put(root, PlanChange(plan, ("known",), CORRECTED))
        while not self._ends and (node := self._next()) is not None:
            self._turn(node)
            if node is root and not node.waiting and not self._sites and self.total <= 0:
                return

    @property
    def _ends(self) -> bool:
        """Whether the steps are spent, or enough is earned."""
        return self.steps >= self._budget or self.total >= self._enough

    def _next(self) -> Grown | None:
        """The plan whose turn it is: of the best, the one that had the fewest."""
        self._frontier = [each for each in self._frontier if each.waiting or not each.opened]
        self._frontier.sort(key=lambda n: (-n.total, TURN * n.turns - n.progress, len(n.actions)))
        del self._frontier[FRONTIER:]
        return min(self._frontier[:BEAM], key=lambda n: n.turns, default=None)

    def _turn(self, node: Grown) -> None:
        """Fly some of what is made of a plan, until one is paid as well as most."""
        node.turns += 1
        if not node.opened:
            self._open(node)
        paid = False
        for _ in range(SLICE):
            if not node.waiting or self._ends:
                return
            gain = self._try(node, self._pop(node))
            sure = self._paid.flown > FIRST and gain >= TYPICAL * self._paid.most
            paid = paid or (gain > EPS and sure)
            # What was partly right is put right before anything is made of it.
            if paid and not (node.waiting and node.waiting[0].made.history[-1] == "together"):
                return

    def _open(self, node: Grown) -> None:
        """Put down what may follow a plan."""
        node.opened = True
        start = len(node.actions)
        if start >= MOST_ACTIONS:
            return
        for times in (1, 3) if start else ():
            plan = (*node.actions, *([node.actions[-1]] * times))
            history = (*node.history[:1], f"again {times}")
            self._put(node, PlanChange(plan, history, AGAIN, node.fixed, start))
        for asked in self._paid.asked.values():
            plan = (*node.actions, asked.filled)
            self._put(node, PlanChange(plan, ("all that is looked for",), CORRECTED, start=start))
        for probe in self._probes.after(node.observation):
            plan = (*node.actions, *probe.actions)
            self._put(node, PlanChange(plan, (probe.name,), probe.prior, probe.fixed, start))
            if not start and probe.name.endswith(" filled"):
                history = (f"{probe.name} on",)
                self._put(node, PlanChange(plan * MOST_ACTIONS, history, THROUGHOUT, probe.fixed))

    def _put(self, node: Grown, made: PlanChange) -> None:
        key = json.dumps(made.actions, sort_keys=True, default=repr)
        if key not in self._flown:
            self._flown.add(key)
            self._count += 1
            rank = -made.prior * self._paid.worth(made.history)
            heapq.heappush(node.waiting, Candidate(rank, self._count, made))

    def _pop(self, node: Grown) -> PlanChange:
        """The most promising plan by what is known now; others may have been tried since it was put down."""
        while True:
            first = heapq.heappop(node.waiting)
            rank = -first.made.prior * self._paid.worth(first.made.history)
            if not node.waiting or rank <= STILL * node.waiting[0].rank:
                return first.made
            heapq.heappush(node.waiting, replace(first, rank=rank))

    def _try(self, node: Grown, made: PlanChange) -> float:
        """Fly what is made of a plan; how much more it is paid."""
        plan, history = made.actions, made.history
        ends = list(self._closers.values())[:CLOSERS]
        flight = self._fly((*plan, *(action for action, _ in ends[:1])))
        self._paid.tried(history)
        own = flight.steps[: len(plan)]
        if not own:
            return 0.0
        ended = len(flight.steps) <= len(plan) and (flight.over or flight.refused)
        total = max(flight.total, sum(step.reward for step in own))
        if ended and len(plan) == 1 and total >= 0 and not flight.refused:
            self._closers.setdefault(history[0].rpartition(" ")[0], (plan[0], made.fixed))
        elif len(ends) > 1 and not ended and self.steps < self._budget:
            total = max(total, self._fly((*plan, ends[1][0])).total)
        gain = total - node.total
        progress = self._take_down(made, own, flight.steps[len(plan) :])
        if gain > EPS:
            self._paid.paid(history, gain)
        if not ended and (gain > EPS or (progress and gain >= -0.1 * self._paid.most - EPS)):
            done = progress + INHERITED * node.progress
            grown = Grown(plan, total, done, own[-1].observation, history, made.fixed)
            self._frontier.append(grown)
        for change in islice(changes(made, flight, ends[:1]), MOST_MADE):
            corrects = gain > EPS and change.history[-1] == "together"
            more = CORRECTED * change.prior if corrects else change.prior
            self._put(node, replace(change, prior=more))
        return gain

    def _take_down(
        self, made: PlanChange, own: Sequence[ComparedStep], end: Sequence[ComparedStep]
    ) -> int:
        """Take down what a flight showed and compared; how much of it is progress."""
        plan, history = made.actions, made.history
        progress = 2 * self._progress(plan, own, end)
        if progress and len(history) > 1:
            self._paid.hinted(history)
        for step in end:
            self._paid.look_in(plan[-1], step.comparisons)
        new = 0
        for action, step in zip(plan[made.start :], own[made.start :], strict=False):
            self._paid.look_in(action, step.comparisons)
            self._probes.learn(step.observation)
            new += self._shown(step.observation, action)
        return progress + min(new, MOST_NEW)

    def _fly(self, plan: tuple[Action, ...]) -> ComparedFlight:
        """Fly as much of a plan as the budget has steps for."""
        flight = self._where.fly(self._task, plan[: self._budget - self.steps - 1])
        self.steps += len(flight.steps) + 1
        if flight.refused and not flight.first:  # the process is lost
            self._budget = self.steps
        total = 0.0
        for number, step in enumerate(flight.steps, start=1):
            total += step.reward
            if total > self.total + EPS:
                self.total, self.best = total, plan[:number]
        return flight

    def _progress(
        self, plan: tuple[Action, ...], own: Sequence[ComparedStep], end: Sequence[ComparedStep]
    ) -> int:
        """How much holds that never did, of what has to do with the last action or with the end."""
        found: set[str] = set()
        sent = keys_of(value for _, value in scalars(plan[-1]))
        for step in [*own[-1:], *end]:
            agreed = [each for each in step.comparisons if each.agreed]
            counted: Counter[str] = Counter()
            for each in agreed:
                counted[each.site] += each.times
            for site, times in counted.items():
                found.add(f"{site} x{min(times, 32)}")
            for each in agreed:
                if not sent.isdisjoint(keys_of((each.left, each.right))):
                    found.add(repr((each.site, each.left, each.right))[:200])
        reached = {each.site for step in [*own[-1:], *end] for each in step.comparisons}
        new = (found | reached) - self._agreed
        self._sites |= reached
        self._agreed |= new
        return len(new)

    def _shown(self, observation: Observation, action: Action) -> int:
        """Whether an observation holds a text that none held before."""
        known = len(self._seen)
        self._seen |= texts_shown(observation, action)
        return int(len(self._seen) > known)


def texts_shown(observation: Observation, action: Action) -> set[str]:
    """The texts that an observation holds, without their numbers and what was sent.

    Args:
        observation: What was shown.
        action: What was sent.
    """
    own = {value for _, value in scalars(action) if isinstance(value, str) and value}
    sent = sorted(own, key=lambda text: (-len(text), text))
    found: set[str] = set()
    for _, value in islice(scalars(observation), MOST_TEXTS):
        if isinstance(value, str):
            text = DIGITS.sub("#", value[:TEXT_CHARS])
            for each in sent:
                text = text.replace(each, "*")
            found.add(text)
    return found
