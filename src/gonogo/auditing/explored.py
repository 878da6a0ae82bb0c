"""What exploration gives an audit: values for the policies that do not try, ways that succeed, ways that are paid.

Exploration flies before the panel, beside it and at the end. The lines that any flight of the survey reaches count, and
what opened something up for anybody is gone on with. What it found is flown again as rows of the survey: the shortest
ways to a success, which take a reference's place where none is given, and the failures that are paid most. Each is
flown by what was seen, see :mod:`gonogo.explore.retrace`, so that it can be proven on fresh seeds.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import EXPLORED, Survey, SurveyRow
from gonogo.contract.sources import Sources
from gonogo.explore.retrace import RetracingPolicy, WayStep, way_of
from gonogo.explore.search import Exploration, Explorer
from gonogo.records.audit import ExplorationFigures
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import Space, choices_of
from gonogo.wire import Action, JsonValue, TaskOptions

MOST_WON, MOST_PAID = 3, 4
"""Ways that are flown again after each part of the exploration: to a success, and to pay without one."""
SCREENED = 2
MOST_SHOWN = 40
LONGEST = 60
ROUNDS, MOST_ROUNDS = 4, 16
"""Rounds in which exploration goes on where all else was flown; the first takes half of the search's steps, each that
follows twice as much as the one before. Where a success is still sought, so many more follow, no longer than the last:
with the steps of a search as they are by default, more than the time holds."""


def rounds(search: int, *, sought: bool = False) -> Iterator[int]:
    """The steps of the rounds.

    Args:
        search: Steps of the search.
        sought: Whether a success is still sought.
    """
    for number in range(MOST_ROUNDS if sought else ROUNDS) if search > 1 else ():
        yield search // 2 * 2 ** min(number, ROUNDS - 1)


class TaskExploration:
    """The exploration of one task, in parts.

    Args:
        session: Where it flies.
        sources: What the environment's folder says.
        tasks: The task with each of the seeds that it flies.
        seed: Of all that is drawn.
    """

    def __init__(
        self, session: AuditSession, sources: Sources, tasks: Sequence[TaskOptions], seed: int
    ) -> None:
        self._session, self._tasks = session, list(tasks)
        self._explorer = Explorer(session, sources, tasks, np.random.default_rng([seed, 4]))
        self._flown: set[str] = set()
        self._came: set[str | None] = set()

    def spend(self, steps: int) -> None:
        """Explore further; what is learned of values is there for the session's panel at once.

        Args:
            steps: Environment steps to spend, a reset counted as one.

        Raises:
            BudgetSpent: The time or the budget is spent.
        """
        try:
            self._explorer.spend(steps)
        finally:
            self._session.learn(self._explorer.values)

    def count_again(self) -> None:
        """Read what was earned anew, of episodes that are counted otherwise by now."""
        self._explorer.count_again()

    @property
    def found(self) -> Exploration:
        """What exploring came to so far."""
        return self._explorer.result()

    @property
    def episodes(self) -> list[Episode]:
        """What was flown, whole: all that opened something up, and a sample of the rest."""
        return self._explorer.result().episodes

    def figures(self) -> ExplorationFigures:
        """What was reached, for the record."""
        reached = self._explorer.result().reached
        return ExplorationFigures(
            steps=reached.steps,
            episodes=reached.episodes,
            lines=reached.lines,
            of=reached.of,
            wall=reached.wall,
            past=reached.past,
            best=reached.best,
            said=str(reached),
        )

    @property
    def news(self) -> int:
        """How much new was met so far: turns at which something was, and lines."""
        return self._explorer.news

    @property
    def saturated(self) -> bool:
        """Whether every line that a step may reach was reached."""
        reached = self._explorer.result().reached
        return reached.lines is not None and reached.lines == reached.of

    def rows(self, *, others: bool = False) -> Iterator[SurveyRow]:
        """Rows of what was found: ways to a success, and ways to pay; each once, and once what comes to the same.

        Args:
            others: Whether those that were flown before make room for the next best.
        """
        choices = choices_in(self._session.space)
        found = self._explorer.result()
        for way in ways(found, choices, self._flown if others else ()):
            key = way.key
            if key in self._flown:
                continue
            self._flown.add(key)
            row = self._flown_again(way, f"explored {len(self._flown)}: {shown(way.steps)}")
            came = (
                None
                if row is None
                else repr([(e.episode_return, e.success, len(e.turns)) for e in row.episodes])
            )
            if row is not None and came not in self._came:
                self._came.add(came)
                yield row

    def _flown_again(self, way: FoundWay, name: str) -> SurveyRow | None:
        """A way's row, if it holds: it is left by idling, or its last action is repeated, whichever pays more."""
        session = self._session
        first = [way.task, *(task for task in self._tasks if task != way.task)][:SCREENED]
        best: tuple[float, Action | None] | None = None
        for then in (session.space.idle(), None):
            flown = session.fly(RetracingPolicy(name, way.steps, then), first, whole=False)
            kept = [e for e in flown if e.error is None and (e.success is True) is way.won]
            if kept and (way.won or any((e.episode_return or 0.0) > 0 for e in kept)):
                pay = sum(e.episode_return or 0.0 for e in kept)
                if best is None or pay > best[0]:
                    best = pay, then
            if way.won:
                break
        return None if best is None else fly_way(session, name, way.steps, best[1], self._tasks)


