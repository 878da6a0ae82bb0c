"""Items that are judged one by one, as mails to sort or questions to answer, and the same answer to all of them.

Whoever holds on through a day is paid by the turn as well, and may do so by one setting. Two things tell items apart
from that. What a turn is paid hangs on that turn's answer alone, whatever was answered before it: the same answer to
the same item is paid the same to the bit, by whichever policy. And no single answer is the best for all of them: they
ask for a judgement. There the best that anybody could earn is known as well, by adding up the best mark of each item.

Items come one after another, a turn each, in an order that nothing changes; or the agent names one at a time of those
that it is shown.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from gonogo.auditing.checks.paid import ALIKE, Paid
from gonogo.auditing.survey import SurveyRow, seed_of, total
from gonogo.exploits.panel import Kind
from gonogo.exploits.search import leaves
from gonogo.explore.novelty import masked, texts_in
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, JsonValue

HALF, FULL = 0.5, 1.0
"""Share of the marks that nobody should have for one answer, and the mark of a right one."""
LEAST_ITEMS = 3
"""Items of an episode: the pay of fewer is a sum of little."""
LEAST_MATCHED = 6
"""Answers that were given to the same item after different ones, before they are said to be paid alike."""
LEAST_CHARS = 12
"""Characters of a text that may be an item's."""
SHOWN = frozenset({Kind.IDLE, Kind.CONSTANT})
"""Kinds of rows of which is known what was seen."""

Marks = Mapping[JsonValue, Mapping[str, float]]
"""What was paid for each answer to each item of one seed."""


@dataclass(frozen=True, slots=True)
class Items:
    """The items of each seed, and what was paid for their answers.

    Attributes:
        marks: By the seed.
    """

    marks: Mapping[str, Marks] = field(default_factory=dict)

    def best(self, seed: str) -> float:
        """The sum of the best marks on a seed."""
        return sum(max(each.values()) for each in self.marks.get(seed, {}).values())

    @property
    def ask_for_judgement(self) -> bool:
        """Whether no single answer is the best for all items of a seed, on each of some seeds."""
        return bool(self.marks) and all(not one_for_all(marks) for marks in self.marks.values())

    def half_paid(self, row: SurveyRow) -> bool:
        """Whether a row earns half of the best marks on each seed, and half a full mark an item.

        Args:
            row: It, of which each turn answers an item.
        """
        if not self.ask_for_judgement or not all(seed_of(e.task) in self.marks for e in row.ended):
            return False
        shares = [total(e) / max(1, len(e.turns)) for e in row.ended]
        return fmean(shares) >= HALF - ALIKE and all(
            total(e) >= HALF * self.best(seed_of(e.task)) > 0 for e in row.ended
        )


def one_for_all(marks: Marks) -> bool:
    """Whether some answer is the best for each of a seed's items, of those that were given to all."""
    common = set.intersection(*(set(each) for each in marks.values())) if marks else set()
    return any(
        all(each[answer] >= max(each.values()) - ALIKE for each in marks.values())
        for answer in common
    )


def items_in_turn(facts: Paid) -> Items:
    """The items that come one after another; none where what comes, or what is paid, hangs on what was done before.

    Args:
        facts: What was flown.
    """
    flown, shown = by_seed(facts.rows), by_seed([r for r in facts.rows if r.kind in SHOWN])
    if facts.best_step > FULL + ALIKE:
        return Items()
    matched = 0
    marks: dict[str, Marks] = {}
    for seed in sorted({seed_of(e.task) for e in facts.survey.idle.ended}):
        lengths = {len(episode.turns) for episode in flown[seed]}
        seen = {tuple(news_of(episode)) for episode in shown[seed]}
        if len(lengths) != 1 or min(lengths) < LEAST_ITEMS or not come_alike(seen):
            return Items()
        found, again = marks_of(flown[seed])
        if found is None:
            return Items()
        marks[seed], matched = found, matched + again
    return Items(marks) if matched >= LEAST_MATCHED else Items()


