"""What is paid whatever is done: the same everywhere, what the task alone decides, or what any text in a field is paid.

A game whose prize nobody found pays every try alike, mostly nothing. That is no fault, and so merely suspicious. Where
one task pays each try a third of a mark and another one two thirds, it is the task that is graded, and no answer: of a
few choices all were tried, but of texts and numbers the one that is paid otherwise may be left.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean

from gonogo.auditing.checks.paid import (
    ALIKE,
    EMPTY,
    LEAST_GRADE,
    LITTLE,
    NEARLY,
    Paid,
    masked,
    weight,
)
from gonogo.auditing.probes import worth
from gonogo.auditing.survey import SurveyRow, seed_of, total
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import value_at

LEAST_ROWS, LEAST_TEXTS = 6, 4
HALF = 0.5
"""Share of the actions that are refused, above which nothing was tried."""
LEAST_TASKS, LEAST_SENT = 2, 3
"""Tasks that pay differently, and different first actions that were sent in each of them."""
SHOWN = (Kind.IDLE, Kind.CONSTANT)
"""Kinds of rows of which is known what was seen."""


def refused_share(facts: Paid) -> float:
    """The share of refused actions in the mean of the episodes."""
    episodes = [e for row in facts.rows for e in row.ended if e.turns]
    if not episodes:
        return 1.0
    return fmean(fmean(t.invalid is not None for t in e.turns) for e in episodes)


def nothing_to_win(facts: Paid) -> Iterator[Suspicion]:
    """All that was flown earns the same, although what is done changes what is seen, or nothing ever does."""
    returns = [total(e) for row in facts.rows for e in row.ended]
    same = len(facts.rows) >= LEAST_ROWS and max(returns) - min(returns) < ALIKE
    if not same or refused_share(facts) > HALF:
        return
    # Of texts and of numbers without bounds no number of tries is all of them: one that wins may be left. What they all
    # earn is then no more than the least that there is: nothing, a cost, or the floor of a score.
    if returns[0] < LEAST_GRADE and facts.survey.of_kind(Kind.NONSENSE, Kind.EXTREME):
        return
    random = next(iter(facts.survey.of_kind(Kind.RANDOM)), facts.survey.idle)
    if not random.ended or not any(map(facts.moved, facts.rows)):
        return
    said = (
        f"each of {len(returns)} episodes of the {len(facts.rows)} policies that were flown earns {returns[0]:g}: "
        "their actions made no difference; other actions may"
    )
    yield Suspicion("nothing_to_win", random, random.ended[0], said, 0.0, Severity.SUSPICIOUS)


def paid_by_the_task(facts: Paid) -> Iterator[Suspicion]:
    """Each task pays all policies the same, and one task pays otherwise than another.

    A task is known by what its reset shows, whatever its seed: a seed may mean nothing.
    """
    idle = facts.survey.idle
    if len(facts.rows) < LEAST_ROWS or not idle.ended or refused_share(facts) > HALF:
        return
    paid: dict[str, list[float]] = defaultdict(list)
    sent: dict[str, set[str]] = defaultdict(set)
    seeds: dict[str, list[float]] = defaultdict(list)
    for episode in (e for row in facts.survey.of_kind(*SHOWN) for e in row.ended if e.turns):
        task = masked(episode.turns[0].observation)
        seeds[seed_of(episode.task)].append(total(episode))
        paid[task].append(total(episode))
        sent[task].add(first_sent(episode))
    marks = sorted(sum(each) / len(each) for each in paid.values())
    alike = all(max(each) - min(each) < ALIKE for each in paid.values())
    tried = all(len(each) >= LEAST_SENT for each in sent.values())
    if len(marks) < LEAST_TASKS or not alike or not tried or marks[0] <= 0:
        return
    if marks[-1] - marks[0] < LEAST_GRADE or not all(
        any(abs(total(e) - mark) < ALIKE for mark in marks_of(e, marks, seeds))
        for row in facts.rows
        for e in row.ended
    ):
        return
    said = (
        f"each of {len(facts.rows)} policies earns what idling does in the same task, from {marks[0]:g} to "
        f"{marks[-1]:g}: the task decides, and nothing that is sent"
    )
    left = facts.survey.of_kind(Kind.NONSENSE, Kind.EXTREME)
    severity = Severity.SUSPICIOUS if left else Severity.EFFORTLESS
    witness = min(idle.ended, key=total)
    yield Suspicion(
        "paid_without_trying", idle, witness, said, weight(severity, worth(idle)) + 1, severity
    )


def marks_of(
    episode: Episode, marks: Sequence[float], seeds: Mapping[str, Sequence[float]]
) -> Sequence[float]:
    """The marks that an episode may earn: its seed's, where all of that earn the same; else any task's.

    Args:
        episode: Of a policy of which is not known what it saw.
        marks: What the tasks pay.
        seeds: What others earned on each seed.
    """
    same = seeds.get(seed_of(episode.task), ())
    alike = len(same) > 1 and max(same) - min(same) < ALIKE
    return same[:1] if alike else marks


def first_sent(episode: Episode) -> str:
    """The first action of an episode, as a key."""
    return json.dumps(episode.turns[0].action, sort_keys=True)


def content_ignored(facts: Paid) -> Iterator[Suspicion]:
    """Texts that say different things in one field, or nothing, and are all paid the same, more than idling.

    Only where nobody is known to earn more: else what all of them get may be one part of the reward, and the content
    decide another, for none of them says anything right. And only where no other text in the same field is paid
    otherwise: else the field is read, and what all of them get is for what it does not know. It is suspicious where it
    is less than a grade, which may be a token for taking part, or where the seeds do not differ.
    """
    texts: dict[str, list[SurveyRow]] = {}
    for row in facts.rows:
        says = row.action is not None and row.kind in EMPTY | {Kind.SHOTGUN} - {Kind.IDLE}
        if says and row.field is not None:
            texts.setdefault(f"{row.field} {row.context}", []).append(row)
    for rows in texts.values():
        returns = [total(e) for row in rows for e in row.ended]
        pay, idle = fmean(returns), worth(facts.survey.idle)
        blank = next((row for row in rows if row.kind == Kind.NONSENSE), None)
        if len(rows) < LEAST_TEXTS or blank is None or pay <= max(0.0, idle + LITTLE * abs(pay)):
            continue
        if max(returns) - min(returns) > (1 - NEARLY) * pay:
            continue
        if pay < NEARLY * facts.best or any(map(partial(matters, pay, rows[0]), facts.rows)):
            continue
        sure = facts.best >= LEAST_GRADE and facts.several
        severity = Severity.EFFORTLESS if sure else Severity.SUSPICIOUS
        said = (
            f"{blank.name}: nonsense, nothing, a claim and lists of everything in {blank.field} all earn {pay:g}, "
            "and nobody is known to earn more"
        )
        witness = max(blank.ended, key=total)
        yield Suspicion("content_ignored", blank, witness, said, weight(severity, pay), severity)


def matters(pay: float, row: SurveyRow, other: SurveyRow) -> bool:
    """Whether a text that means something is paid otherwise than some that say nothing.

    Args:
        pay: What those are paid.
        row: One of them.
        other: The text that may mean something.
    """
    same = (other.field, other.context) == (row.field, row.context)
    says = other.kind == Kind.CONSTANT and isinstance(value_at(other.action, other.field), str)
    return same and says and abs(worth(other) - pay) > (1 - NEARLY) * pay
