"""A search for the plan that is paid most, led by what its actions are compared with.

Who flies an environment without knowing its rules is hardly ever paid for an answer that has to be right: nothing says
how near it was. The program does, where it compares: what an action was held against is put into it (see
:mod:`~gonogo.explore.substitution`). A plan grows by an action at a time, the best paid first; where nothing is paid
at once, by actions after which something holds that did not. What ends an episode is sent after each, so that what is
only paid at the end counts for what it was for, and what the end compares is put into earlier actions.

Which verbs, places and comparisons were paid is kept from task to task and tried first; values are put in anew.
"""

from __future__ import annotations

import heapq
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Protocol

from gonogo.contract.sources import Sources
from gonogo.explore.probes import Probes, recoloured
from gonogo.explore.retrace import ShownPath, scalars
from gonogo.explore.substitution import MARKED, Comparison, Swap, alike, swaps
from gonogo.rollouts.schema import is_number
from gonogo.rollouts.types import Schemas
from gonogo.wire import Action, JsonValue, Observation, TaskOptions

SLICE = 20
"""Flights from one plan before another gets its turn."""
BEAM, FRONTIER = 4, 16
"""Plans that take turns, and those that are kept."""
MOST_SWAPS = 120
"""Of one flight."""
ROUNDS = 5
"""Substitutions in one action, one after another."""
LATEST = 12
"""Actions of a plan, from its end, that are changed by what its end compares."""
LONGEST = 80
"""Actions of a plan."""
FIRST = 40
"""Flights on which nothing is taken at once, since how much is paid is not known."""
TYPICAL = 0.7
"""Share of the most that an action was paid from which on another is taken at once."""
CLOSERS = 2
EVERYWHERE = 4
"""Values of many that are put into several actions at once."""
INHERITED, TURN = 0.3, 3.0
"""Share of the progress of a plan that those made of it have, and how much a turn counts against it."""
HINT = 0.25
"""What something that holds counts for, against what is paid."""
HEARD = frozenset({"filled", "one", "each"})
DEAF = 0.2
"""What is left of the promise of a verb's other values where nothing that it was given was compared."""
GUESSED = frozenset({"element", "item", "added", "key", "within"})
"""Correspondences that name one value of many."""
PRIORS = {**dict.fromkeys(GUESSED, 0.12), "shifted": 0.3, "distance": 0.3, "reversed": 0.1}
WHOLE = GUESSED | {"same", "shifted", "aligned", "all", "whole", "reversed"}
CERTAIN = frozenset(
    {
        "same",
        "shifted",
        "aligned",
        "part",
        "number in text",
        "distance",
        "length",
        "words",
        "appended",
        "affix",
        "all",
    }
)
"""Those that are put in together, one for each place."""
SWEPT = (2, 24)
"""Values of one place that are sent one after another in an episode."""
SURE, ALL = 0.4, 1.0
"""What a substitution promises before anything is known, where it is not one of many, and what all of a plan do."""
MOST_CHARS = 300
DIGITS = re.compile(r"\d+")
THROUGHOUT = 0.02
"""What an action promises that is sent to the end of the episode: where nothing else is paid, that is."""
EPS = 1e-9


