"""Of which reset of a fresh process is an episode? A reader starts the server, resets it once, and has to see the same.

Many an environment serves its tasks in turn, draws anew at each reset, or keeps at a reset what the one before named.
What a running session showed there is the episode of as many resets as came before it. So what proves a finding is
flown again at the first reset of a process that flew nothing. Where that does not show it, it is flown at one reset
after another, and after the resets that came before it when it was seen. What comes back so has to come back in a
further process after resets alone: then no earlier step has made it, and no chance. A finding about whatever episode
chance draws is also looked for at the first resets of a few more processes: one that shows it is enough.

The search knows nothing of what is flown: the map gives it traces, the audit episodes and last answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from gonogo.wire import TaskOptions

MOST_RESETS = 24
"""Resets of a fresh process at which is looked for an episode that its first reset does not show."""
FIRST_RESETS = 5
"""Processes at whose first reset is looked for what shows in some of the episodes that chance draws."""
Before = tuple[TaskOptions, ...]
"""Reset options of the resets before an episode's own, in order."""


class Closeable(Protocol):
    """A process of an environment."""

    def close(self) -> None:
        """End it."""


ProcessT = TypeVar("ProcessT", bound=Closeable)
FlownT = TypeVar("FlownT")


@dataclass(frozen=True, slots=True)
class ResetSearch(Generic[ProcessT, FlownT]):
    """How something is flown in fresh processes, and what says that it came back.

    Attributes:
        options: Reset options of its own reset.
        fresh: Starts a process that flew nothing.
        fly: Flies it once, after some resets; None where it is lost.
        shows: Whether a flight shows what is to be proven.
        same: Whether two flights are the same to the bit.
        go_on: Flies it at one reset after another, until one is what is looked for or there were enough of them; None
            where that is ``fly`` again and again.
        drawn: Whether it is about whatever episode a reset draws: then the first reset of one process that shows it is
            enough, among :data:`FIRST_RESETS`.
    """

    options: TaskOptions
    fresh: Callable[[], ProcessT]
    fly: Callable[[ProcessT, Before], FlownT | None]
    shows: Callable[[FlownT], bool]
    same: Callable[[FlownT, FlownT], bool]
    go_on: Callable[[ProcessT, Callable[[int, FlownT], bool]], Sequence[FlownT]] | None = None
    drawn: bool = False

    def find(
        self, seen: FlownT | None, past: Sequence[Before] = ()
    ) -> tuple[FlownT, Before] | None:
        """The flight that shows it in a fresh process, and the resets before it; None where none does.

        Args:
            seen: As it was flown in a running session; None where that is not to be held against.
            past: Resets after which to look for it, too: those that came before it when it was seen.
        """
        first = self._flown(())
        if first is not None and self._at_first(first, seen):
            return first, ()
        later = self._later() or next(filter(None, map(self._after, past)), None)
        return later or (self._at_others() if self.drawn else None)

    def _flown(self, before: Before) -> FlownT | None:
        """A flight in a process of its own."""
        with closing(self.fresh()) as process:
            return self.fly(process, before)

    def _at_first(self, first: FlownT, seen: FlownT | None) -> bool:
        """Whether the first reset shows it: as it was seen, or as another process shows it again."""
        if seen is not None and self.same(seen, first):
            return True
        if self.drawn or not self.shows(first):
            return self.shows(first)
        again = self._flown(())
        return again is not None and self.same(first, again)

    def _at_others(self) -> tuple[FlownT, Before] | None:
        """A flight at the first reset of one of a few further processes, if it shows it."""
        flown = (self._flown(()) for _ in range(FIRST_RESETS - 1))
        found = next((each for each in flown if each is not None and self.shows(each)), None)
        return None if found is None else (found, ())

    def _later(self) -> tuple[FlownT, Before] | None:
        """The same at a later reset, after as many with its own options."""
        with closing(self.fresh()) as process:
            flown = self._in_turn(process, lambda number, each: number > 0 and self.shows(each))
        if len(flown) < 2 or not self.shows(flown[-1]):
            return None
        return self._again(flown[-1], (self.options,) * (len(flown) - 1))

    def _in_turn(self, process: ProcessT, until: Callable[[int, FlownT], bool]) -> Sequence[FlownT]:
        """The flights at one reset of a process after another."""
        if self.go_on is not None:
            return self.go_on(process, until)
        return at_each_reset(lambda: self.fly(process, ()), until)

    def _after(self, before: Before) -> tuple[FlownT, Before] | None:
        """The same after some resets."""
        flown = self._flown(before)
        return self._again(flown, before) if flown is not None and self.shows(flown) else None

    def _again(self, flown: FlownT, before: Before) -> tuple[FlownT, Before] | None:
        """A flight, if a further process gives it after the same resets alone."""
        again = self._flown(before)
        return (again, before) if again is not None and self.same(flown, again) else None


def at_each_reset(
    fly_once: Callable[[], FlownT | None], until: Callable[[int, FlownT], bool]
) -> list[FlownT]:
    """Flights at one reset after another, to the first that is what is looked for, or is lost.

    Args:
        fly_once: Flies at the next reset; None where that is lost.
        until: Says of a flight, by how many came before it, whether it is the one.
    """
    flown: list[FlownT] = []
    for number in range(MOST_RESETS):
        each = fly_once()
        if each is None:
            break
        flown.append(each)
        if until(number, each):
            break
    return flown


def past_resets(options: TaskOptions, before: Sequence[TaskOptions]) -> list[Before]:
    """The resets after which to look for an episode: the last one before it, and as many as are looked at.

    Of resets with its own options alone there is nothing to say: they are counted anyway.

    Args:
        options: Its own reset's.
        before: Those of the resets that came before it in its session.
    """
    last, all_of_them = tuple(before[-1:]), tuple(before[-MOST_RESETS:])
    some = [last] if last == all_of_them else [last, all_of_them]
    return [each for each in some if any(other != options for other in each)]
