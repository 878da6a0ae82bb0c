"""Of items that come in turn one alone is answered, the others are passed over, and it earns all there is.

A rate over what was accepted, or a mean over what was answered, asks for no more than one easy item: the others are
declined, or the desk is closed. An item that comes in turn has no name to be called by, so an answer belongs to its
turn. One action is found that passes an item over, by which nothing is earned to the end. Each of the first items is
answered alone, in each way that was tried so far, and then the episode is ended, or all others are passed over.

It is held against what :mod:`gonogo.auditing.checks.uncounted` holds one thing against: another item alone and both
earn as much, one answered wrongly or none earns far less, and one right answer beside a wrong one earns a part in
between. And what is right of one item is not what is right of another: one question may be answered at any turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.paid import LEAST_GRADE
from gonogo.auditing.checks.uncounted import (
    ANOTHER,
    BOTH,
    LEAST_SEEDS,
    NOTHING,
    PART,
    PART_OF,
    WRONGLY,
    OneAlone,
    end_of,
    first_shown,
)
from gonogo.auditing.plans import verb_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, seed_of, total
from gonogo.auditing.suspicions import EXPLAINED
from gonogo.exploits.witness import actions_of
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, TaskOptions

MOST_ANSWERS, MOST_PASSES = 20, 8
"""Ways of answering an item, and actions of which one may pass it over."""
MOST_ITEMS = 4
"""Items that are answered alone."""
LEAST_TURNS = 3
"""Turns of an episode in which all is passed over, from which on items come in turn."""
MOST_STEPS = 2_000
"""Steps after which no other way of passing items over is tried."""
MOST_UNEARNED = 500
"""Steps on a seed after which no other item is tried if no answer to any earned enough."""
LEAST_ITEMS = 2
"""Items that are answered rightly alone."""
MOST_BOTH = 16
"""Pairs of right ways that are flown together."""
ItemAnswer = tuple[int, int]
"""Number of an item, and of an answer to it."""


@dataclass(frozen=True, slots=True)
class AnsweredItem:
    """One item, answered alone in several ways.

    Attributes:
        flown: What came of each way.
    """

    flown: Mapping[ItemAnswer, Episode]

    @property
    def right(self) -> ItemAnswer:
        """The way that earns most."""
        return max(self.flown, key=lambda way: total(self.flown[way]))

    @property
    def wrong(self) -> list[ItemAnswer]:
        """The ways that earn far less, the worst first."""
        found = [way for way, e in self.flown.items() if total(e) <= EXPLAINED * self.most]
        return sorted(found, key=lambda way: total(self.flown[way]))

    @property
    def most(self) -> float:
        """What the best way earns; nothing where all were lost."""
        return max(map(total, self.flown.values()), default=0.0)

    @property
    def rights(self) -> list[ItemAnswer]:
        """The ways that earn about as much as the best one."""
        return [way for way, e in self.flown.items() if total(e) > EXPLAINED * self.most]

    @property
    def answers(self) -> set[int]:
        """The answers that are right."""
        return {answer for _, answer in self.rights}

    def is_part(self, episode: Episode) -> bool:
        """Whether an episode earns a part of what the best way does."""
        least, most = (share * self.most for share in PART_OF)
        return least <= total(episode) <= most


@dataclass(slots=True)
class OneInTurn(OneAlone):
    """One of the items that come in turn, answered alone.

    Attributes:
        passing: What passes an item over.
        answers: The ways of answering one.
        end: What is sent at last; None where the others are passed over.
    """

    passing: Action
    answers: Sequence[Action]
    end: Action | None

    @property
    def name(self) -> str:
        """For tables and records."""
        last = "later items passed over too" if self.end is None else f"then {self.end}"
        return f"one item answered alone; earlier items passed over with {self.passing}; {last}"

    def own(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> bool:
        """Whether two items want different answers on most tasks.

        Args:
            session: Where it was flown.
            tasks: On which.
        """
        apart = self._apart(session, tasks)
        return sum(apart) * 2 >= len(apart)

    def _fly(self, session: AuditSession, task: TaskOptions, least: float) -> dict[str, Episode]:
        graded = self._graded(session, task, least)
        if len(graded) < LEAST_ITEMS:
            return {}
        first, second = graded[0], graded[-1]
        self.apart[session, seed_of(task)] = first.answers != second.answers
        # What is right of one alone may be taken by the other, as a cab is: some of the right ways have to go together.
        plans = [(BOTH, [one, other]) for one in first.rights for other in second.rights][
            :MOST_BOTH
        ]
        plans += [(NOTHING, [])]
        plans += [(PART, [first.right, wrong]) for wrong in second.wrong]
        plans += [(PART, [wrong, second.right]) for wrong in first.wrong]
        asked = [(task, self._plan(ways)) for _, ways in plans]
        found: dict[str, Episode] = {}
        for (role, _), e in zip(plans, session.plans("one item and others", asked), strict=True):
            # Some ways are refused, some pass the item over, and some spoil what comes after: one has to be a part.
            better = role == BOTH and total(e) > total(found.get(role, e))
            if role not in found or better or (role != BOTH and first.is_part(e)):
                found[role] = e
        return found | {
            self.name: first.flown[first.right],
            ANOTHER: second.flown[second.right],
            WRONGLY: first.flown[first.wrong[0]],
        }

    def _graded(self, session: AuditSession, task: TaskOptions, least: float) -> list[AnsweredItem]:
        """The first items that earn enough if they are answered rightly, and far less otherwise.

        The last one wants another answer than the first, if one of them does.
        """
        found: list[AnsweredItem] = []
        began = session.steps
        for number in range(MOST_ITEMS):
            item = self._answered(session, task, number)
            if item.most >= max(LEAST_GRADE, least) and item.wrong:
                found.append(item)
            elif not found and session.steps - began >= MOST_UNEARNED:
                break
            if found and found[-1].answers != found[0].answers:
                break
        return found

    def _answered(self, session: AuditSession, task: TaskOptions, number: int) -> AnsweredItem:
        """What comes of each answer to an item, all others passed over; without what was lost, or ended the episode."""
        ways = [(number, answer) for answer in range(len(self.answers))]
        flown = session.plans("one item alone", [(task, self._plan([way])) for way in ways])
        pairs = zip(ways, flown, strict=True)
        known = {way: e for way, e in pairs if e.error is None and e.episode_return is not None}
        return AnsweredItem({way: e for way, e in known.items() if len(e.turns) > number + 1})

    def _plan(self, answered: Sequence[ItemAnswer]) -> list[Action]:
        """The actions: each item before an answered one passed over, its answer, and the end."""
        sent: list[Action] = []
        for item, answer in answered:
            sent += [self.passing] * (item - len(sent))
            sent.append(self.answers[answer])
        return [*sent, self.passing if self.end is None else self.end]


def passed_over_rows(
    start: Beginnings, flown: Survey, explored: Sequence[Episode] = ()
) -> Iterator[SurveyRow]:
    """Rows of the first way of answering one item alone that earns all there is on each task, after those beside it.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
    """
    session, tasks = start.session, start.tasks
    if len(tasks) < LEAST_SEEDS:
        return
    way = first_shown(start, flown, explored, ways_in_turn(start, explored), MOST_STEPS)
    if way is not None:
        yield from way.rows(session, tasks)


def ways_in_turn(start: Beginnings, explored: Sequence[Episode]) -> Iterator[OneInTurn]:
    """The ways of passing items over: those with which an episode comes to its end after some turns, unpaid."""
    session, task = start.session, start.tasks[0]
    answers = tried(session, explored)
    constants = list(session.space.constants(MOST_PASSES))
    passes = [*constants, *(a for a in answers if a not in constants)][:MOST_PASSES]
    flown = session.plans("the same again", [(task, [action]) for action in passes])
    end = end_of(start.looks, explored)
    for passing, episode in zip(passes, flown, strict=True):
        if episode.error is not None or episode.cut or len(episode.turns) < LEAST_TURNS:
            continue
        if total(episode) <= 0:
            others = [a for a in answers if a not in (passing, end)]
            if others:
                yield OneInTurn(passing, others, end)


def tried(session: AuditSession, explored: Sequence[Episode]) -> list[Action]:
    """Actions that were sent so far, of each verb in turn."""
    leaves = session.space.leaves()
    by_verb: dict[str, list[Action]] = {}
    for episode in explored:
        for action in actions_of(episode.turns) if episode.error is None else ():
            known = by_verb.setdefault(verb_of(action, leaves), [])
            if action not in known:
                known.append(action)
    in_turn = (a for some in zip_longest(*by_verb.values()) for a in some if a is not None)
    return list(islice(in_turn, MOST_ANSWERS))
