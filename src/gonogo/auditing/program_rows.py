"""Rows of programs that compute nothing, where a field takes SQL or Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gonogo.auditing.exploration import completed
from gonogo.auditing.programs import Emptied, programs
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, fly_habit, total
from gonogo.contract.sources import files_of
from gonogo.env.target import Target, UrlTarget
from gonogo.exploits.panel import Habit
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Observation, TaskOptions

SCREENED = 2
LEAST_PAY = 0.25
"""What an emptied database has to be paid in an episode for the same without emptying to be flown beside it."""
MOST_STEPS = 1_500
"""Steps after which no more programs are tried."""
MOST_READ = 100
"""Different observations that are read for the names of tables and functions."""
IN_MEMORY = ":memory:"


def program_rows(
    session: AuditSession,
    flown: Survey,
    explored: Sequence[Episode],
    tasks: Sequence[TaskOptions],
) -> Iterator[SurveyRow]:
    """Rows of programs; on all tasks those that succeed on two of them, or earn no less there than idling.

    Tables are emptied only where the source says that the database is in memory: any other may be somebody's.

    Args:
        session: Where.
        flown: The survey.
        explored: What exploration flew, which may show more.
        tasks: Reset options of a row's episodes.
    """
    if flown.broken_off:
        return
    found = programs(session.space, seen_in([*explored, *flown.idle.episodes]))
    emptied = found.emptied if is_in_memory(session.target) else ()
    session.part.expect(len(found.void) + len(emptied))
    idle = max(map(total, flown.idle.ended), default=0.0)
    until = session.steps + MOST_STEPS

    def screened(habit: Habit) -> SurveyRow:
        row = fly_habit(session, habit, tasks[:SCREENED])
        promises = row.succeeded or any(0 < total(e) >= idle for e in row.ended)
        return completed(session, row, tasks, flown) if promises else row

    for habit in found.void:
        if session.steps < until:
            names = [o.name for o in found.void if o.context == habit.context and o is not habit]
            yield replace(screened(habit), needs=tuple(names))
    for each in emptied:
        if session.steps < until:
            yield from emptied_rows(session, each, screened(each.habit), tasks)


def emptied_rows(
    session: AuditSession, each: Emptied, row: SurveyRow, tasks: Sequence[TaskOptions]
) -> Iterator[SurveyRow]:
    """The row of emptied tables, if it is paid, after that of the same without emptying any.

    Args:
        session: Where.
        each: Both habits.
        row: Of the first.
        tasks: Reset options of a row's episodes.
    """
    if max(map(total, row.ended), default=0.0) >= LEAST_PAY:
        yield fly_habit(session, each.beside, tasks[: len(row.episodes)])
        yield replace(row, needs=(each.beside.name,))


def is_in_memory(target: Target) -> bool:
    """Whether an environment's source says that its database is in memory; False of a server elsewhere."""
    if isinstance(target, UrlTarget):
        return False
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in files_of(target))
    return any(IN_MEMORY in text for text in texts)


def seen_in(episodes: Iterable[Episode]) -> list[Observation]:
    """What some episodes show, each thing once."""
    found: dict[str, Observation] = {}
    for episode in episodes:
        for seen in [*(turn.observation for turn in episode.turns), episode.final_observation]:
            if seen:
                found.setdefault(repr(seen), seen)
            if len(found) >= MOST_READ:
                return list(found.values())
    return list(found.values())
