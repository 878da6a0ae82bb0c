"""Texts that name everything, with fewer of their words: where a word too many costs, some of them earn more.

Who names everything and is paid half of what is known may have been paid fairly: by a grader that counts what is right
among all that is said, a wrong word costs as a missing one does. There some of the words earn more than all of them.
Where they never do, a word costs nothing, and to name everything is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count

from gonogo.auditing.checks.paid import ALIKE
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, seed_of, total
from gonogo.exploits.panel import Kind
from gonogo.exploits.witness import actions_of
from gonogo.wire import Action, JsonValue, TaskOptions

FEWER = "fewer words"
NAMES_ALL = frozenset({Kind.WORDS, Kind.SHOTGUN})
"""Kinds of habits that name many things at once."""
LEAST_WORDS = 4
KEPT = ((2, 0), (2, 1), (4, 0), (4, 2))
"""One word in so many stays, and which one of them."""
ITEM = re.compile(r""", (?:[^,\[\]{}:"\n]+|"[^"\n]*")(?=,)""")
"""One of several that stand between commas; neither the first nor the last, beside which a form may stand."""
WORD = re.compile(r"\s\S+(?=\s)")


def thinned(value: JsonValue, every: int, place: int) -> JsonValue:
    """A value with fewer words in each text in it, and fewer texts in each list.

    Args:
        value: An action, or a part of it.
        every: One word in so many stays.
        place: Which one of them.
    """
    if isinstance(value, dict):
        return {name: thinned(held, every, place) for name, held in value.items()}
    if isinstance(value, list):
        return value[place::every] if len(value) >= LEAST_WORDS else value
    if not isinstance(value, str):
        return value
    part = next((p for p in (ITEM, WORD) if len(p.findall(value)) >= LEAST_WORDS - 2), None)
    if part is None:
        return value
    places = count()
    return part.sub(lambda found: found[0] if next(places) % every == place else "", value)


def fewer_words(
    session: AuditSession, flown: Survey, suspected: Iterable[SurveyRow]
) -> list[SurveyRow]:
    """Rows with fewer words of what names everything, is suspected of being paid for it, and was not flown so before.

    Args:
        session: Where.
        flown: The survey.
        suspected: Rows that are suspected of something.
    """
    known = {row.about for row in flown.of_kind(FEWER)}
    new = [r for r in suspected if r.kind in NAMES_ALL and r.name not in known]
    return [some_of(session, row, *kept) for row in new for kept in KEPT]


def some_of(session: AuditSession, row: SurveyRow, every: int, place: int) -> SurveyRow:
    """The episodes of a row with fewer words.

    Args:
        session: Where.
        row: Who names everything.
        every: One word in so many stays.
        place: Which one of them.
    """

    def again(session: AuditSession, _: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        known = flown.named(row.name) or replace(row, episodes=[])
        return some_of(session, known, every, place)

    sent = [(e.task, actions_of(e.turns)) for e in row.ended]
    plans = [(task, [less(a, every, place) for a in plan]) for task, plan in sent if plan]
    name = f"{row.name}, with one word in {every}, from word {place + 1} on"
    episodes = session.plans(name, plans) if plans else []
    made = SurveyRow(name, FEWER, episodes, row.field, context=row.context, about=row.name)
    return replace(made, again=again, needs=(row.name,))


def less(action: Action, every: int, place: int) -> Action:
    """An action with fewer words."""
    return {name: thinned(value, every, place) for name, value in action.items()}


def never_cost(row: SurveyRow, survey: Survey) -> bool:
    """Whether a row was flown with fewer words in each way, and none earns more than all of them on any seed."""
    whole = {seed_of(e.task): total(e) for e in row.ended}
    fewer = [r for r in survey.of_kind(FEWER) if r.about == row.name and r.ended]
    return len(fewer) == len(KEPT) and all(
        total(e) <= whole.get(seed_of(e.task), total(e)) + ALIKE for r in fewer for e in r.ended
    )