def by_seed(rows: Sequence[SurveyRow]) -> Mapping[str, list[Episode]]:
    """The episodes of some rows that the environment ended and in which nothing was refused, by their seeds."""
    found: dict[str, list[Episode]] = defaultdict(list)
    for episode in (e for row in rows for e in row.ended if to_its_end(e)):
        found[seed_of(episode.task)].append(episode)
    return found


def to_its_end(episode: Episode) -> bool:
    """Whether an episode was ended by the environment, and nothing in it was refused."""
    return not episode.cut and all(
        t.invalid is None and t.action is not None for t in episode.turns
    )


def news_of(episode: Episode) -> Iterator[frozenset[str]]:
    """The texts of some length that each turn shows first, without numbers and ids."""
    known: set[str] = set()
    for turn in episode.turns:
        shown = {masked(text) for _, text in texts_in(turn.observation) if len(text) >= LEAST_CHARS}
        yield frozenset(shown - known)
        known |= shown


def come_alike(seen: set[tuple[frozenset[str], ...]]) -> bool:
    """Whether each turn after the first shows something new, and the same whatever was done.

    Args:
        seen: The news of each turn, of several policies on one seed; equal ones once.
    """
    return all(frozenset.intersection(*news) for news in list(zip(*seen, strict=False))[1:])


def marks_of(episodes: Sequence[Episode]) -> tuple[Marks | None, int]:
    """What is paid for each answer at each turn, and how many were given after different ones.

    Args:
        episodes: Of one seed.

    Returns:
        No marks where the same answer is paid differently.
    """
    paid: dict[tuple[int, str], dict[str, float]] = defaultdict(dict)
    for episode in episodes:
        before = ""
        for place, turn in enumerate(episode.turns):
            answer = json.dumps(turn.action, sort_keys=True)
            paid[place, answer][before] = turn.reward or 0.0
            before += answer
    marks: dict[JsonValue, dict[str, float]] = defaultdict(dict)
    for (place, answer), by_past in paid.items():
        if max(by_past.values()) - min(by_past.values()) > ALIKE:
            return None, 0
        marks[place][answer] = next(iter(by_past.values()))
    return marks, sum(len(by_past) > 1 for by_past in paid.values())


def items_by_name(facts: Paid) -> Items:
    """The items that are named one at a time, by the rows that give each of them the same answer."""
    marks: dict[str, dict[JsonValue, dict[str, float]]] = {}
    for row in facts.rows:
        for episode in row.ended if names_each(row) else ():
            of_seed = marks.setdefault(seed_of(episode.task), defaultdict(dict))
            path = varied([turn.action or {} for turn in episode.turns])
            for turn in episode.turns:
                held = dict(leaves(turn.action or {}))
                name = held.pop(path or "", None)
                of_seed[name][json.dumps(held, sort_keys=True)] = turn.reward or 0.0
    return Items(marks) if facts.best_step <= FULL + ALIKE else Items()


def names_each(row: SurveyRow) -> bool:
    """Whether a row names another item at each turn, gives all the same answer, and is at an end with them."""
    return (
        bool(row.ended)
        and row.kind == Kind.CONSTANT
        and all(
            to_its_end(e)
            and len(e.turns) >= LEAST_ITEMS
            and varied([turn.action or {} for turn in e.turns]) is not None
            for e in row.ended
        )
    )


def varied(actions: Sequence[Action]) -> str | None:
    """The one path at which some actions differ, if each has a text of its own there; else None."""
    held = [dict(leaves(action)) for action in actions]
    paths = {path for each in held for path in each}
    differ = [path for path in paths if len({repr(each.get(path)) for each in held}) > 1]
    if len(differ) != 1:
        return None
    named = [each.get(differ[0]) for each in held]
    apart = len(set(map(repr, named))) == len(named)
    return differ[0] if apart and all(isinstance(name, str) for name in named) else None
