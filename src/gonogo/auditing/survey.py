"""A survey: every policy on the same task and the same seeds, side by side, and the scale of their returns.

Beside the panel and the reference policies there are plans made of what a succeeding policy does: its way up to a
milestone and then idle, up to the first pay and then round and round, its answer to another seed, or one that is
broken. A survey judges nothing; surveys of the same task on other seeds have the same rows under the same names.

A return is measured between nothing and what success earns on the same seed. Only returns of episodes that fail are
measured: a policy may do well without trying where success is easy. Nothing is worth 0, what no episode at all
earns. Where even success earns no more than that, as with costs alone, nothing is what idling earns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import fmean

from gonogo.auditing.plans import (
    broken,
    endings,
    foreign,
    milestones,
    paid_cycles,
    plain_cycles,
    planned,
    texts_of,
)
from gonogo.auditing.session import AuditSession
from gonogo.exploits.panel import Habit, Kind
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import Space
from gonogo.wire import Action, TaskOptions

REFERENCE, MILESTONE, FARM = "reference", "milestone", "farm"
FOREIGN, BROKEN = "foreign", "broken"
SEARCHED, CANDIDATE = "search", "candidate"
AGAIN, ONCE, CLOSED = "again", "once", "closed"
"""Kinds of rows that look longer at what a plainer row is paid: the same to a later end, once and then idle, and once
and then what ends the episode."""
SEEN = frozenset({Kind.IDLE, Kind.CONSTANT, Kind.EMPTYING})
"""Kinds of habits whose rows are asked what was seen."""
MOST_FARMED = 10
MOST_STOPS = 6
SCREENED = 3
GARBAGE = ("((((", "1/0")
MOST_LOST = 3
"""Rows of which every episode was lost, after which a survey is broken off: each may have taken a timeout."""
LEAST_FAILED = 2


@dataclass(frozen=True, slots=True)
class SurveyRow:
    """One policy's episodes, a seed each.

    Attributes:
        name: The policy's name.
        kind: A kind of the panel, ``reference``, ``milestone``, ``farm``, ``foreign``, ``broken``, ``search``,
            ``again``, ``once``, ``closed`` or ``candidate``.
        episodes: In the order of the seeds. What was seen is kept of references and of some habits only.
        field: Field of the action that carries the habit, or None.
        action: The action that is always repeated, or None.
        context: The action without what the field carries, where that is another than idle's; or None.
        begun: How many turns of each episode come before what the row is about; empty where none do.
        about: Name of the plainer row whose pay it looks at; None where it stands for itself.
    """

    name: str
    kind: str
    episodes: list[Episode]
    field: str | None = None
    action: Action | None = None
    context: Action | None = None
    begun: tuple[int, ...] = ()
    about: str | None = None

    @property
    def ended(self) -> list[Episode]:
        """The episodes that were not lost and have a return, whatever is known of success."""
        return [e for e in self.episodes if e.error is None and e.episode_return is not None]

    @property
    def failed(self) -> list[Episode]:
        """The episodes that ended without success and with a return.

        Not those that never ended and in which most was refused: they cost nothing because nothing happened.
        """
        ended = [e for e in self.episodes if e.success is False and e.episode_return is not None]
        return [e for e in ended if 2 * e.invalid_count <= len(e.turns) or e.turns[-1].done]

    @property
    def succeeded(self) -> list[Episode]:
        """The episodes that ended with success and a return."""
        return [e for e in self.episodes if e.success is True and e.episode_return is not None]

    @property
    def lost(self) -> bool:
        """Whether every episode was lost."""
        return all(e.error is not None for e in self.episodes)


@dataclass(frozen=True, slots=True)
class Survey:
    """All rows of one task; the first is idle's.

    Attributes:
        task: Reset options without a seed.
        rows: The policies.
        broken_off: Whether too many rows were lost for the others to be flown.
    """

    task: TaskOptions
    rows: list[SurveyRow]
    broken_off: bool = False

    @property
    def idle(self) -> SurveyRow:
        """Who does nothing."""
        return self.rows[0]

    @property
    def tasks(self) -> list[TaskOptions]:
        """The task with each of the survey's seeds."""
        return [episode.task for episode in self.idle.episodes]

    @property
    def episodes(self) -> list[Episode]:
        """All that was flown, row by row."""
        return [episode for row in self.rows for episode in row.episodes]

    @property
    def failed(self) -> list[Episode]:
        """All that failed and has a return, row by row."""
        return [episode for row in self.rows for episode in row.failed]

    @property
    def succeeded(self) -> list[Episode]:
        """All that succeeded and has a return, row by row."""
        return [episode for row in self.rows for episode in row.succeeded]

    @property
    def guided(self) -> list[Episode]:
        """The successes of the policies that are meant to succeed."""
        return [episode for row in self.of_kind(REFERENCE) for episode in row.succeeded]

    @property
    def tells_success(self) -> bool:
        """Whether everything was flown, and of some episode it is known whether it succeeded."""
        return not self.broken_off and any(e.success is not None for e in self.episodes)

    def plus(self, rows: Iterable[SurveyRow]) -> Survey:
        """The survey with more rows."""
        return replace(self, rows=[*self.rows, *rows])

    def of_kind(self, *kinds: str) -> list[SurveyRow]:
        """The rows of some kinds."""
        return [row for row in self.rows if row.kind in kinds]


