"""Items that are named one at a time, as mails that lie in a tray, and the same answer to all of them.

The panel gives one answer to each thing in turn that it sees. So together its rows tell what each item would have paid
for each answer, and the sum of the best is what somebody earns who reads them all, although nobody flew that. One
answer may earn most of it where most items are of one class: then none of them has to be read.

To name each thing once, with the right verb, may be the work itself, as to ship each order. So it counts only where the
items ask for a judgement: no single answer is the best for all of a seed. Of two classes that are as common either
answer earns half; so it has to be more than that, of the best and of a full mark an item. And where most items are of
one class, any other answer earns far less, in one field of it at least: where all answers earn much, it is for what
they have in common.

Items that come one after another, a turn each, are :mod:`gonogo.auditing.checks.lopsided`'s.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from gonogo.auditing.checks.paid import ALIKE, Paid
from gonogo.auditing.probes import worth
from gonogo.auditing.survey import SurveyRow, seed_of, total
from gonogo.exploits.panel import Kind
from gonogo.exploits.search import leaves
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, JsonValue

MOST_MARKS, FULL = 0.6, 1.0
"""Share of the marks that nobody should have for one answer, and the mark of a right one."""
LOPSIDED = 0.6
"""Share of what the best answer for all earns that any other one earns at most."""
LEAST_ITEMS = 3
"""Items of an episode: the pay of fewer is a sum of little."""

Marks = Mapping[JsonValue, Mapping[str, float]]
"""What was paid for each answer to each item of one seed."""


@dataclass(frozen=True, slots=True)
class NamedItems:
    """The items of each seed, and what was paid for their answers.

    Attributes:
        marks: By the seed.
        rows: Those that give each item the same answer.
    """

    marks: Mapping[str, Marks]
    rows: Sequence[SurveyRow] = ()

    @classmethod
    def of(cls, facts: Paid) -> NamedItems:
        """What the rows tell that give each item the same answer.

        That is nothing where a step is paid more than a mark, or where an action takes a number: nobody may know it.
        """
        if facts.takes_numbers:
            return cls({})
        marks: dict[str, dict[JsonValue, dict[str, float]]] = {}
        rows = [r for r in facts.rows if facts.best_step <= FULL + ALIKE and names_each(r)]
        for row in rows:
            for episode in row.ended:
                of_seed = marks.setdefault(seed_of(episode.task), defaultdict(dict))
                path = varied([turn.action or {} for turn in episode.turns])
                for turn in episode.turns:
                    held = dict(leaves(turn.action or {}))
                    name = held.pop(path or "", None)
                    of_seed[name][json.dumps(held, sort_keys=True)] = turn.reward or 0.0
        return cls(marks, rows)

    @property
    def ask_for_judgement(self) -> bool:
        """Whether no single answer is the best for all items of some seed; on another all may be of one class."""
        return not all(map(one_for_all, self.marks.values()))

    def pay_most(self, row: SurveyRow) -> bool:
        """Whether a row gives all items one answer, and earns most of the best marks.

        Args:
            row: It.
        """
        if not (any(row is each for each in self.rows) and self.ask_for_judgement):
            return False
        if self._others_earn(row) > LOPSIDED * worth(row):
            return False
        marks = [total(e) / len(e.turns) for e in row.ended]
        best = [self._best(seed_of(e.task)) for e in row.ended]
        shares = [total(e) / of if of > 0 else 0.0 for e, of in zip(row.ended, best, strict=True)]
        return fmean(marks) >= MOST_MARKS * FULL and fmean(shares) >= MOST_MARKS

    def _others_earn(self, row: SurveyRow) -> float:
        """What the best row earns that answers otherwise in one field, in the field in which that is least."""
        mine, others = answer_of(row), [r for r in self.rows if not earn_alike(r, row)]
        known = [
            max(paid)
            for path in {path for each in others for path in answer_of(each)}
            if (paid := [worth(r) for r in others if answer_of(r).get(path) != mine.get(path)])
        ]
        return min(known, default=0.0)

    def told(self, row: SurveyRow) -> str:
        """What a finding about a row says of the items beside its pay; empty where it is about none."""
        if not self.pay_most(row):
            return ""
        best = fmean(self._best(seed_of(e.task)) for e in row.ended)
        return f"; one answer for all items, of which the best answers together earn {best:g}"

    def _best(self, seed: str) -> float:
        """The sum of the best marks on a seed."""
        return sum(max(each.values()) for each in self.marks.get(seed, {}).values())


def one_for_all(marks: Marks) -> bool:
    """Whether some answer is the best for each of a seed's items, of those that were given to all."""
    common = set.intersection(*(set(each) for each in marks.values()))
    return any(
        all(each[answer] >= max(each.values()) - ALIKE for each in marks.values())
        for answer in common
    )


def answer_of(row: SurveyRow) -> dict[str, JsonValue]:
    """What a row says of each thing that it names, by the place in the action."""
    sent = [turn.action or {} for turn in row.ended[0].turns]
    path = varied(sent)
    return {place: value for place, value in leaves(sent[0]) if place != path}


def earn_alike(one: SurveyRow, other: SurveyRow) -> bool:
    """Whether two rows are paid the same at each turn, as with a choice that is left out and stands for another."""
    mine, theirs = (
        {seed_of(e.task): [turn.reward for turn in e.turns] for e in row.ended}
        for row in (one, other)
    )
    return mine == theirs


def names_each(row: SurveyRow) -> bool:
    """Whether a row names another item at each turn, gives all the same answer, and is at an end with them."""
    return bool(row.ended) and row.kind == Kind.CONSTANT and all(map(is_named_through, row.ended))


def is_named_through(episode: Episode) -> bool:
    """Whether an episode that the environment ended names another item at each of its turns."""
    sent = [
        turn.action for turn in episode.turns if turn.action is not None and turn.invalid is None
    ]
    whole = not episode.cut and len(sent) == len(episode.turns) >= LEAST_ITEMS
    return whole and varied(sent) is not None


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