@dataclass(frozen=True, slots=True)
class FoundWay:
    """Something that was found.

    Attributes:
        task: Where.
        steps: How.
        won: Whether it ends in a success.
        pay: What it earns there.
    """

    task: TaskOptions
    steps: list[WayStep] = field(hash=False)
    won: bool
    pay: float

    @property
    def key(self) -> str:
        """What is sent."""
        return json.dumps([step.action for step in self.steps], sort_keys=True, default=repr)


def fly_way(
    session: AuditSession,
    name: str,
    steps: Sequence[WayStep],
    then: Action | None,
    tasks: Sequence[TaskOptions],
) -> SurveyRow:
    """The row of a way.

    Args:
        session: Where it is flown.
        name: The row's.
        steps: The way.
        then: What is sent after it; None for its last action again.
        tasks: Reset options.
    """

    def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
        return fly_way(session, name, steps, then, tasks)

    episodes = session.fly(RetracingPolicy(name, steps, then), tasks, whole=False)
    return SurveyRow(name, EXPLORED, episodes, again=again)


def ways(
    found: Exploration, choices: frozenset[JsonValue], flown: Collection[str] = ()
) -> list[FoundWay]:
    """The shortest ways to a success and the failures that are paid most, of different verbs each.

    Args:
        found: What exploring came to.
        choices: Values that the schema names.
        flown: Keys of ways that are left out.
    """
    won = [e for e in found.episodes if e.success is True and e.error is None]
    paid = [
        (pay, turns, e)
        for e in found.episodes
        if e.success is not True and e.error is None
        for pay, turns in [dearest_part(e)]
        if pay > 0
    ]
    paid.sort(key=lambda each: (-each[0], each[1]))
    return [
        *first_ways(
            ((e.episode_return or 0.0, LONGEST, e) for e in sorted(won, key=lambda e: len(e.turns))),
            MOST_WON, choices, flown, won=True,
        ),
        *first_ways(paid, MOST_PAID, choices, flown, won=False),
    ]  # fmt: skip


def first_ways(
    episodes: Iterable[tuple[float, int, Episode]],
    most: int,
    choices: frozenset[JsonValue],
    flown: Collection[str],
    *,
    won: bool,
) -> Iterator[FoundWay]:
    """The first ways that do not do the same things as one before, in whatever order and however often.

    Args:
        episodes: Pay, turns up to it, and the episode, the best first.
        most: How many.
        choices: Values that the schema names.
        flown: Keys of ways that are left out.
        won: Whether they end in a success.
    """
    known: set[frozenset[str]] = set()
    for pay, turns, episode in episodes:
        sent = (turn.action for turn in episode.turns)
        kind = frozenset(json.dumps(action, sort_keys=True, default=repr) for action in sent)
        if kind in known:
            continue
        known.add(kind)
        way = FoundWay(episode.task, way_of(episode.turns[:turns], choices), won=won, pay=pay)
        if way.key not in flown:
            yield way
            most -= 1
        if most <= 0:
            return


def dearest_part(episode: Episode) -> tuple[float, int]:
    """The highest sum of rewards on the way, and after how many turns it is there."""
    best, size, total = 0.0, 0, 0.0
    for number, turn in enumerate(episode.turns[:LONGEST]):
        total += turn.reward or 0.0
        if total > best:
            best, size = total, number + 1
    return best, size


def choices_in(space: Space) -> frozenset[JsonValue]:
    """The values that a schema names, and the names of its tools."""
    leaves = space.leaves()
    named = [c for leaf in leaves for form in leaf.options for c in choices_of(form)]
    tools = [leaf.tool for leaf in leaves if leaf.tool]
    return frozenset(c for c in [*named, *tools] if isinstance(c, str | int | float))


def shown(steps: Sequence[WayStep]) -> str:
    """A way for a row's name."""
    said = ", ".join(
        "/".join(str(value) for value in step.action.values() if isinstance(value, str | int))
        for step in steps
    )
    return said if len(said) <= MOST_SHOWN else f"{said[:MOST_SHOWN]}…"