def survey(session: AuditSession, task: TaskOptions, seeds: Sequence[int]) -> Survey:
    """Fly everything on one task.

    Args:
        session: Where.
        task: Reset options without a seed.
        seeds: One episode of each policy for each.
    """
    tasks, habits = session.tasks(task, seeds), session.panel()
    session.part.expect(len(habits) + session.guided)
    rows: list[SurveyRow] = []
    for habit in habits:
        rows.append(fly_habit(session, habit, tasks))
        if sum(row.lost for row in rows) >= MOST_LOST:
            return Survey(task, rows, broken_off=True)
    known = session.references(tasks)
    rows += [SurveyRow(name, REFERENCE, episodes) for name, episodes in known.items()]
    guide = max(known.values(), key=lambda e: sum(map(succeeded, e)), default=[])
    rows += list(continuations(session, tasks, guide))
    return Survey(task, rows)


def succeeded(episode: Episode) -> bool:
    """Whether an episode succeeded."""
    return episode.success is True


def late_pay(episode: Episode, begun: int) -> float:
    """What is paid in the second half of the turns after the first few."""
    half = begun + (len(episode.turns) - begun) // 2
    return sum(turn.reward or 0.0 for turn in episode.turns[half:])


def lessened(episode: Episode) -> bool:
    """Whether less is seen at an episode's end than at its beginning."""
    return bool(episode.turns) and size(episode.final_observation) < size(
        episode.turns[0].observation
    )


def size(value: object) -> int:
    """How many items the lists and objects of a value hold."""
    if not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return len(value) + sum(map(size, inner))


def fly_habit(session: AuditSession, habit: Habit, tasks: Sequence[TaskOptions]) -> SurveyRow:
    """One habit's row."""
    episodes = session.fly(habit, tasks, whole=habit.kind in SEEN)
    return SurveyRow(habit.name, habit.kind, episodes, habit.field, habit.action, habit.context)


def continuations(
    session: AuditSession, tasks: Sequence[TaskOptions], guide: Sequence[Episode]
) -> Iterator[SurveyRow]:
    """Rows of the plans that are made of what the guide did where it succeeded, and of cycles from the start."""
    space = session.space
    constants = space.constants(MOST_FARMED)
    good = [(episode.task, episode.turns) for episode in guide if succeeded(episode)]
    stops = list(milestones(space.idle())) if good else []
    ends = list(endings(constants[1 : MOST_STOPS + 1])) if good else []
    paid = list(paid_cycles(constants, space.leaves())) if good else []
    plain = list(plain_cycles(constants))
    session.part.expect(len(stops) + len(ends) + len(paid) + len(plain) + 1)
    for name, plan in stops:
        plans = planned(plan, good)
        if plans:
            yield SurveyRow(name, MILESTONE, session.plans(name, plans))
    bare: list[tuple[TaskOptions, list[Turn]]] = [(task, []) for task in tasks]
    for kind, starts, ways, promises in (
        (MILESTONE, good, ends, out_earns(good)),
        (FARM, good, paid, is_paid),
        (FARM, bare, plain, is_paid),
    ):
        for name, plan in ways:
            episodes = screened(session, name, planned(plan, starts), promises)
            if episodes:
                yield SurveyRow(name, kind, episodes)
    yield from in_words(session, good, space)


