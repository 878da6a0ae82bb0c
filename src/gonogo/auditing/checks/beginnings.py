"""How episodes begin: what resets show, and what one action does. Each is flown when it is first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gonogo.auditing.resets import Opening, unsteady
from gonogo.auditing.session import AuditSession
from gonogo.wire import Action, Observation, TaskOptions

REPEATED = 3
"""Resets that are made again, to see what differs between two of the same task."""
MOST_LOOKS, MOST_ENDS = 16, 2


@dataclass(frozen=True, slots=True)
class FirstLooks:
    """What single actions do at the beginning of an episode.

    Attributes:
        opening: What the reset shows.
        ends: Those that end it.
        asks: Those that go on, each with what it shows.
    """

    opening: Observation
    ends: tuple[Action, ...]
    asks: tuple[tuple[Action, Observation], ...]

    @property
    def shown(self) -> list[tuple[Action | None, Observation]]:
        """All that is seen at the beginning, each after the action that shows it; None for the reset."""
        return [(None, self.opening), *self.asks]


def seen_on(
    session: AuditSession, tasks: Sequence[TaskOptions], ask: Action | None
) -> list[Observation]:
    """What is seen on each of some tasks after a reset, or after one action."""
    if ask is None:
        return [{} if o is None else o.observation for o in session.openings(tasks)]
    plans = [(task, [ask]) for task in tasks]
    return [e.final_observation for e in session.plans("asked", plans, whole=True, turns=1)]


class Beginnings:
    """How some episodes begin.

    Args:
        session: Where they are flown.
        tasks: Their reset options.
    """

    def __init__(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> None:
        self.session, self.tasks = session, tasks

    @property
    def openings(self) -> list[Opening]:
        """What each reset shows, without those that failed."""
        return [opening for opening in self._first if opening is not None]

    @property
    def complete(self) -> bool:
        """Whether no reset failed."""
        return None not in self._first

    @cached_property
    def dropped(self) -> set[str]:
        """Paths that differ between two resets of the same task."""
        return unsteady(self._first[:REPEATED], self.session.openings(self.tasks[:REPEATED]))

    @cached_property
    def looks(self) -> FirstLooks:
        """What each of the plainest actions does, sent once and alone on the first task."""
        task, actions = self.tasks[0], self.session.space.constants(MOST_LOOKS)
        plans = [(task, [action]) for action in actions]
        found = self.session.plans("one step", plans, whole=True, turns=1)
        pairs = [(a, e) for a, e in zip(actions, found, strict=True) if e.error is None and e.turns]
        ends = [action for action, e in pairs if e.turns[-1].done]
        asks = [(action, e.final_observation) for action, e in pairs if not e.turns[-1].done]
        opening = self._first[0]
        seen = {} if opening is None else opening.observation
        return FirstLooks(seen, tuple(ends[:MOST_ENDS]), tuple(asks))

    @cached_property
    def _first(self) -> list[Opening | None]:
        return self.session.openings(self.tasks)
