"""The policy that is to succeed on many more seeds, where an episode is short: what its answer is paid there.

A scorer of answers may be wrong about a few answers only: those without a real part, with ten numbers, of one row. The
seeds that every policy flies have a handful of answers, and a short episode costs next to nothing: so the policy that
is meant to succeed answers many more questions. An answer that succeeds there, and earns less than half of what one
usually does, is flown beside the answer to another question, which fails: a failure may earn as much. An error is one
that a right answer meets.

Of these episodes only a row that shows something is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import (
    REFERENCE,
    PlannedFlight,
    Survey,
    SurveyRow,
    best_by_seed,
    seed_of,
    total,
)
from gonogo.exploits.witness import actions_of
from gonogo.rollouts.episodes import Episode
from gonogo.wire import TaskOptions

FURTHER, WRONG = "further", "wrong"
"""Kinds of the rows: of a policy that is to succeed on further seeds, and of the answers to other questions there."""
QUESTIONS = 48
SPENT = 150
"""Steps and resets that the answers may take, over all policies that are meant to succeed."""
LEAST_QUESTIONS = 12
"""Where fewer could be asked, none is: a handful is no more than what every policy flies."""
HALF = 0.5
"""Share of what an answer usually earns, from which on a lesser one is partly paid and not refused."""
FROM = 0.75
"""Share of the questions that have to be paid as usual, for the others to stand out."""
MOST_ODD, OTHERS = 4, 3
"""Questions that are looked into, and answers to other questions that are sent to each."""


def questions_of(flown: Survey) -> int:
    """How many questions the policies that are meant to succeed can be asked; 0 where an episode is too long.

    Args:
        flown: The survey.
    """
    guides = [row for row in flown.of_kind(REFERENCE) if row.succeeds]
    seeds = {seed_of(e.task) for row in guides for e in row.episodes}
    if not guides or len(seeds) < len(guides[0].episodes):
        return 0
    costs = sum(1 + max(len(e.turns) for e in row.episodes) for row in guides)
    number = min(QUESTIONS, SPENT // costs)
    return number if number >= LEAST_QUESTIONS else 0


def question_rows(
    session: AuditSession, flown: Survey, tasks: Sequence[TaskOptions]
) -> Iterator[SurveyRow]:
    """Fly the policies that are meant to succeed on further seeds, and yield the rows that show something.

    Args:
        session: Where.
        flown: The survey, which holds their rows.
        tasks: The further seeds.
    """
    guides = [row.name for row in flown.of_kind(REFERENCE) if row.succeeds]
    session.part.expect(len(guides))
    for guide in guides:
        told = MoreAnswers(session.reference(guide, tasks))
        if told.odd:
            yield SurveyRow(f"{guide} on more seeds", FURTHER, told.episodes)
        if plans := told.wrong():
            name = "the answer to another seed, on more seeds"
            turns = max(len(plan) for _, plan in plans)
            yield SurveyRow(name, WRONG, session.plans(name, plans, turns=turns))


@dataclass(frozen=True, slots=True)
class MoreAnswers:
    """What one policy that is meant to succeed did on many seeds.

    Attributes:
        episodes: A seed each.
    """

    episodes: list[Episode]

    @property
    def usual(self) -> float | None:
        """What a success earns; None where that is nothing, or most do not earn so much."""
        earned = [total(e) for e in self.episodes if e.success is True]
        most = median(earned) if earned else 0.0
        paid = sum(each > HALF * most for each in earned)
        return most if most > 0 and paid >= FROM * len(self.episodes) else None

    @property
    def unpaid(self) -> list[Episode]:
        """The successes that earn least, and less than half of what one usually does."""
        if self.usual is None:
            return []
        good = [e for e in self.episodes if e.success is True]
        poor = [e for e in good if total(e) <= HALF * self.usual]
        return sorted(poor, key=total)[:MOST_ODD]

    @property
    def odd(self) -> bool:
        """Whether some success is hardly paid, or something was raised at an answer."""
        raised = any(turn.erred for e in self.episodes for turn in e.turns)
        return raised or bool(self.unpaid)

    def wrong(self) -> list[PlannedFlight]:
        """To each question whose right answer is hardly paid the answers to a few others, which are paid as usual."""
        poor = {seed_of(e.task) for e in self.unpaid}
        best = best_by_seed(e for e in self.episodes if e.success is True)
        others = [actions_of(e.turns) for seed, e in best.items() if seed not in poor]
        found = []
        for odd in self.unpaid:
            mine = actions_of(odd.turns)
            apart = [plan for plan in others if plan != mine and len(plan) <= len(mine)]
            found += [(odd.task, plan) for plan in apart[:OTHERS]]
        return found