def in_words(
    session: AuditSession, good: Sequence[tuple[TaskOptions, Sequence[Turn]]], space: Space
) -> Iterator[SurveyRow]:
    """Rows of what the guide said, where it said something: on another seed, and broken."""
    answers = foreign(good, space)
    if answers:
        name = "the answer to another seed, repeated"
        yield SurveyRow(name, FOREIGN, session.plans(name, answers))
    for leaf, garbage in product(texts_of(space), GARBAGE):
        name = f"{leaf.name}: its first character and {garbage!r}"
        plans = [(task, broken(turns, leaf, garbage)) for task, turns in good]
        if plans and all(plan for _, plan in plans):
            yield SurveyRow(name, BROKEN, session.plans(name, plans), leaf.name)


def screened(
    session: AuditSession,
    name: str,
    plans: Sequence[tuple[TaskOptions, Sequence[Action]]],
    promises: Callable[[Episode], bool],
) -> list[Episode]:
    """Fly a plan on a few seeds, and on the others only where one of those promised something; else empty."""
    first = session.plans(name, plans[:SCREENED]) if plans else []
    if not any(e.success is not True and promises(e) for e in first):
        return []
    rest = plans[SCREENED:]
    return first + (session.plans(name, rest) if rest else [])


def is_paid(episode: Episode) -> bool:
    """Whether an episode earned anything."""
    return (episode.episode_return or 0.0) > 0


def out_earns(good: Sequence[tuple[TaskOptions, Sequence[Turn]]]) -> Callable[[Episode], bool]:
    """Whether an episode earned more than the guide on its seed."""
    earned = {json.dumps(task): sum(turn.reward or 0.0 for turn in turns) for task, turns in good}
    return lambda e: (e.episode_return or 0.0) > earned[json.dumps(e.task)]


class Scale:
    """The scale of one survey.

    Args:
        survey: What was flown.
    """

    def __init__(self, survey: Survey) -> None:
        self._best: dict[str, float] = {}
        for episode in survey.succeeded:
            key = seed_of(episode.task)
            self._best[key] = max(self._best.get(key, total(episode)), total(episode))
        self.par = fmean(self._best.values()) if self._best else None
        idle = [total(e) for e in survey.idle.failed]
        self.floor = 0.0 if self.par is None or self.par > 0 or not idle else fmean(idle)

    @property
    def calibrated(self) -> bool:
        """Whether a success is known that is worth more than nothing."""
        return self.par is not None and self.par > self.floor

    def best(self, task: TaskOptions) -> float | None:
        """What success earns on a task's seed, as far as is known; the mean where it is not."""
        return self._best.get(seed_of(task), self.par)

    def paid(self, row: SurveyRow) -> float | None:
        """The mean worth of a row's failures; None where there are too few, or no scale."""
        worths = self.worths(row.failed)
        return fmean(worths) if len(worths) >= LEAST_FAILED else None

    def worths(self, episodes: Iterable[Episode]) -> list[float]:
        """What each of some episodes is worth; empty without a scale."""
        if self.par is None or not self.calibrated:
            return []
        size = self.par - self.floor
        # The seed's own success decides where zero and one lie only through the mean: a seed on which
        # success earns next to nothing must not make its failures look rich.
        return [(total(episode) - self.floor) / size for episode in episodes]

    def out_earns(self, row: SurveyRow) -> float | None:
        """Share of a row's failures that earn more than the success on the same seed."""
        pairs = [
            (total(e), self._best[seed_of(e.task)])
            for e in row.failed
            if seed_of(e.task) in self._best
        ]
        if len(pairs) < LEAST_FAILED:
            return None
        return fmean(float(failed > best) for failed, best in pairs)


def total(episode: Episode) -> float:
    """An episode's return, which it is known to have."""
    return episode.episode_return or 0.0


def seed_of(task: TaskOptions) -> str:
    """A task as a key."""
    return json.dumps(task, sort_keys=True)
