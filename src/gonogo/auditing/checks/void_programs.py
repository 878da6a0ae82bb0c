"""Programs that compute nothing and earn what a right answer does; see :mod:`gonogo.exploits.programs`.

A query that runs may be worth a part of the marks in a sound environment, and so may an empty function. So a program is
accused where it earns half of a full mark or more on every seed, and half of the best that is known; and where nonsense
and idling earn far less, if an action may be anything else than a program. No rows may be the right answer to one
question: so either the seeds have to ask for different things, or two programs that answer differently have to be paid.
Whoever empties the tables first is accused where the same query earns far less before, and who sends the rows that are
shown where no other query without a table does.
"""

from __future__ import annotations

from collections.abc import Iterator

from gonogo.auditing.checks.paid import LEAST_GRADE, Paid, weight
from gonogo.auditing.probes import worth
from gonogo.auditing.survey import Survey, SurveyRow, total
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity

HALF, LEAST_EPISODES = 0.5, 4
FULL, BONUS = 1.0, 0.5
"""A full mark, and what may come to it and leave it one."""


def void_programs(survey: Survey) -> Iterator[Suspicion]:
    """Programs that compute nothing and earn half of all there is, or more, on every seed."""
    rows = survey.of_kind(Kind.VOID, Kind.WIPED)
    facts = Paid(survey)
    if not rows or facts.best < LEAST_GRADE:
        return
    full = FULL if facts.most <= FULL + BONUS else 0.0
    enough = HALF * max(full, facts.best)
    well = [
        r for r in rows if len(r.ended) >= LEAST_EPISODES and min(map(total, r.ended)) >= enough
    ]
    for row in well:
        if is_explained(row, facts):
            continue
        least = min(map(total, row.ended))
        constant = row.kind == Kind.VOID and row.action is not None
        others = [o for o in well if o.kind == Kind.VOID and o.action not in (None, row.action)]
        sure = not constant or facts.several or bool(others)
        severity = Severity.EFFORTLESS if sure else Severity.SUSPICIOUS
        name = "emptying_pays" if row.kind == Kind.WIPED else "paid_without_trying"
        said = (
            f"{row.name}: computes nothing, and earns {least:g} or more on each of {len(row.ended)} seeds, where the "
            f"best that is known is {facts.best:g}"
        )
        witness = min(row.ended, key=total)
        yield Suspicion(name, row, witness, said, weight(severity, worth(row)), severity)


def is_explained(row: SurveyRow, facts: Paid) -> bool:
    """Whether something plainer earns half as well: idling, nonsense in the same field, of what empties a program.

    Where each action is a program and nothing else, idling and nonsense are no more than worse ones.
    """
    void = facts.survey.of_kind(Kind.VOID)
    if row.kind == Kind.WIPED:
        plain = [facts.survey.idle, *void]
    elif all(other.context is None for other in void):
        plain = []
    else:
        plain = [facts.survey.idle, *facts.blank(row)]
    return any(other.ended and worth(other) >= HALF * worth(row) for other in plain)