@dataclass(frozen=True, slots=True)
class ComparedStep:
    """What a step gave.

    Attributes:
        reward: 0 where there was none.
        observation: What it showed.
        comparisons: What it compared, in order.
    """

    reward: float
    observation: Observation
    comparisons: tuple[Comparison, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedFlight:
    """What became of a plan.

    Attributes:
        first: What the reset showed.
        steps: Those that were taken, a refused last one included.
        over: Whether the episode has ended.
        refused: Whether the last action was refused, or raised.
    """

    first: Observation
    steps: Sequence[ComparedStep]
    over: bool = False
    refused: bool = False

    @property
    def total(self) -> float:
        """The return."""
        return sum(step.reward for step in self.steps)


class Comparing(Protocol):
    """Where a search flies; what is compared is logged there."""

    @property
    def schemas(self) -> Schemas:
        """JSON schemas of the environment."""
        ...

    def fly(self, task: TaskOptions, actions: Sequence[Action]) -> ComparedFlight:
        """Reset to a task and send actions until they, or the episode, end."""
        ...


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
        actions: The plan.
        said: How its last change was made, a name for each round.
        prior: What that promises before anything is known.
        fixed: Fields of its last action that are not changed.
    """

    rank: float
    number: int
    actions: tuple[Action, ...] = field(compare=False)
    said: tuple[str, ...] = field(compare=False)
    prior: float = field(compare=False, default=0.0)
    fixed: frozenset[str] = field(compare=False, default=frozenset())


@dataclass(slots=True)
class Grown:
    """A plan that others are made of.

    Attributes:
        actions: The plan, without what ends it.
        total: Its return, with what ends it where that is more.
        progress: How much holds that did not before it; less of what did on the way to it.
        observation: What it showed last.
        said: How its last action was made.
        fixed: Fields of that which are not changed.
        waiting: Plans that are made of it and were not flown.
        turns: How often it had its turn.
        opened: Whether its first candidates are there.
    """

    actions: tuple[Action, ...]
    total: float
    progress: float
    observation: Observation
    said: tuple[str, ...] = ()
    fixed: frozenset[str] = frozenset()
    waiting: list[Candidate] = field(default_factory=list)
    turns: int = 0
    opened: bool = False


class PaidWays:
    """What was paid, by how it was made: on every task of an environment.

    Attributes:
        most: The most that one change was paid.
        flown: How many changes were flown.
    """

    def __init__(self) -> None:
        self._paid: Counter[str] = Counter()
        self._tried: Counter[str] = Counter()
        self._deaf: dict[str, bool] = {}
        self.most = 0.0
        self.flown = 0

    def heard(self, verb: str, heard: bool) -> None:
        """Take down whether something that a verb was given was compared with anything."""
        self._deaf[verb] = self._deaf.get(verb, True) and not heard

    def _is_deaf(self, probe: str) -> bool:
        verb, _, way = probe.rpartition(" ")
        return self._deaf.get(verb, False) and way not in HEARD

    def tried(self, said: Sequence[str]) -> None:
        """Take down that something was flown."""
        self.flown += 1
        self._tried.update(parts(said))

    def paid(self, said: Sequence[str], gain: float) -> None:
        """Take down that it was paid."""
        self._paid.update(parts(said))
        self.most = max(self.most, gain)

    def hinted(self, said: Sequence[str]) -> None:
        """Take down that something held after it that never did."""
        self._paid.update(dict.fromkeys(parts(said), HINT))

    def worth(self, said: Sequence[str]) -> float:
        """How much what is made in this way promises, against what it promised before anything was flown."""
        found = DEAF if self._is_deaf(said[0]) else 1.0
        for each in dict.fromkeys([said[0], said[-1], *parts(said)[-1:]]):
            paid = self._paid[each]
            found *= (1 + 4 * paid) / (1 + 0.15 * self._tried[each] + paid)
        return found


def parts(said: Sequence[str]) -> list[str]:
    """Each round of a change, and all of them."""
    return [*dict.fromkeys(said), " > ".join(said)] if len(said) > 1 else list(said)


class ComparedSearch:
    """Searches an environment's tasks, one after another.

    Args:
        where: Where it flies.
        sources: What the environment's folder says.
    """

    def __init__(self, where: Comparing, sources: Sources) -> None:
        self._where, self._sources = where, sources
        self._paid = PaidWays()
        self._closers: dict[str, tuple[Action, frozenset[str]]] = {}
        self._known: tuple[Action, ...] = ()

    def best(self, task: TaskOptions, budget: int) -> BestPlan:
        """The plan of a task that is paid most, of those that were found.

        Args:
            task: Reset options.
            budget: Environment steps that may be taken, resets counted.
        """
        run = TaskSearch(
            self._where, Probes(self._where.schemas, self._sources), self._paid, self._closers
        )
        run.search(task, budget, self._known)
        if run.best:
            self._known = run.best
        return BestPlan(run.best, run.total, run.steps)


class TaskSearch:
    """The search of one task.

    Args:
        where: Where it flies.
        probes: What may be sent.
        paid: What was paid on the tasks before.
        closers: What ends an episode at once.

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
        closers: dict[str, tuple[Action, frozenset[str]]],
    ) -> None:
        self._where, self._probes, self._paid, self._closers = where, probes, paid, closers
        self.best: tuple[Action, ...] = ()
        self.total = 0.0
        self.steps = 0
        self._flown: set[str] = set()
        self._held: set[str] = set()
        self._sites: set[str] = set()
        self._said: set[str] = set()
        self._frontier: list[Grown] = []
        self._count = 0
        self._budget = 0
        self._task: TaskOptions = {}

    def search(self, task: TaskOptions, budget: int, known: Sequence[Action] = ()) -> None:
        """Search until the steps are spent, or nothing is left to try.

        Args:
            task: Reset options.
            budget: Environment steps.
            known: A plan that was good on another task.
        """
        self._task, self._budget = task, budget
        first = self._fly(())
        root = Grown((), 0.0, 0, first.first)
        self._probes.learn(first.first)
        self._shown(first.first, {})
        self._frontier = [root]
        if known:
            self._fly(tuple(known))
        while self.steps < budget and (node := self._next()) is not None:
            self._turn(node)
            if node is root and not node.waiting and not self._sites and self.total <= 0:
                return

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
        for _ in range(SLICE):
            if not node.waiting or self.steps >= self._budget:
                return
            gain = self._try(node, self._pop(node))
            if gain > EPS and gain >= TYPICAL * self._paid.most and self._paid.flown > FIRST:
                return

    def _open(self, node: Grown) -> None:
        """Put down what may follow a plan."""
        node.opened = True
        if len(node.actions) >= LONGEST:
            return
        if node.actions:
            last = node.actions[-1]
            for times in (1, 3):
                said = (*node.said[:1], f"again {times}")
                self._put(node, (*node.actions, *([last] * times)), said, 0.15, node.fixed)
        for probe in self._probes.after(node.observation):
            made = (*node.actions, *probe.actions)
            self._put(node, made, (probe.said,), probe.prior, probe.fixed)
            if not node.actions and probe.said.endswith(" filled"):
                self._put(node, made * LONGEST, (f"{probe.said} on",), THROUGHOUT, probe.fixed)

    def _put(
        self,
        node: Grown,
        plan: tuple[Action, ...],
        said: tuple[str, ...],
        prior: float,
        fixed: frozenset[str] = frozenset(),
    ) -> None:
        key = json.dumps(plan, sort_keys=True, default=repr)
        if key in self._flown:
            return
        self._flown.add(key)
        self._count += 1
        rank = prior * self._paid.worth(said)
        heapq.heappush(node.waiting, Candidate(-rank, self._count, plan, said, prior, fixed))

    def _pop(self, node: Grown) -> Candidate:
        """The most promising plan by what is known now; others may have been tried since it was put down."""
        while True:
            first = heapq.heappop(node.waiting)
            rank = -first.prior * self._paid.worth(first.said)
            if not node.waiting or rank <= 0.8 * node.waiting[0].rank:
                return first
            heapq.heappush(node.waiting, replace(first, rank=rank))

    def _try(self, node: Grown, candidate: Candidate) -> float:
        """Fly what is made of a plan; how much more it is paid."""
        plan, said = candidate.actions, candidate.said
        ends = list(self._closers.values())[:CLOSERS]
        flight = self._fly((*plan, *(action for action, _ in ends[:1])))
        self._paid.tried(said)
        own = flight.steps[: len(plan)]
        if not own:
            return 0.0
        if flight.refused and len(flight.steps) <= len(plan):
            self._substitute(node, candidate, own[-1].comparisons)
            return 0.0
        total = max(flight.total, sum(step.reward for step in own))
        ended = flight.over and len(flight.steps) <= len(plan)
        if ended and len(plan) == 1 and total >= 0:
            self._closers.setdefault(said[0].split()[0], (plan[0], candidate.fixed))
        elif len(ends) > 1 and not ended and self.steps < self._budget:
            total = max(total, self._fly((*plan, ends[1][0])).total)
        gain = total - node.total
        progress = self._heard(candidate, own, flight.steps[len(plan) :])
        if gain > EPS:
            self._paid.paid(said, gain)
        if not ended and (gain > EPS or (progress and gain >= -0.1 * self._paid.most - EPS)):
            done = progress + INHERITED * node.progress
            grown = Grown(plan, total, done, own[-1].observation, said, candidate.fixed)
            self._frontier.append(grown)
        self._follow(node, candidate, flight, ends[:1])
        return gain

    def _heard(
        self, candidate: Candidate, own: Sequence[ComparedStep], end: Sequence[ComparedStep]
    ) -> int:
        """Take down what a flight showed and compared; how much of it is progress."""
        plan, said = candidate.actions, candidate.said
        progress = 2 * self._progress(plan, own, end)
        if progress and len(said) > 1:
            self._paid.hinted(said)
        if len(said) == 1 and said[0].endswith("filled"):
            heard = was_heard(plan[-1], own[-1].comparisons)
            self._paid.heard(said[0].rpartition(" ")[0], heard)
        self._probes.learn(own[-1].observation)
        return progress + self._shown(own[-1].observation, plan[-1])

    def _follow(
        self,
        node: Grown,
        candidate: Candidate,
        flight: ComparedFlight,
        ends: Sequence[tuple[Action, frozenset[str]]],
    ) -> None:
        """Put down what a flight's comparisons name."""
        plan = candidate.actions
        own, end = flight.steps[: len(plan)], flight.steps[len(plan) :]
        self._substitute(node, candidate, own[-1].comparisons)
        if len(plan) > len(node.actions) + 1 or (end and len(plan) > 1):
            self._together(node, candidate, flight)
        if end:
            self._change(node, candidate, ends, end[-1].comparisons)

    def _fly(self, plan: tuple[Action, ...]) -> ComparedFlight:
        flight = self._where.fly(self._task, plan)
        self.steps += len(flight.steps) + 1
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
        sent = [value for _, value in scalars(plan[-1]) if isinstance(value, str | int | float)]
        for step in [*own[-1:], *end]:
            agreed = [each for each in step.comparisons if each.agreed]
            counted: Counter[str] = Counter()
            for each in agreed:
                counted[each.site] += each.times
            for site, times in counted.items():
                found.add(f"{site} x{min(times, 32)}")
            for each in agreed:
                if any(alike(value, side) for side in (each.left, each.right) for value in sent):
                    found.add(repr((each.site, each.left, each.right))[:200])
        reached = {each.site for step in [*own[-1:], *end] for each in step.comparisons}
        new = (found | reached) - self._held
        self._sites |= reached
        self._held |= new
        return len(new)

    def _shown(self, observation: Observation, action: Action) -> int:
        """Whether an observation says something that was never said, but for numbers and what was sent."""
        sent = sorted({v for _, v in scalars(action) if isinstance(v, str) and v}, key=len)[::-1]
        new = 0
        for _, value in scalars(observation):
            if isinstance(value, str):
                said = DIGITS.sub("#", value[:MOST_CHARS])
                for each in sent:
                    said = said.replace(each, "*")
                new = max(new, said not in self._said)
                self._said.add(said)
        return new

    def _substitute(
        self, node: Grown, candidate: Candidate, comparisons: Sequence[Comparison]
    ) -> None:
        """Put down the plan with what its last action was compared with."""
        if len(candidate.said) > ROUNDS:
            return
        *before, last = candidate.actions
        swept: dict[str, list[Action]] = {}
        for number, swap in enumerate(islice(swaps(last, comparisons), MOST_SWAPS)):
            said = (*candidate.said, name_of(swap))
            if swap.path[0] not in candidate.fixed and is_open(swap, candidate.said):
                prior = self._prior(swap, number, before)
                made = swap.of(last)
                self._put(node, (*before, made), said, prior, candidate.fixed)
                path, _, site = name_of(swap).split(" ", 2)
                swept.setdefault(f"{path} {site}", []).append(recoloured(made, number, swap.path))
        for name, actions in swept.items():
            if SWEPT[0] <= len(actions) and len(before) == len(node.actions):
                said = (*candidate.said, f"swept {name}")
                self._put(node, (*before, *actions[: SWEPT[1]]), said, 0.25, candidate.fixed)

    def _together(self, node: Grown, candidate: Candidate, flight: ComparedFlight) -> None:
        """Put down the plan with all that the actions of its last change were compared with, at once."""
        plan, start = candidate.actions, len(node.actions)
        if len(candidate.said) > ROUNDS:
            return
        own = flight.steps[: len(plan)]
        last = flight.steps[len(plan) :] or (own[-1:] if flight.over else [])
        end = last[-1].comparisons if last else ()
        first = start if len(plan) > start + 1 else 0
        dealt, others = shared_out(plan[first : len(own)], end)
        changed = list(plan[: len(own)])
        for place in range(first, len(own)):
            theirs, rest = dealt[place - first], own[place].comparisons
            compared = [*theirs, *others] if end is rest else [*rest, *theirs, *others]
            for swap in self._certain(plan[place], compared, candidate):
                changed[place] = swap.of(changed[place])
            # Where it is the verb that is judged at the end, the verb is what has to change.
            for swap in swaps(plan[place], theirs):
                if swap.kind == "same" and swap.path[0] in candidate.fixed:
                    changed[place] = swap.of(changed[place])
        said = candidate.said if candidate.said[-1] == "together" else (*candidate.said, "together")
        self._put(node, tuple(changed), said, ALL, candidate.fixed)
        if len(own) == len(plan) > start + 1:
            self._everywhere(node, candidate, own[-1].comparisons)
        kept = [plan[n] for n, step in enumerate(own) if n < start or step.reward >= 0]
        if 0 < len(kept) < len(own):
            self._put(node, tuple(kept), (*candidate.said, "pruned"), SURE, candidate.fixed)

    def _everywhere(
        self, node: Grown, candidate: Candidate, comparisons: Sequence[Comparison]
    ) -> None:
        """Put down the plan with one value of many in all the actions of its last change."""
        plan, start = candidate.actions, len(node.actions)
        tried: Counter[ShownPath] = Counter()
        for swap in islice(swaps(plan[-1], comparisons), MOST_SWAPS):
            name, swept = name_of(swap), f"swept {name_of(swap).split(' ')[0]} "
            if swap.kind not in GUESSED or any(each.startswith(swept) for each in candidate.said):
                continue
            tried[swap.path] += 1
            if tried[swap.path] <= EVERYWHERE and swap.path[0] not in candidate.fixed:
                changed = (*plan[:start], *(swap.of(action) for action in plan[start:]))
                said = (*candidate.said, f"everywhere {name}")
                self._put(node, changed, said, SURE / tried[swap.path], candidate.fixed)

    def _certain(
        self, action: Action, comparisons: Sequence[Comparison], candidate: Candidate
    ) -> list[Swap]:
        """Of each place of an action the substitution that is likeliest, where one is not one of many."""
        found: dict[ShownPath, Swap] = {}
        for swap in islice(swaps(action, comparisons), MOST_SWAPS):
            swept = f"swept {name_of(swap).split(' ')[0]} "
            if swap.kind not in CERTAIN or swap.path[0] in candidate.fixed:
                continue
            if is_number(held := value_of(action, swap.path)) and abs(held) < MARKED:
                continue
            if any(each.startswith(swept) for each in candidate.said):
                continue
            known = found.get(swap.path)
            if known is None or is_nearer(swap, known):
                found[swap.path] = swap
        return list(found.values())

    def _prior(self, swap: Swap, number: int, before: Sequence[Action]) -> float:
        """What a substitution promises: less where it is one of many, and where it was sent before."""
        prior = PRIORS.get(swap.kind, SURE) / (1 + 0.03 * number)
        used = any(swap.value in values_at(action, swap) for action in before)
        small = is_number(swap.old) and abs(swap.old) < MARKED
        return prior * (0.3 if used else 1.0) * (0.3 if small else 1.0)

    def _change(
        self,
        node: Grown,
        candidate: Candidate,
        ends: Sequence[tuple[Action, frozenset[str]]],
        comparisons: Sequence[Comparison],
    ) -> None:
        """Put down the plan with what its end compared, in the end itself and in earlier actions."""
        plan = candidate.actions
        if len(candidate.said) > ROUNDS:
            return
        for closer, fixed in ends:
            for swap in islice(swaps(closer, comparisons), MOST_SWAPS):
                if swap.path[0] not in fixed:
                    said = ("end", name_of(swap))
                    prior = PRIORS.get(swap.kind, SURE)
                    self._put(node, (*plan, swap.of(closer)), said, prior, fixed)
        for place in range(len(plan) - 1, max(-1, len(plan) - 1 - LATEST), -1):
            for number, swap in enumerate(islice(swaps(plan[place], comparisons), MOST_SWAPS)):
                if swap.path[0] in candidate.fixed:
                    continue
                said = (*candidate.said, f"late {name_of(swap)}")
                changed = (*plan[:place], swap.of(plan[place]), *plan[place + 1 :])
                self._put(node, changed, said, self._prior(swap, number, ()))


