"""The reward's components: what each is worth, whom it pays, and whether the return needs it.

Read are the components that an environment shows at the end of an episode. A return is made of them by a rule: a
sum, a product, the least or the greatest. A rule is taken only where it gives every episode's return. With a rule
the return without a component and each component's share are known; where none fits, as with components of the last
step only, they are left open and the record says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gonogo.auditing.resets import key_of
from gonogo.auditing.survey import LEAST_FAILED, Scale, Survey, SurveyRow, total
from gonogo.auditing.suspicions import NOT_TRYING, PAID
from gonogo.exploits.witness import Witness, actions_of, encode, trimmed
from gonogo.records.audit import (
    AuditedComponent,
    CheapestExploit,
    ComponentCorrelation,
    RewardComponents,
    ShapleyValue,
    WithoutComponent,
)
from gonogo.records.contract import ContractReport
from gonogo.records.inspection import RubricNode
from gonogo.rollouts.episodes import Episode
from gonogo.statistics import auroc, shapley
from gonogo.wire import Action

NEARLY = 0.99
Rule = Literal["sum", "weighted sum", "fitted sum", "product", "minimum", "maximum"]
Components = Mapping[str, float]
EXACT = 1e-6
MOST_ENUMERATED = 8
AT_LEAST = 3
"""Episodes for each fitted weight."""


RULES: dict[Rule, Callable[[list[float]], float]] = {
    "product": math.prod,
    "minimum": min,
    "maximum": max,
}
"""The rules that are no sum."""


@dataclass(frozen=True, slots=True)
class ComponentEpisode:
    """An episode that has components, beside the row that flew it."""

    row: SurveyRow
    episode: Episode

    @property
    def values(self) -> dict[str, float]:
        """Its components."""
        return self.episode.components


class Ledger:
    """The components of one survey.

    Args:
        flown: The survey.
        card: The map. Its rubric tree gives weights.
    """

    def __init__(self, flown: Survey, card: ContractReport) -> None:
        self._scale = Scale(flown)
        shown = [
            ComponentEpisode(row, episode)
            for row in flown.rows
            for episode in row.episodes
            if episode.components and episode.episode_return is not None
        ]
        names = {name for part in shown for name in part.values}
        # Episodes that end before a component exists cannot be compared with the others.
        self._parts = [part for part in shown if part.values.keys() == names and finite(part)]
        self.names = sorted(names)
        self._declared = rubric_weights(card)
        pairs = [(part.values, total(part.episode)) for part in self._parts]
        self.rule = combine(pairs, self._declared)
        self._left_out = len(shown) - len(self._parts)
        self._good = [part for part in self._parts if part.episode.success is True]
        self._bad = [part for part in self._parts if part.episode.success is False]

    def record(self) -> RewardComponents:
        """What ``audit.json`` says: the rule, the components, their rank and correlations."""
        if not self._parts:
            said = "the environment shows no components of its reward"
            return RewardComponents(note=said, rule=None, components=())
        table = np.array([[part.values[name] for name in self.names] for part in self._parts])
        unknown = "no sum, product, minimum or maximum of the components gives the returns: they may be the last step's"
        return RewardComponents(
            note=unknown if self.rule is None else None,
            rule=None if self.rule is None else self.rule.rule,
            episodes=len(self._parts),
            left_out=self._left_out,
            rank=rank(table),
            correlations=correlations(table, self.names),
            components=tuple(self._component(name) for name in self.names),
        )

    def blamed(self, row: SurveyRow) -> str | None:
        """The one component without which a row's failures are not paid; None where there is no such one."""
        failed = [part for part in self._bad if part.row.name == row.name]
        par, floor = self._scale.par, self._scale.floor
        if self.rule is None or par is None or not self._scale.calibrated or not failed:
            return None
        rule, size = self.rule, par - floor
        left = {
            name: (fmean(rule.without(part.values, name) for part in failed) - floor) / size
            for name in self.names
        }
        removing = [name for name, worth in left.items() if worth < PAID]
        return removing[0] if len(removing) == 1 else None

    def _component(self, name: str) -> AuditedComponent:
        values = [part.values[name] for part in self._parts]
        good, bad = ([part.values[name] for part in some] for some in (self._good, self._bad))
        weight = self._declared.get(name)
        return AuditedComponent(
            name=name,
            min=min(values),
            max=max(values),
            mean=fmean(values),
            mean_success=mean(good),
            mean_failure=mean(bad),
            constant=min(values) == max(values),
            weight=weight,
            factor=None if self.rule is None else self.rule.weights[name],
            normalised=normalised(values, weight),
            auroc_success=auroc(good, bad) if good and bad else None,
            correlation_return=correlation(values, [total(p.episode) for p in self._parts]),
            without=self._without(name),
            shapley=self._shapley(name),
            cheapest=self._cheapest(name),
        )

    def _without(self, name: str) -> WithoutComponent | None:
        """What the best paid failures and the order of success and failure become without a component."""
        if self.rule is None:
            return None
        rule = self.rule
        good, bad = (
            [rule.without(part.values, name) for part in some] for some in (self._good, self._bad)
        )
        par = mean(good)
        means = {
            row: fmean(rule.without(part.values, name) for part in some)
            for row, some in by_row(self._bad).items()
            if len(some) >= LEAST_FAILED
        }
        best = max(means, key=lambda row: means[row], default=None)
        paid = None if best is None or par is None or par <= 0 else means[best] / par
        return WithoutComponent(
            success_return=par,
            best_failing=best,
            best_failing_paid=paid,
            auroc=auroc(good, bad) if good and bad else None,
        )

    def _shapley(self, name: str) -> ShapleyValue | None:
        """A component's Shapley value in the return of failures, and in what successes earn more."""
        if self.rule is None:
            return None
        bad, good = (mean_share(self.rule, some, name) for some in (self._bad, self._good))
        return ShapleyValue(failed=bad, gap=None if bad is None or good is None else good - bad)

    def _cheapest(self, name: str) -> CheapestExploit | None:
        """The policy that does not try and gets most of a component where it fails, by its shortest plan."""
        sign = -1.0 if self.rule is not None and self.rule.weights[name] < 0 else 1.0
        rows = by_row(part for part in self._bad if part.row.kind in NOT_TRYING)
        means = {row: sign * fmean(p.values[name] for p in ps) for row, ps in rows.items()}
        if not means:
            return None
        most = max(means.values())
        alike = [row for row, mean in means.items() if mean >= most - (1 - NEARLY) * abs(most)]
        # The length of its text tells how plain a plan is.
        row = min(alike, key=lambda row: len(key_of(encode(plan_of(rows[row][0])))))
        best = max(rows[row], key=lambda part: sign * part.values[name])
        return CheapestExploit(
            policy=row,
            kind=str(best.row.kind),
            mean=sign * means[row],
            value=best.values[name],
            witness=Witness.of(best.episode).record(plan_of(best)),
        )


