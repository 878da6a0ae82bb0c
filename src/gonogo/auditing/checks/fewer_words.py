"""Texts that name everything, with one of their words left out: where a word too many costs, some of these earn more.

Who names everything and is paid half of what is known may have been paid fairly: by a grader that counts what is right
among all that is said, a wrong word costs as a missing one does. There the text without a wrong word earns more. Where
no word that is left out raises the pay, to name everything is no answer. But where most words are missed, all that is
seen is what was asked for, as in a dictation or a roll that is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial

from gonogo.auditing.checks.paid import ALIKE
from gonogo.auditing.probes import changed_row
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, seed_of, total
from gonogo.exploits.panel import Kind
from gonogo.wire import Action, JsonValue

FEWER = "fewer words"
NAMES_ALL = frozenset({Kind.WORDS, Kind.SHOTGUN})
"""Kinds of habits that name many things at once."""
LEAST_WORDS = 4
LEFT_OUT = 8
"""Words that are left out, one at a time, from all over the text."""
NEEDED = 0.5
"""Share of the words from which on they are what is asked for, and no heap in which an answer is hidden."""
ITEM = re.compile(r""", (?:[^,\[\]{}:"\n]+|"[^"\n]*")(?=,)""")
"""One of several that stand between commas; neither the first nor the last, beside which a form may stand."""
WORD = re.compile(r"\s\S+(?=\s)")


def thinned(value: JsonValue, part: int) -> JsonValue:
    """A value with one word less in each text in it, and one text less in each list.

    Args:
        value: An action, or a part of it.
        part: Which part of the text the word is in, of as many as words are left out.
    """
    if isinstance(value, dict):
        return {name: thinned(held, part) for name, held in value.items()}
    if isinstance(value, list):
        out = place(len(value), part)
        return [each for n, each in enumerate(value) if n != out or len(value) < LEAST_WORDS]
    if not isinstance(value, str):
        return value
    kind = next((p for p in (ITEM, WORD) if len(p.findall(value)) >= LEAST_WORDS - 2), None)
    if kind is None:
        return value
    found = list(kind.finditer(value))
    start, end = found[place(len(found), part)].span()
    return value[:start] + value[end:]


def place(size: int, part: int) -> int:
    """Which of so many words is left out."""
    return part * size // LEFT_OUT


def fewer_words(
    session: AuditSession, flown: Survey, suspected: Iterable[SurveyRow]
) -> list[SurveyRow]:
    """Rows with a word less of what names everything, is suspected of being paid for it, and was not flown so before.

    Args:
        session: Where.
        flown: The survey.
        suspected: Rows that are suspected of something.
    """
    known = {row.about for row in flown.of_kind(FEWER)}
    new = [r for r in suspected if r.kind in NAMES_ALL and r.name not in known]
    return [without_one(session, row, part) for row in new for part in range(LEFT_OUT)]


def without_one(session: AuditSession, row: SurveyRow, part: int) -> SurveyRow:
    """The episodes of a row with one word left out.

    Args:
        session: Where.
        row: Who names everything.
        part: Which part of the text the word is in.
    """
    name = f"{row.name}, with a word left out in part {part + 1} of {LEFT_OUT}"
    return changed_row(session, row, FEWER, name, partial(less, part=part))


def less(actions: Sequence[Action], part: int) -> list[Action]:
    """Actions with one word less in each."""
    return [{name: thinned(value, part) for name, value in each.items()} for each in actions]


def are_needed(row: SurveyRow, survey: Survey) -> bool:
    """Whether a row was flown with each word left out, and half of these earn less on some seed: most are asked for."""
    whole = {seed_of(e.task): total(e) for e in row.ended}
    fewer = [r for r in survey.of_kind(FEWER) if r.about == row.name and r.ended]
    missed = [
        any(total(e) < whole.get(seed_of(e.task), total(e)) - ALIKE for e in r.ended) for r in fewer
    ]
    return len(fewer) == LEFT_OUT and sum(missed) >= NEEDED * LEFT_OUT


def never_cost(row: SurveyRow, survey: Survey) -> bool:
    """Whether a row was flown with each word left out, and none of these earns more on any seed."""
    whole = {seed_of(e.task): total(e) for e in row.ended}
    fewer = [r for r in survey.of_kind(FEWER) if r.about == row.name and r.ended]
    return len(fewer) == LEFT_OUT and all(
        total(e) <= whole.get(seed_of(e.task), total(e)) + ALIKE for r in fewer for e in r.ended
    )
