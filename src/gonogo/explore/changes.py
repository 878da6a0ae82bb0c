"""What a plan's flight compared, put into the plan: its last action, all of its last, its end and what led there.

Values of which there are many, such as ids, are tried one by one, and sent one after another in one episode. What such
an episode compared is put in at once, one value for each place. What an end compares may be for any action: where it
compares as many values as there are actions that hold them, the first is for the first of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from gonogo.explore.probes import marked_anew, recoloured
from gonogo.explore.relations import ShownPath
from gonogo.explore.retrace import scalars
from gonogo.explore.substitution import MARKED, Swap, at, fits, in_turn, swaps
from gonogo.rollouts.schema import is_number
from gonogo.rollouts.types import Comparison
from gonogo.wire import Action, JsonValue, Observation

MOST_SWAPS = 120
"""Of one action of a flight."""
ROUNDS = 5
"""Substitutions in one action, one after another."""
LATEST = 12
"""Actions of a plan, from its end, that are changed by what its end compares."""
EVERYWHERE = 4
"""Values of many that are put into several actions at once."""
SWEPT = (2, 24)
"""Values of one place that are sent one after another in an episode."""
GUESSED = frozenset({"element", "item", "added", "key", "within"})
"""Correspondences that name one value of many."""
WHOLE = GUESSED | {"same", "shifted", "aligned", "all", "whole", "reversed", "sequence"}
CERTAIN = frozenset(
    {
        "same", "shifted", "aligned", "part", "number in text", "distance", "length", "words",
        "affix", "all", "sequence",
    }
)  # fmt: skip
"""Those that are put in together, one for each place."""
ADDED = frozenset({"appended", "missing"})
"""Those that add something to what stands in a place: all of them are put in together."""
PRIORS = {**dict.fromkeys(GUESSED, 0.12), "shifted": 0.3, "distance": 0.3, "reversed": 0.1}
SURE, ALL, SWEEP = 0.4, 1.0, 0.25
"""What one substitution promises before anything is known, what all of a plan do, and what values in turn do."""

EpisodeEnd = tuple[Action, frozenset[str]]
"""What ends an episode, and its fields that are not changed."""


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


@dataclass(frozen=True, slots=True)
class PlanChange:
    """A plan that was made of another.

    Attributes:
        actions: The plan.
        history: How its last action was made and changed, a name for each round; the same on every task.
        prior: What it promises before anything is known.
        fixed: Fields of its last actions that say what these do, and are not changed.
        start: How many of its actions were there before.
    """

    actions: tuple[Action, ...]
    history: tuple[str, ...]
    prior: float
    fixed: frozenset[str] = frozenset()
    start: int = 0

    def then(self, actions: Sequence[Action], name: str, prior: float) -> PlanChange:
        """It with another change."""
        return PlanChange(tuple(actions), (*self.history, name), prior, self.fixed, self.start)


def changes(
    made: PlanChange, flight: ComparedFlight, ends: Sequence[EpisodeEnd]
) -> Iterator[PlanChange]:
    """The plans that a flight's comparisons make of its plan, those of one place first.

    Args:
        made: The plan.
        flight: What became of it.
        ends: What was sent after it.
    """
    own, end = flight.steps[: len(made.actions)], flight.steps[len(made.actions) :]
    if not own or len(made.history) > ROUNDS:
        return
    if len(own) == len(made.actions):
        yield from of_last(made, own[-1].comparisons)
    if len(made.actions) > made.start + 1 or (end and len(made.actions) > 1):
        yield from together(made, flight)
    if end:
        yield from of_end(made, end[-1].comparisons, ends)


def of_last(made: PlanChange, comparisons: Sequence[Comparison]) -> Iterator[PlanChange]:
    """The plan with what its last action was compared with; with all such values of one place in turn, too."""
    *before, last = made.actions
    every = certain(last, comparisons, made)
    if len(every) > 1 or any(swap.kind in ADDED for swap in every):
        changed = last
        for swap in every:
            changed = swap.of(changed)
        yield made.then((*before, changed), "at once", ALL)
    swept: dict[str, list[Action]] = {}
    for number, swap in enumerate(islice(swaps(last, comparisons), MOST_SWAPS)):
        if swap.path[0] in made.fixed or not is_open(swap, made.history):
            continue
        new = swap.of(last)
        yield made.then((*before, new), name_of(swap), promise(swap, number, before))
        swept.setdefault(f"{place_of(swap)} {swap.site}", []).append(
            recoloured(new, number, swap.path)
        )
    for name, actions in swept.items():
        if SWEPT[0] <= len(actions) and len(before) == made.start:
            yield made.then((*before, *actions[: SWEPT[1]]), f"swept {name}", SWEEP)


def together(made: PlanChange, flight: ComparedFlight) -> Iterator[PlanChange]:
    """The plan with all that the actions of its last change were compared with, at once; and without what was fined."""
    plan, start = made.actions, made.start
    own = flight.steps[: len(plan)]
    last = flight.steps[len(plan) :] or (own[-1:] if flight.over else [])
    end = last[-1].comparisons if last else ()
    first = start if len(plan) > start + 1 else 0
    dealt, others = shared_out(plan[first : len(own)], end)
    changed = list(plan[: len(own)])
    for place in range(first, len(own)):
        theirs, rest = dealt[place - first], own[place].comparisons
        compared = [*theirs, *others] if end is rest else [*rest, *theirs, *others]
        for swap in certain(plan[place], compared, made):
            changed[place] = swap.of(changed[place])
        # Where it is the verb that is judged at the end, the verb is what has to change.
        for swap in swaps(plan[place], theirs):
            if swap.kind == "same" and swap.path[0] in made.fixed:
                changed[place] = swap.of(changed[place])
    history = made.history if made.history[-1] == "together" else (*made.history, "together")
    yield PlanChange(tuple(changed), history, ALL, made.fixed, start)
    if len(own) == len(plan) > start + 1:
        yield from everywhere(made, own[-1].comparisons)
    kept = [plan[n] for n, step in enumerate(own) if n < start or step.reward >= 0]
    if 0 < len(kept) < len(own):
        yield made.then(kept, "pruned", SURE)


def everywhere(made: PlanChange, comparisons: Sequence[Comparison]) -> Iterator[PlanChange]:
    """The plan with one value of many in all the actions of its last change."""
    plan, start = made.actions, made.start
    tried: Counter[ShownPath] = Counter()
    for swap in islice(swaps(plan[-1], comparisons), MOST_SWAPS):
        if swap.kind not in GUESSED or swap.path[0] in made.fixed or was_swept(swap, made.history):
            continue
        tried[swap.path] += 1
        if tried[swap.path] <= EVERYWHERE:
            changed = (*plan[:start], *(swap.of(action) for action in plan[start:]))
            yield made.then(changed, f"everywhere {name_of(swap)}", SURE / tried[swap.path])


def of_end(
    made: PlanChange, comparisons: Sequence[Comparison], ends: Sequence[EpisodeEnd]
) -> Iterator[PlanChange]:
    """The plan with what its end compared, in the end itself and in one of the actions before."""
    plan = made.actions
    for closer, fixed in ends:
        for swap in islice(swaps(closer, comparisons), MOST_SWAPS):
            if swap.path[0] not in fixed:
                history = ("end", name_of(swap))
                prior = PRIORS.get(swap.kind, SURE)
                yield PlanChange((*plan, swap.of(closer)), history, prior, fixed, made.start)
    for place in range(len(plan) - 1, max(-1, len(plan) - 1 - LATEST), -1):
        for number, swap in enumerate(islice(swaps(plan[place], comparisons), MOST_SWAPS)):
            if swap.path[0] not in made.fixed:
                changed = (*plan[:place], swap.of(plan[place]), *plan[place + 1 :])
                yield made.then(changed, f"late {name_of(swap)}", promise(swap, number, ()))


def certain(action: Action, comparisons: Sequence[Comparison], made: PlanChange) -> list[Swap]:
    """Of each place of an action the likeliest substitution, of those that do not name one value of many.

    Args:
        action: The action.
        comparisons: What may have been compared with it.
        made: The plan in which it is.
    """
    found: dict[ShownPath, Swap] = {}
    for swap in islice(swaps(action, comparisons), MOST_SWAPS):
        if swap.path[0] in made.fixed or was_swept(swap, made.history) or is_small(swap.old):
            continue
        known = found.get(swap.path)
        if swap.kind in ADDED and (known is None or known.kind == swap.kind):
            found[swap.path] = swap if known is None else added(known, swap)
        elif swap.kind in CERTAIN and (known is None or is_nearer(swap, known)):
            found[swap.path] = swap
    return list(found.values())


def added(known: Swap, more: Swap) -> Swap:
    """Two substitutions in one place, each of which adds something to what stands there.

    Args:
        known: The one.
        more: The other.
    """
    if isinstance(known.value, str) and isinstance(more.value, str):
        new: JsonValue = known.value + more.value.removeprefix(str(more.old))
    else:
        new = dict(known.value)
        for key, value in more.value.items():
            if key not in new:
                new[key] = marked_anew(value, len(new))
    return replace(known, value=new) if fits(new, known.old) else known


def shared_out(
    plan: Sequence[Action], comparisons: Sequence[Comparison]
) -> tuple[list[list[Comparison]], list[Comparison]]:
    """What the end of an episode compared, for each action of a plan, and what may be for any of them.

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
        for name, side in (("left", each.left), ("right", each.right)):
            if isinstance(side, str | int | float):
                asked.setdefault((f"{each.site} {name}", repr(side)), []).append(each)
    dealt: list[list[Comparison]] = [[] for _ in plan]
    paired: set[int] = set()
    for (_, written), found in asked.items():
        theirs, one_by_one = holders.get(written, ()), in_turn(found)
        if len(theirs) == len(one_by_one) > 1:
            for place, each in zip(theirs, one_by_one, strict=True):
                dealt[place].append(each)
                paired.add(id(each))
    return dealt, [each for each in comparisons if id(each) not in paired]


