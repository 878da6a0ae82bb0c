"""Success that costs nothing: who does not try succeeds on most tasks, and is paid there as well as anybody.

Idling, chance and nonsense can be right only where anything is. So can a form with nothing in it, if another filling
succeeds as well that has nothing in common with it: one alone may name the right number or choice. One valid action for
ever may simply be the right one: where there is but one task, or where the tasks differ in nothing that is asked for.
So it is accused only where what is shown differs from seed to seed, where its success is worth something, and where
some end is no success and is paid less: a flag that each deliberate end sets, or each step that was understood, says
nothing of the task.

How often is often enough is asked twice. Nearly always is enough by itself. From half of the tasks on it is enough
where chance succeeds for certain less often: the tasks are lopsided then. Chance is what is drawn, and what another
constant of the same field, or one that differs in one field, is right at where this one is not: of a question with few
fair answers each is right as often as any other.

A copy of what is seen may be what the task asks for. It is no effort where it is the first step of all and ends the
episode, while the action has other choices: whatever those are for, nobody needs it. A copy of what is the same on
all seeds is a constant.

To be paid as well as anybody says nothing where nobody else is known. So a constant that may be right is accused only
where it earns what others do who try and succeed, on the same seeds; or where it succeeds on each of many.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from statistics import fmean

from gonogo.auditing.checks.emptied import besides, wiped
from gonogo.auditing.checks.paid import LEAST_GRADE, MOSTLY, shown_differently
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.probes import worth
from gonogo.auditing.survey import (
    COMPARED,
    EXPLORED,
    REFERENCE,
    SEARCHED,
    EpisodeKeys,
    Scale,
    Survey,
    SurveyRow,
    seed_of,
    total,
)
from gonogo.auditing.suspicions import NOT_TRYING, Suspicion
from gonogo.exploits.panel import Kind
from gonogo.exploits.witness import actions_of
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import value_at
from gonogo.statistics import wilson

CARELESS = frozenset({
    Kind.IDLE, Kind.RANDOM, Kind.HELD, Kind.MALFORMED, Kind.NONSENSE, Kind.CLAIM, Kind.LENGTH, Kind.NAN,
    Kind.EXTREME, Kind.WORDS, Kind.FORM,
})  # fmt: skip
"""Kinds of habits that can be right only where anything is."""
WELL = 0.5
"""Share of the best from which on a valid constant's success is well paid; any other's has to be paid as the best."""
OFTEN = 0.5
"""Share of the tasks from which on a success is no luck of few, or of one choice of two."""
LEAST_OFTEN = 16
"""Episodes from which on a share of them is believed."""
LEAST_SEEDS = 12
"""Different seeds, the fresh ones included, on all of which what nobody else is known to do has to succeed: a constant
that is right in nine tasks of ten is right on so many in three of ten."""
FREE_SUCCESS = "success_costs_nothing"


def free_successes(survey: Survey, only: str | None = None) -> Iterator[Suspicion]:
    """Habits that do not try, succeed on most seeds, and earn there what the best does.

    Args:
        survey: What was flown.
        only: Name of the one row that is asked; None for all of them.
    """
    scale, differ = Scale(survey), shown_differently(survey)
    # An order of moves may be the right one; and who does what is shown may well do all that is asked for.
    trying = {Kind.CYCLE, Kind.OBEY} if survey.assumed else {Kind.CYCLE}
    for row in survey.of_kind(*NOT_TRYING - trying):
        if only not in (None, row.name):
            continue
        told = told_of(row)
        if not row.succeeded or not (nearly_always(told) or more_than_chance(row, told, survey)):
            continue
        if row.kind == Kind.SWEEP and not wiped(row, survey):
            continue
        copied = row.kind == Kind.ECHO and not row.at_once
        if row is not survey.idle and (same_plan(row, survey.idle) or copied):
            continue
        pay = fmean(map(total, row.succeeded))
        best = fmean(scale.best(e) or 0.0 for e in row.succeeded)
        if survey.assumed:  # whoever is paid best may be who succeeds
            best = max([best, *(worth(r) for r in survey.rows if r.ended)])
        as_well = pay >= best - (1 - MOSTLY) * abs(best)
        if survey.assumed and (pay <= 0 or not as_well):
            continue
        plain = row.kind == Kind.BLANK or row.at_once or wiped(row, survey) or says_one_thing(row)
        valid = plain and differ and pay >= LEAST_GRADE and denied(survey, pay)
        filled = otherwise_filled(row, survey)
        careless = row.kind in CARELESS and nearly_always(told)
        # A number without bounds beside each thing in turn may be a limit that nobody needs, and the work be done.
        careless = careless and (row.kind != Kind.EXTREME or row.action is not None)
        careless = careless and (row.kind != Kind.FORM or filled is not None)
        if not as_well and not (valid and pay >= WELL * best):
            continue
        beside = earns_beside(row, survey, scale.keys)
        proves = valid and (beside or (beside is None and succeeds_everywhere(row)))
        blocks = as_well and (careless or proves) and not survey.doubtful
        severity = Severity.EFFORTLESS if blocks else Severity.SUSPICIOUS
        said = (
            f"{row.name}: succeeds in {sum(told)} of {len(told)} episodes, and is paid {pay:g} where the best is "
            f"{best:g}"
        )
        if filled is not None:
            said += (
                f"; so does the same form filled otherwise, {value_at(filled.action, row.field)}"
            )
        said += besides(row)
        # What blocks comes before what does not, whoever shows it.
        weight = fmean(told) + (1.0 if row.kind in CARELESS else 0.0) + (3.0 if blocks else 0.0)
        witness = max(row.succeeded, key=total)
        least = 0 if careless or beside else LEAST_SEEDS
        yield Suspicion(FREE_SUCCESS, row, witness, said, weight, severity, True, least)


def says_one_thing(row: SurveyRow) -> bool:
    """Whether a row sends one action on all seeds, as what copies a part of what is seen that never differs does."""
    sent = {repr(action) for e in row.ended for action in actions_of(e.turns)}
    return row.action is not None or (len(row.ended) > 1 and len(sent) == 1)


def otherwise_filled(row: SurveyRow, survey: Survey) -> SurveyRow | None:
    """The row of the same form with no value in common, which succeeds nearly always, too; None where there is none."""
    others = survey.of_kind(Kind.FORM) if row.kind == Kind.FORM else []
    beside = (o for o in others if (o.field, o.context) == (row.field, row.context))
    return next((o for o in beside if unlike(row, o) and nearly_always(told_of(o))), None)


def told_of(row: SurveyRow) -> list[bool]:
    """Of each episode of which it is known, whether it succeeded."""
    return [e.success is True for e in row.ended if e.success is not None]


def unlike(one: SurveyRow, other: SurveyRow) -> bool:
    """Whether two texts of the same form differ in each of its values."""
    texts = [str(value_at(row.action, row.field)) for row in (one, other)]
    try:
        first: dict[str, object] = json.loads(texts[0])
        second: dict[str, object] = json.loads(texts[1])
    except ValueError:  # tags
        return texts[0] != texts[1]
    return first.keys() == second.keys() and all(first[key] != second[key] for key in first)


def early_successes(survey: Survey, explored: Sequence[Episode]) -> Iterator[Suspicion]:
    """Free successes that block by what is known before the panel was flown.

    Args:
        survey: What was flown so far.
        explored: What exploration flew: a success there that is paid more may be a better one.
    """
    known = [total(e) for e in explored if e.success is True and e.episode_return is not None]
    for found in free_successes(survey):
        well = total(found.witness) >= MOSTLY * max(known, default=0.0)
        if found.severity is Severity.EFFORTLESS and well:
            yield found


def blocks_still(survey: Survey, name: str) -> bool:
    """Whether a row's free success blocks by all that was flown in the end.

    Args:
        survey: It.
        name: The row's.
    """
    return any(s.severity is Severity.EFFORTLESS for s in free_successes(survey, name))


def as_in_the_end(proof: Confirmed, flown: Survey) -> Confirmed:
    """A proof as it weighs by all that was flown: a free success that no longer blocks is suspicious.

    Args:
        proof: It.
        flown: The survey, in the end.
    """
    if proof.suspected != FREE_SUCCESS or blocks_still(flown, proof.policy):
        return proof
    return proof.weighing(Severity.SUSPICIOUS)


def earns_beside(row: SurveyRow, survey: Survey, keys: EpisodeKeys) -> bool | None:
    """Whether a row earns what those do who try and succeed, on the same seeds; None where nobody else is known to.

    Its own failures count there, too; and who sends the same is nobody else.

    Args:
        row: It.
        survey: What was flown.
        keys: What tells the same episode in two rows.
    """
    mine = {keys.of(e): e for e in row.ended}
    others = keys.best(
        e
        for other in survey.of_kind(REFERENCE, EXPLORED, SEARCHED, COMPARED)
        for e in other.succeeded
        if (own := mine.get(keys.of(e))) and actions_of(own.turns) != actions_of(e.turns)
    )
    if not others:
        return None
    best = fmean(map(total, others.values()))
    return fmean(total(mine[seed]) for seed in others) >= best - (1 - MOSTLY) * abs(best)


def succeeds_everywhere(row: SurveyRow) -> bool:
    """Whether every episode that was not lost is a success."""
    return all(e.success is True for e in row.ended)


def nearly_always(told: list[bool]) -> bool:
    """Whether more than half of all tasks succeed for certain."""
    return bool(told) and (wilson(told).ends or (0.0, 0.0))[0] >= OFTEN


def more_than_chance(row: SurveyRow, told: list[bool], survey: Survey) -> bool:
    """Whether one action succeeds on half of many tasks, and chance for certain less often.

    Chance is the random policy's, and that of any other constant that may be the answer as well.
    """
    drawn = [e.success is True for r in survey.of_kind(Kind.RANDOM) for e in r.ended]
    few = min(len(told), len(drawn)) < LEAST_OFTEN
    if few or row.action is None or fmean(told) < OFTEN:
        return False
    others = [other for other in survey.of_kind(*NOT_TRYING) if answers_instead(other, row)]
    above = (wilson(drawn).ends or (0.0, 1.0))[1] < fmean(told)
    return above and all(out_does(row, other) for other in others)


def answers_instead(other: SurveyRow, row: SurveyRow) -> bool:
    """Whether a row repeats another action than one does: of the same field, or one that differs in one field."""
    if other.action is None or row.action is None or same_plan(other, row):
        return False
    names = other.action.keys() | row.action.keys()
    changed = [name for name in names if other.action.get(name) != row.action.get(name)]
    return len(changed) == 1 or (row.field is not None and other.field == row.field)


def out_does(row: SurveyRow, other: SurveyRow) -> bool:
    """Whether, of the seeds on which one of two rows alone succeeds, most are for certain the first one's.

    Where both succeed on the same seeds, what differs between them does not matter, and both are one answer.
    """
    theirs = {seed_of(e.task): e.success for e in other.ended}
    both = [(e.success, theirs.get(seed_of(e.task))) for e in row.ended]
    apart = [mine is True for mine, their in both if None not in (mine, their) and mine != their]
    return all(apart) or nearly_always(apart)


def denied(survey: Survey, pay: float) -> bool:
    """Whether some episode that somebody ended was no success, and was paid for certain less than one.

    Where the time ends what nobody does, that time is over says nothing of any task: not of one whose episodes all last
    as many turns either, unless one turn is all that they have.
    """
    ended = [e for row in survey.rows for e in row.ended if e.turns and e.turns[-1].done]
    sizes = {len(e.turns) for e in ended}
    return any(
        e.success is not True
        and total(e) < MOSTLY * pay
        and (sizes == {1} or len(e.turns) < max(sizes))
        for e in ended
    )


def same_plan(one: SurveyRow, other: SurveyRow) -> bool:
    """Whether two rows repeat the same action."""
    return one.action is not None and one.action == other.action