def finite(part: ComponentEpisode) -> bool:
    """Whether all that is compared is a number, and the episode can be flown again."""
    numbers = [*part.values.values(), total(part.episode)]
    sent = [turn.action for turn in part.episode.turns]
    return all(map(math.isfinite, numbers)) and None not in sent


def by_row(parts: Iterable[ComponentEpisode]) -> dict[str, list[ComponentEpisode]]:
    """Some episodes by the name of the row that flew them."""
    rows: dict[str, list[ComponentEpisode]] = {}
    for part in parts:
        rows.setdefault(part.row.name, []).append(part)
    return rows


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return fmean(values) if values else None


def plan_of(part: ComponentEpisode) -> list[Action]:
    """What was sent, without the repetitions of the last action."""
    return trimmed(actions_of(part.episode.turns))


def mean_share(rule: Combination, parts: Sequence[ComponentEpisode], name: str) -> float | None:
    """The mean Shapley value of a component over some episodes; None without any."""
    shares = [rule.shares(part.values) for part in parts]
    return mean([share[name] for share in shares if share is not None])


def normalised(values: Sequence[float], weight: float | None) -> str | None:
    """What a component keeps to: ``weight`` where it lies within its weight, ``unit`` within [0, 1], or None."""
    if min(values) < 0:
        return None
    if weight is not None and max(values) <= weight:
        return "weight"
    return "unit" if max(values) <= 1 else None


def rank(table: NDArray[np.float64]) -> int:
    """How many components move on their own: the rank of the centred matrix (episodes by components)."""
    return int(np.linalg.matrix_rank(table - table.mean(axis=0)))


def correlations(
    table: NDArray[np.float64], names: Sequence[str]
) -> tuple[ComponentCorrelation, ...]:
    """Pearson's correlation of each pair of components; null where one is constant."""
    columns = dict(zip(names, table.T.tolist(), strict=True))
    return tuple(
        ComponentCorrelation(pair=(one, other), r=correlation(columns[one], columns[other]))
        for one, other in combinations(names, 2)
    )


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Pearson's correlation; None where either is constant."""
    if min(one) == max(one) or min(other) == max(other):
        return None
    return float(np.corrcoef(one, other)[0, 1])


def rubric_weights(card: ContractReport) -> dict[str, float]:
    """The weights of a rubric's parts by name, the products of the weights on the way; empty without a tree."""
    found: dict[str, float] = {}

    def walk(rubric: RubricNode, factor: float) -> None:
        for child in rubric.children:
            if child.weight is not None:
                found[child.name] = factor * child.weight
                walk(child, found[child.name])

    if tree := card.reward.rubric:
        walk(tree, 1.0)
    return found


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
    tried += [Combination(rule, names, plain) for rule in RULES]
    tried += fitted(episodes, names)
    every = frozenset(names)
    slack = EXACT * max(1.0, *(abs(paid) for _, paid in episodes))
    fits = (
        rule
        for rule in tried
        if max(abs(rule.value(values, every) - paid) for values, paid in episodes) <= slack
    )
    return next(fits, None)


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