def promise(swap: Swap, number: int, before: Sequence[Action]) -> float:
    """What a substitution promises: less where it is one of many, where it was sent before, or may be chance.

    Args:
        swap: The substitution.
        number: Its place among those of its flight.
        before: The actions before.
    """
    prior = PRIORS.get(swap.kind, SURE) / (1 + 0.03 * number)
    used = any(swap.value in at(action, swap.path) for action in before)
    return prior * (0.3 if used else 1.0) * (0.3 if is_small(swap.old) else 1.0)


def is_small(value: JsonValue) -> bool:
    """Whether a value is a number that others are by chance, too."""
    return is_number(value) and value < MARKED


def is_open(swap: Swap, history: Sequence[str]) -> bool:
    """Whether a place may still be changed: what was put in as a whole stays.

    Args:
        swap: What would be put there.
        history: How the action was changed before.
    """
    changed = [each.split(" ") for each in history[1:]]
    before = [each[1] for each in changed if each[0] == place_of(swap)]
    if swap.kind in GUESSED:
        return not WHOLE.intersection(before)
    return not (swap.kind in WHOLE and WHOLE.difference(GUESSED).intersection(before))


def was_swept(swap: Swap, history: Sequence[str]) -> bool:
    """Whether the values of a substitution's place were sent in turn, and stay."""
    return any(each.startswith(f"swept {place_of(swap)} ") for each in history)


def is_nearer(swap: Swap, known: Swap) -> bool:
    """Whether a number that was found by its distance is likelier than another: it is one of that very place."""
    return known.kind == swap.kind == "distance" and abs(swap.value) < abs(known.value)


def place_of(swap: Swap) -> str:
    """The place of a substitution, the same for every item of a list."""
    return ".".join("*" if isinstance(key, int) else str(key) for key in swap.path).replace(
        " ", "_"
    )


def name_of(swap: Swap) -> str:
    """How a substitution was made, on whatever task: place, kind and comparison."""
    return f"{place_of(swap)} {swap.kind} {swap.site}"
