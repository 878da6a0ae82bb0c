"""Longer looks at what is paid, for what can be told of a reward where nothing says success.

A return says little alone: a game may well pay for waiting. So what is paid and does not try is flown once more, with
all that it sees and to a later end, to learn whether anything but the limit of turns would ever end it; and an action
whose first step is paid is done once and followed by idling, to learn whether a step that does nothing is paid for it
again, or by an action that ends the episode, to learn what that pays. Nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import AGAIN, CLOSED, FARM, ONCE, Survey, SurveyRow, total
from gonogo.exploits.panel import Kind
from gonogo.exploits.witness import actions_of
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, TaskOptions

SEEDS = 3
"""Seeds of a longer look."""
TIMES = 4
"""So many times the limit of turns is flown where the limit ended an episode."""
MOST_TURNS = 1_000
MOST_AGAIN, MOST_CYCLES, MOST_ECHOES, MOST_ONCE = 8, 4, 2, 6
A_KIND = 2
"""Rows of one kind that are looked at."""


def longer_looks(session: AuditSession, flown: Survey) -> Iterator[SurveyRow]:
    """Longer looks at a survey's paid rows.

    Args:
        session: Where.
        flown: The survey.
    """
    again = [*dearest(constants(flown), MOST_AGAIN), *dearest(flown.of_kind(FARM), MOST_CYCLES)]
    again += dearest(flown.of_kind(Kind.ECHO), MOST_ECHOES) if flown.answers else []
    once = first_paid(flown)
    session.part.expect(len(again) + len(once))
    idle = flown.idle.action or session.space.idle()
    for row in again:
        yield row_again(session, row)
    for row in once:
        yield row_then(session, flown, row, ONCE, "idle", idle)
    end = next(filter(ends_at_once, constants(flown)), None)
    if end is not None and end.action is not None:
        for row in once:
            yield row_then(session, flown, row, CLOSED, end.name, end.action)


def constants(flown: Survey) -> list[SurveyRow]:
    """The rows that repeat one action."""
    return [row for row in flown.of_kind(*Kind) if row.action is not None]


def worth(row: SurveyRow) -> float:
    """The mean return of a row; 0 where none of its episodes has one."""
    return fmean(map(total, row.ended)) if row.ended else 0.0


def dearest(rows: Sequence[SurveyRow], most: int) -> list[SurveyRow]:
    """The rows that are paid most and to the end, few of each kind."""
    paid = [row for row in rows if worth(row) > 0 and any(map(paid_late, row.ended))]
    chosen: list[SurveyRow] = []
    for row in sorted(paid, key=lambda row: -worth(row)):
        if sum(row.kind == other.kind for other in chosen) < A_KIND or row.kind == FARM:
            chosen.append(row)
    return chosen[:most]


def paid_late(episode: Episode) -> bool:
    """Whether the second half of an episode of several turns is paid."""
    turns = episode.turns
    return len(turns) > 1 and sum(turn.reward or 0.0 for turn in turns[len(turns) // 2 :]) > 0


def row_again(session: AuditSession, row: SurveyRow) -> SurveyRow:
    """A row on few seeds, with all that is seen; to a later end where only the limit of turns ended it."""

    def look(session: AuditSession, _: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        return row_again(session, flown.named(row.name) or replace(row, episodes=[]))

    some = row.ended[:SEEDS]
    later = min(TIMES * session.limit, max(MOST_TURNS, session.limit))
    turns = later if any(e.cut for e in some) else None
    name = f"{row.name}, looked at longer"
    plans = [(e.task, repeated(actions_of(e.turns), later)) for e in some]
    episodes = session.plans(name, plans, whole=True, turns=turns)
    made = SurveyRow(name, AGAIN, episodes, row.field, row.action, row.context, about=row.name)
    return replace(made, again=look, needs=(row.name,))


def repeated(actions: Sequence[Action], size: int) -> list[Action]:
    """Actions that go on as they ended: the last ones that were repeated are repeated to a size."""
    lap = period(actions)
    more = max(0, size - len(actions)) if lap > 1 else 0
    return [*actions, *(actions[n % lap - lap] for n in range(more))]


def period(actions: Sequence[Action]) -> int:
    """How many actions at the end are a repetition of as many before them; 1 where none are."""
    sizes = range(1, len(actions) // 2 + 1)
    return next((n for n in sizes if list(actions[-n:]) == list(actions[-2 * n : -n])), 1)


def changed_row(
    session: AuditSession,
    row: SurveyRow,
    kind: str,
    name: str,
    change: Callable[[Sequence[Action]], list[Action]],
) -> SurveyRow:
    """The episodes of a row with other actions in place of those that were sent.

    Args:
        session: Where.
        row: It.
        kind: Of the new row.
        name: Of the new row.
        change: Makes the actions of an episode out of those that were sent.
    """

    def again(session: AuditSession, _: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        plainer = flown.named(row.name) or replace(row, episodes=[])
        return changed_row(session, plainer, kind, name, change)

    plans = [(e.task, change(actions_of(e.turns))) for e in row.ended if e.turns]
    episodes = session.plans(name, plans)
    made = SurveyRow(name, kind, episodes, row.field, context=row.context, about=row.name)
    return replace(made, again=again, needs=(row.name,))


def first_paid(flown: Survey) -> list[SurveyRow]:
    """The constants whose first step is paid on some seeds, and more than idling there; the dearest ones."""
    paid = [row for row in constants(flown) if row.kind != Kind.IDLE and first_of(flown, row) > 0]
    return sorted(paid, key=lambda row: -first_of(flown, row))[:MOST_ONCE]


def paid_at_once(flown: Survey, row: SurveyRow) -> list[Episode]:
    """A row's episodes that go on after a first step which was paid, and more than idling there ever is."""
    idle = max((first(e) for e in flown.idle.ended), default=0.0)
    return [e for e in row.ended if len(e.turns) > 1 and first(e) > max(idle, 0.0)]


def first_of(flown: Survey, row: SurveyRow) -> float:
    """The mean reward of the first steps that are paid, times the share of seeds on which they are."""
    paid = paid_at_once(flown, row)
    return sum(map(first, paid)) / len(row.ended) if paid else 0.0


def first(episode: Episode) -> float:
    """The reward of an episode's first step."""
    return (episode.turns[0].reward or 0.0) if episode.turns else 0.0


def ends_at_once(row: SurveyRow) -> bool:
    """Whether an action ends every episode at once."""
    return bool(row.ended) and all(len(e.turns) == 1 and not e.cut for e in row.ended)


def row_then(
    session: AuditSession, flown: Survey, row: SurveyRow, kind: str, called: str, then: Action
) -> SurveyRow:
    """A constant's action once, where the first step is paid, then another one to the end.

    Args:
        session: Where.
        flown: The survey.
        row: The constant's row.
        kind: Of the new row.
        called: What the other action is called.
        then: It.
    """

    def look(session: AuditSession, _: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        plainer = flown.named(row.name) or replace(row, episodes=[])
        return row_then(session, flown, plainer, kind, called, then)

    name = f"{row.name} once, then {called}"
    some = paid_at_once(flown, row)[:SEEDS]
    plans = [(e.task, [*actions_of(e.turns[:1]), then]) for e in some]
    episodes = session.plans(name, plans, whole=True)
    made = SurveyRow(name, kind, episodes, row.field, row.action, row.context, about=row.name)
    return replace(made, again=look, needs=(row.name,))
