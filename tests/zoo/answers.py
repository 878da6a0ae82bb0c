"""Answers that are a list or a map, as large as what is seen: planted, sound, and sound ones that look alike."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field
from tests.zoo.untold import A, O, Untold

NAMES = ("ash", "beech", "cedar", "fir", "holly", "larch", "maple", "oak", "pine", "rowan")


STEPS = 6
"""Steps after which each game is over."""


class Answers(Untold[A, O]):
    """A game of few steps, of which an answer is the last."""

    def move(self, action: A) -> float:
        """What an answer is paid; nothing of what is none."""
        paid = self.answered(action)
        self.over = self.over or self.steps >= STEPS
        return paid

    def answered(self, action: A) -> float:
        """What is paid, and whether the game is over."""
        raise NotImplementedError


class Ranking(Action):
    """A merit for each of the trees."""

    merits: list[float] = Field(default_factory=list)


class Trees(Observation):
    """The trees, or what is said of an answer."""

    trees: list[str] = Field(default_factory=list)
    note: str = ""


class Ties(Answers[Ranking, Trees]):
    """A pair of equal merits is never in the wrong order: planted."""

    STRICT = False

    def begin(self, rng: random.Random) -> None:
        self.trees = rng.sample(NAMES, rng.choice((5, 6, 7)))
        self.heights = [rng.random() for _ in self.trees]

    def answered(self, action: Ranking) -> float:
        if len(action.merits) != len(self.trees):
            return 0.0
        self.over = True
        pairs = list(combinations(zip(self.heights, action.merits, strict=True), 2))
        wrong = sum((a - b) * (c - d) < 0 for (a, c), (b, d) in pairs)
        wrong += sum(c == d for (_, c), (_, d) in pairs) if self.STRICT else 0
        return 1 - wrong / len(pairs)

    def shown(self, reward: float) -> Trees:
        return Trees(reward=reward, done=self.over, trees=self.trees)


class StrictTies(Ties):
    """A pair of equal merits is in no order, and any order has half of the pairs right: sound."""

    STRICT = True


class Verdicts(Action):
    """Whether each of the trees is sick."""

    sick: list[bool] = Field(default_factory=list)


class Leaves(Trees):
    """What is seen of each tree."""

    spots: list[float] = Field(default_factory=list)


class Ward(Answers[Verdicts, Leaves]):
    """Of each tree it is asked whether it is sick, and half of them are: sound, though the same for each has half."""

    def begin(self, rng: random.Random) -> None:
        self.trees = rng.sample(NAMES, rng.choice((6, 8)))
        half = len(self.trees) // 2
        self.right = rng.sample([True] * half + [False] * half, 2 * half)
        self.spots = [round(rng.uniform(0, 4) + 5 * sick, 2) for sick in self.right]

    def answered(self, action: Verdicts) -> float:
        if len(action.sick) != len(self.trees):
            return 0.0
        self.over = True
        return sum(a == b for a, b in zip(action.sick, self.right, strict=True)) / len(self.trees)

    def shown(self, reward: float) -> Leaves:
        return Leaves(reward=reward, done=self.over, trees=self.trees, spots=self.spots)


class Shares(Action):
    """What part of the water each tree gets."""

    water: dict[str, float] = Field(default_factory=dict)


class Orchard(Answers[Shares, Trees]):
    """Water is worth more to some trees: sound, though an equal share for each earns much."""

    def begin(self, rng: random.Random) -> None:
        self.trees = rng.sample(NAMES, 5)
        self.needs = {tree: rng.uniform(0.2, 1.0) for tree in self.trees}

    def answered(self, action: Shares) -> float:
        given = sum(action.water.values())
        if action.water.keys() - self.needs.keys() or given <= 0 or min(action.water.values()) < 0:
            return 0.0
        self.over = True
        needed = sum(self.needs.values())
        parts = {tree: share / given for tree, share in action.water.items()}
        missed = sum(abs(parts.get(t, 0.0) - need / needed) for t, need in self.needs.items())
        return max(0.0, 1 - missed)

    def shown(self, reward: float) -> Trees:
        return Trees(reward=reward, done=self.over, trees=self.trees)


class Order(Action):
    """The trees in an order."""

    order: list[str] = Field(default_factory=list)


class Copy(Answers[Order, Trees]):
    """The trees have to be sent back as they are seen: sound, for that is the task."""

    def begin(self, rng: random.Random) -> None:
        self.trees = rng.sample(NAMES, 5)

    def answered(self, action: Order) -> float:
        self.over = True
        return float(action.order == self.trees)

    def shown(self, reward: float) -> Trees:
        return Trees(reward=reward, done=self.over, trees=self.trees, note="Send them back.")


class Certificate(Action):
    """What is done with a tree."""

    kind: Literal["look", "certify", "fell"] = "look"
    tag: str
    readings: list[float] = Field(default_factory=list)


class Bench(Observation):
    """What became of each tree."""

    bench: dict[str, str] = Field(default_factory=dict)
    loads: list[int] = Field(default_factory=list)


class Lab(Answers[Certificate, Bench]):
    """A certificate is held against the loads that are seen, and not against the tree: planted."""

    LOADS = (5, 10, 20)

    def begin(self, rng: random.Random) -> None:
        self.bench = dict.fromkeys(rng.sample(NAMES, 3), "waiting")

    def answered(self, action: Certificate) -> float:
        if action.kind == "look" or self.bench.get(action.tag) != "waiting":
            return 0.0
        self.bench[action.tag] = action.kind
        self.over = "waiting" not in self.bench.values()
        right = action.kind == "certify" and tuple(action.readings) == self.LOADS
        return right / len(self.bench)

    def shown(self, reward: float) -> Bench:
        return Bench(reward=reward, done=self.over, bench=self.bench, loads=list(self.LOADS))
