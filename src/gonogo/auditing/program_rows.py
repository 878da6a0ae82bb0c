"""Rows of programs that compute nothing, where a field takes SQL or Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from gonogo.auditing.exploration import completed
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, fly_habit, total
from gonogo.env.target import UrlTarget
from gonogo.exploits.panel import Kind
from gonogo.exploits.programs import programs
from gonogo.explore.novelty import texts_in
from gonogo.rollouts.episodes import Episode
from gonogo.wire import TaskOptions

SCREENED = 2
MOST_READ = 200
"""Observations that are read for the names of tables and functions."""


def program_rows(
    session: AuditSession,
    flown: Survey,
    explored: Sequence[Episode],
    tasks: Sequence[TaskOptions],
) -> Iterator[SurveyRow]:
    """Rows of programs, on all tasks where two promise something: a success, or no less than idling is paid.

    What empties tables is not sent to a server elsewhere: its database may be somebody's.

    Args:
        session: Where.
        flown: The survey.
        explored: What exploration flew, which may show more.
        tasks: Reset options of a row's episodes.
    """
    if flown.broken_off:
        return
    habits = programs(session.space, seen_texts([*flown.idle.episodes, *explored]))
    if isinstance(session.target, UrlTarget):
        habits = [habit for habit in habits if habit.kind != Kind.WIPED]
    session.part.expect(len(habits))
    idle = max(map(total, flown.idle.ended), default=0.0)
    void = [habit for habit in habits if habit.kind == Kind.VOID]
    for habit in habits:
        beside = (o.name for o in void if o.context == habit.context and o.name != habit.name)
        row = replace(fly_habit(session, habit, tasks[:SCREENED]), needs=tuple(beside))
        promises = row.succeeded or any(0 < total(e) >= idle for e in row.ended)
        if promises or habit.kind == Kind.VOID:
            yield completed(session, row, tasks, flown) if promises else row


def seen_texts(episodes: Iterable[Episode]) -> list[str]:
    """The texts that some episodes show, each once."""
    observations = (
        observation
        for episode in episodes
        for observation in [
            *(turn.observation for turn in episode.turns),
            episode.final_observation,
        ]
        if observation
    )
    read = islice(observations, MOST_READ)
    return list(dict.fromkeys(text for observation in read for _, text in texts_in(observation)))