def was_heard(action: Action, comparisons: Sequence[Comparison]) -> bool:
    """Whether something of its own in an action was compared with anything."""
    sent = [str(value).casefold() for _, value in scalars(action)]
    own = [text for text in sent if text.startswith("zq") or text.startswith("73")]
    compared = " ".join(repr((each.left, each.right)) for each in comparisons).casefold()
    return any(text in compared for text in own)


def name_of(swap: Swap) -> str:
    """How a substitution was made, on whatever task: place, kind and comparison."""
    path = ".".join("*" if isinstance(key, int) else str(key) for key in swap.path)
    return f"{path} {swap.kind} {swap.site}"


def shared_out(
    plan: Sequence[Action], comparisons: Sequence[Comparison]
) -> tuple[list[list[Comparison]], list[Comparison]]:
    """What the end of an episode compared, for each action of a plan, and what may be for any of them.

    Where as many actions hold a value as it was compared at one place, the first comparison is for the first of them.

    Args:
        plan: The actions.
        comparisons: Those of the end.
    """
    holders: dict[str, list[int]] = {}
    for place, action in enumerate(plan):
        for value in {repr(value) for _, value in scalars(action)}:
            holders.setdefault(value, []).append(place)
    asked: dict[tuple[str, str], list[Comparison]] = {}
    for each in comparisons:
        for side, value in (("left", each.left), ("right", each.right)):
            if isinstance(value, str | int | float):
                asked.setdefault((f"{each.site} {side}", repr(value)), []).append(each)
    dealt: list[list[Comparison]] = [[] for _ in plan]
    paired: set[int] = set()
    for (_, value), found in asked.items():
        held = holders.get(value, ())
        if len(held) == len(found) > 1 and all(each.times == 1 for each in found):
            for place, each in zip(held, found, strict=True):
                dealt[place].append(each)
                paired.add(id(each))
    return dealt, [each for each in comparisons if id(each) not in paired]


def is_open(swap: Swap, said: Sequence[str]) -> bool:
    """Whether a place may still be changed: what was put in as a whole stays.

    Args:
        swap: What would be put there.
        said: How the action was changed before.
    """
    path = name_of(swap).split(" ")[0]
    changed = [each.split(" ") for each in said[1:]]
    before = [each[1] for each in changed if each[0] == path]
    if swap.kind in GUESSED:
        return not WHOLE.intersection(before)
    return not (swap.kind in WHOLE and WHOLE.difference(GUESSED).intersection(before))


def is_nearer(swap: Swap, known: Swap) -> bool:
    """Whether a number that was found by its distance is likelier than another: it is one of that very place."""
    if known.kind != "distance":
        return False
    return swap.kind == "shifted" or (
        swap.kind == "distance" and abs(swap.value) < abs(known.value)
    )


def value_of(action: Action, path: ShownPath) -> JsonValue:
    """What an action holds at a path that it has."""
    held: JsonValue = action
    for key in path:
        held = held[key]
    return held


def values_at(action: Action, swap: Swap) -> Iterator[JsonValue]:
    """What an action holds at the place of a substitution."""
    yield from (value for path, value in scalars(action) if path == swap.path)
