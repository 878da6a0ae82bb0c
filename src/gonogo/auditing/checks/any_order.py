"""A question that is sent back as its answer, with its words in another order.

To copy what is seen may be the work, as in a dictation. There the order of the words matters. Where the copy of a text
is a full mark on every seed, its words in another order are as well, and nobody else comes near, a grader looks for
words which the question holds itself: whoever says it again need not answer it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from gonogo.auditing.checks.emptied import FULL
from gonogo.auditing.checks.paid import NEARLY, Paid
from gonogo.auditing.probes import worth
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import TURNED, Survey, SurveyRow, total
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.panel import Kind
from gonogo.exploits.witness import actions_of
from gonogo.records.findings import Severity
from gonogo.rollouts.space import value_at
from gonogo.wire import Action, JsonValue, TaskOptions

LEAST_WORDS = 6
"""Words of a text in which an order is heard; fewer may be a name."""
LEAST_EPISODES = 4
FAR_LESS = 0.5
"""Share of the copy's pay that nobody else may earn."""


def turned(value: JsonValue) -> JsonValue:
    """An action, or a part of it, with the words of each longer text in an order of their own."""
    if isinstance(value, dict):
        return {name: turned(held) for name, held in value.items()}
    if isinstance(value, list):
        return [turned(held) for held in value]
    if not isinstance(value, str) or len(value.split()) < LEAST_WORDS:
        return value
    return " ".join(sorted(value.split(), key=str.lower, reverse=True))


def turned_rows(session: AuditSession, flown: Survey) -> list[SurveyRow]:
    """Of each copy that earns a full mark the same with its words in another order; none that was flown before.

    Args:
        session: Where.
        flown: The survey.
    """
    known = {row.about for row in flown.of_kind(TURNED)}
    return [turned_row(session, row) for row in full_copies(flown) if row.name not in known]


def turned_row(session: AuditSession, row: SurveyRow) -> SurveyRow:
    """The episodes of a copy with its words in another order.

    Args:
        session: Where.
        row: The copy.
    """

    def again(session: AuditSession, _: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        return turned_row(session, flown.named(row.name) or replace(row, episodes=[]))

    sent = [(e.task, actions_of(e.turns)) for e in row.ended]
    plans = [(task, [whole(action) for action in plan]) for task, plan in sent if plan]
    name = f"{row.name}, its words in another order"
    episodes = session.plans(name, plans)
    made = SurveyRow(name, TURNED, episodes, row.field, context=row.context, about=row.name)
    return replace(made, again=again, needs=(row.name,))


def whole(action: Action) -> Action:
    """An action with its words in another order."""
    return {name: turned(value) for name, value in action.items()}


def full_copies(flown: Survey) -> Iterator[SurveyRow]:
    """Copies of longer texts that earn a full mark on every seed, where nobody else earns half of it."""
    facts = Paid(flown)
    copies = [row for row in facts.rows if row.kind == Kind.ECHO and is_full(row)]
    others = [r for r in facts.rows if r.kind != Kind.ECHO and worth(r) >= FAR_LESS * FULL]
    yield from (row for row in copies if not others and copies_texts(row))


def is_full(row: SurveyRow) -> bool:
    """Whether a row earns a full mark on each of enough seeds."""
    pays = [total(e) for e in row.ended]
    return len(pays) >= LEAST_EPISODES and all(abs(p - FULL) <= 1 - NEARLY for p in pays)


def copies_texts(row: SurveyRow) -> bool:
    """Whether most of what a row sends in its field are longer texts."""
    sent = [value_at(turn.action, row.field) for e in row.ended for turn in e.turns]
    longer = [isinstance(each, str) and len(each.split()) >= LEAST_WORDS for each in sent]
    return bool(longer) and fmean(longer) > FAR_LESS


def any_order(survey: Survey) -> Iterator[Suspicion]:
    """Copies that are a full mark in whatever order their words stand.

    Args:
        survey: What was flown, with the rows of :func:`turned_rows`.
    """
    for row in full_copies(survey):
        other = next((r for r in survey.of_kind(TURNED) if r.about == row.name), None)
        if other is None or not is_full(other):
            continue
        said = (
            f"{row.name}: earns a full mark on each of {len(row.ended)} seeds, and so do its words in another order, "
            "where nobody else earns half of it: to say again what was asked is paid like an answer"
        )
        witness = min(row.ended, key=total)
        yield Suspicion("observation_echo_pays", row, witness, said, 1.0, Severity.EFFORTLESS)
