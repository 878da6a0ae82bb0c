"""How a return is made of its components, told from flown episodes: a sum, a product, the least or the greatest.

A rule is taken only where it gives every episode's return. With a rule one can say what the return would be
without a component, and what share of it each has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gonogo.statistics import shapley

__all__ = ["Combination", "combine"]

Rule = Literal["sum", "weighted sum", "fitted sum", "product", "minimum", "maximum"]
Components = Mapping[str, float]
EXACT = 1e-6
MOST_ENUMERATED = 8
AT_LEAST = 3
"""Episodes for each fitted weight."""


RULES: dict[str, Callable[[list[float]], float]] = {
    "product": math.prod,
    "minimum": min,
    "maximum": max,
}
"""The rules that are no sum."""


@dataclass(frozen=True, slots=True)
class Combination:
    """A rule by which components make a return.

    Attributes:
        rule: Its name.
        names: The components.
        weights: Each component's factor; 1 where the rule has none.
    """

    rule: Rule
    names: tuple[str, ...]
    weights: Mapping[str, float]

    @property
    def additive(self) -> bool:
        """Whether the return is a sum, so that a component's share is simply what it adds."""
        return self.rule.endswith("sum")

    def value(self, components: Components, kept: frozenset[str]) -> float:
        """The return of some components by the same rule; 0 of none."""
        parts = [self.weights[name] * components[name] for name in self.names if name in kept]
        if not parts:
            return 0.0
        return RULES.get(self.rule, math.fsum)(parts)

    def without(self, components: Components, name: str) -> float:
        """The return as it would be without a component."""
        return self.value(components, frozenset(self.names) - {name})

    def shares(self, components: Components) -> dict[str, float] | None:
        """Each component's Shapley value; None where there are too many to enumerate.

        Of a sum it is what the component adds, whatever the order; else all subsets are enumerated.
        """
        if self.additive:
            return {name: self.weights[name] * components[name] for name in self.names}
        if len(self.names) > MOST_ENUMERATED:
            return None
        return shapley(self.names, lambda kept: self.value(components, kept))


def combine(
    episodes: Sequence[tuple[Components, float]], weights: Mapping[str, float]
) -> Combination | None:
    """The rule that gives all the returns; None where none of the known ones does.

    Args:
        episodes: Components and return of each; the components have the same names everywhere.
        weights: The rubric's weight of each component that has one; empty where there is no rubric.
    """
    if not episodes:
        return None
    names = tuple(sorted(episodes[0][0]))
    plain = dict.fromkeys(names, 1.0)
    tried = [Combination("sum", names, plain)]
    if weights.keys() >= set(names):
        tried.append(Combination("weighted sum", names, {name: weights[name] for name in names}))
    rest: tuple[Rule, ...] = ("product", "minimum", "maximum")
    tried += [Combination(rule, names, plain) for rule in rest]
    tried += fitted(episodes, names)
    every = frozenset(names)
    size = max(1.0, *(abs(total) for _, total in episodes))
    for found in tried:
        misses = (abs(found.value(values, every) - total) for values, total in episodes)
        if max(misses) <= EXACT * size:
            return found
    return None


def fitted(
    episodes: Sequence[tuple[Components, float]], names: tuple[str, ...]
) -> list[Combination]:
    """The weights of the least squares; none where there are too few episodes or nothing is finite."""
    table = np.array([[values[name] for name in names] for values, _ in episodes])
    totals = np.array([total for _, total in episodes])
    if len(episodes) < AT_LEAST * len(names) or not np.all(np.isfinite(table)):
        return []
    solved = np.linalg.lstsq(table, totals, rcond=None)[0]
    return [Combination("fitted sum", names, dict(zip(names, map(float, solved), strict=True)))]
