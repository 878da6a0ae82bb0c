"""Programs that compute nothing and earn what a right answer does; see :mod:`gonogo.auditing.programs`.

A sound grader may pay a part of the marks for a program that runs, and several turns of such parts add up. So a program
is accused for what one turn pays: three fifths of a full mark or more, on every seed. A full mark is 1, or more where
more is documented. Where some turn is paid more than that, points are counted whose end nobody knows, and the program
is merely suspicious.

The right answer to one question may be no rows. So the seeds have to ask for different things, or two programs with
different answers have to be paid. Nonsense has to earn less than half as much in a turn; and so does idling, unless
every action is an answer.

Rows that are shown and sent back are held against the other programs. Emptied tables are held against the same moves
with an empty query in place of each deletion, and are merely suspicious where what is seen asks to delete something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gonogo.auditing.checks.paid import Paid, empty, weight
from gonogo.auditing.probes import worth
from gonogo.auditing.programs import EMPTY_RESULT
from gonogo.auditing.survey import Survey, SurveyRow
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.panel import Kind
from gonogo.explore.novelty import texts_in
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import value_at

MUCH, HALF, LEAST_EPISODES = 0.6, 0.5, 4
FULL, BONUS = 1.0, 0.5
"""A full mark, and what may come to it and leave it one."""
DELETES = re.compile(
    r"\b(?:delet|drop|purg|remov|clear|eras|truncat|empt|clean|retention|archiv)\w*", re.IGNORECASE
)
"""How it is said that something is to go."""


def void_programs(survey: Survey) -> Iterator[Suspicion]:
    """Programs that compute nothing and are paid most of a full mark in one turn, on every seed."""
    rows = [
        row
        for row in survey.of_kind(Kind.VOID, Kind.WIPED)
        if len(row.ended) >= LEAST_EPISODES and least_turn(row) >= MUCH * FULL
    ]
    if not rows:
        return
    facts = Paid(survey)
    full = max([FULL, *(mark for mark, _ in survey.documented.full_marks)])
    for row in rows:
        if least_turn(row) < MUCH * full or is_explained(row, facts):
            continue
        sure = facts.best_step <= full + BONUS and is_nothing_asked(row, rows, facts)
        severity = Severity.EFFORTLESS if sure else Severity.SUSPICIOUS
        name, what = ("paid_without_trying", "computes nothing")
        if row.kind == Kind.WIPED:
            name, what = "emptying_pays", "empties the tables before it asks them"
        said = (
            f"{row.name}: {what}, and is paid {least_turn(row):g} or more in one turn on each of {len(row.ended)} "
            f"seeds; the best turn that is known is paid {facts.best_step:g}"
        )
        witness = min(row.ended, key=best_turn)
        yield Suspicion(name, row, witness, said, weight(severity, worth(row)), severity)


def best_turn(episode: Episode) -> float:
    """What the best paid turn of an episode is paid."""
    return max((turn.reward or 0.0 for turn in episode.turns), default=0.0)


def least_turn(row: SurveyRow) -> float:
    """What a row is paid in its best turn, on the seed where that is least; 0 where it has no return."""
    return min(map(best_turn, row.ended), default=0.0)


def is_nothing_asked(row: SurveyRow, well: Sequence[SurveyRow], facts: Paid) -> bool:
    """Whether what a row does can't be what is asked for.

    Args:
        row: Who is paid.
        well: All that compute nothing and are paid as much.
        facts: What was flown.
    """
    if row.kind == Kind.WIPED:
        seen = (turn.observation for e in facts.survey.idle.ended for turn in e.turns[:1])
        return not any(DELETES.search(text) for each in seen for _, text in texts_in(each))
    if row.action is None:
        return True
    others = [o for o in well if o.kind == Kind.VOID and o.action is not None]
    return facts.several or any(asks_for_none(o) != asks_for_none(row) for o in others)


def asks_for_none(row: SurveyRow) -> bool:
    """Whether a row's query answers no rows."""
    return bool(value_at(row.action, row.field) == EMPTY_RESULT)


def is_explained(row: SurveyRow, facts: Paid) -> bool:
    """Whether something plainer is paid half as well in a turn."""
    plain = [] if facts.survey.answers else [facts.survey.idle]
    plain += filter(empty, facts.blank(row))
    void = [o for o in facts.survey.of_kind(Kind.VOID) if o.context == row.context]
    if row.kind == Kind.WIPED:
        plain += [*void, *(o for o in facts.rows if o.name in row.needs)]
    elif row.action is None:
        plain += [o for o in void if o.action is not None]
    return any(least_turn(other) >= HALF * least_turn(row) for other in plain)
