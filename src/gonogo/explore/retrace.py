"""An episode done again on other seeds: the same actions, but what was taken from what was seen is taken from there.

An exploration finds a way on one seed, and the ids, names and numbers in its actions are often that seed's own. So a
value that was shown before it was sent is kept as the place that showed it: ``pits[0].id``, or the second name that a
text tells. Where it is the name of a record that something else in the observation speaks of, the record's owner or
colour for one, that is what it is kept as: see :mod:`gonogo.explore.relations`. On another seed whatever stands there
is sent. Where nothing does, the value is sent as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gonogo.contract.prose import values_in
from gonogo.explore.observed import alike, named_places
from gonogo.explore.relations import Related, ShownPath, related, value_at
from gonogo.rollouts.builtin_policies import Stateless
from gonogo.rollouts.episodes import Turn
from gonogo.rollouts.types import Reply, View
from gonogo.wire import Action, JsonValue, Observation

LEAST_CHARS = 2
"""Of a text that is looked for in what was seen."""
PLAIN = frozenset({0, 1, -1, 2})
"""Numbers that are seen everywhere, and are sent as they are."""
MOST_CHARS = 2_000
MOST_PLACES = 1_500


@dataclass(frozen=True, slots=True)
class ShownAt:
    """Where a value was shown.

    Attributes:
        path: Keys and places from the observation.
        number: Which of the values that a text tells; None for all that stands there.
        first: Whether in the first observation, and not in the last.
    """

    path: ShownPath
    number: int | None
    first: bool

    def read(self, first: Observation, last: Observation) -> JsonValue:
        """What stands there now; None for nothing."""
        held = value_at(first if self.first else last, self.path)
        if self.number is None or not isinstance(held, str):
            return held
        told = values_in(held[:MOST_CHARS])
        return told[self.number][0] if self.number < len(told) else None


@dataclass(frozen=True, slots=True)
class WayStep:
    """One action of a way.

    Attributes:
        action: As it was sent.
        links: Places of it, each with where its value was shown.
    """

    action: Action
    links: tuple[tuple[ShownPath, ShownAt | Related], ...]

    def made(self, first: Observation, last: Observation) -> Action:
        """The action with what is shown now."""
        action: JsonValue = self.action
        for path, shown in self.links:
            value = shown.read(first, last)
            if value is not None and not isinstance(value, dict | list):
                action = put(action, path, value)
        return action if isinstance(action, dict) else self.action


def way_of(turns: Sequence[Turn], choices: frozenset[JsonValue]) -> list[WayStep]:
    """The steps of an episode.

    Args:
        turns: With all that was seen.
        choices: Values that the schema names, which are never of one seed.
    """
    if not turns:
        return []
    first = list(told(turns[0].observation))
    steps = []
    for turn in turns:
        if turn.action is None:
            continue
        last = list(told(turn.observation))
        places = [(shown, name, True) for shown, name in first]
        places = [(shown, name, False) for shown, name in last] + places
        links: list[tuple[ShownPath, ShownAt | Related]] = []
        for path, value in scalars(turn.action):
            if value in choices or is_plain(value):
                continue
            relation = related(value, turn.observation, at_first=False) or related(
                value, turns[0].observation, at_first=True
            )
            if relation is not None:
                links.append((path, relation))
                continue
            field = next((key for key in reversed(path) if isinstance(key, str)), "")
            found = [
                (alike(field, key), shown, at_first)
                for (shown, held), key, at_first in places
                if held == value and type(held) is type(value)
            ]
            if isinstance(value, int | float):
                found = [each for each in found if each[0] > 0]
            if found:
                _, (where, number), at_first = max(found, key=lambda each: each[0])
                links.append((path, ShownAt(where, number, at_first)))
        steps.append(WayStep(turn.action, tuple(links)))
    return steps


Told = tuple[tuple[ShownPath, int | None], JsonValue]
"""Where a value is shown, and it."""


def told(observation: Observation) -> Iterator[tuple[Told, tuple[str, str]]]:
    """The values that an observation shows, each with where and under which name."""
    for number, (path, name, value) in enumerate(named_places(observation)):
        if number >= MOST_PLACES:
            return
        yield ((path, None), value), name
        if isinstance(value, str) and " " in value:
            for place, (said, _) in enumerate(values_in(value[:MOST_CHARS])):
                yield ((path, place), said), ("", "")


def is_plain(value: JsonValue) -> bool:
    """Whether a value says nothing of where it comes from."""
    if isinstance(value, str):
        return len(value) < LEAST_CHARS
    return value is None or isinstance(value, bool) or value in PLAIN


def scalars(value: JsonValue, path: ShownPath = ()) -> Iterator[tuple[ShownPath, JsonValue]]:
    """The plain values in a value, each with its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from scalars(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from scalars(inner, (*path, place))
    else:
        yield path, value


def put(held: JsonValue, path: ShownPath, value: JsonValue) -> JsonValue:
    """A copy with a value at a path that it has."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(held, dict) and isinstance(first, str):
        return {**held, first: put(held[first], rest, value)}
    if isinstance(held, list) and isinstance(first, int):
        return [put(item, rest, value) if n == first else item for n, item in enumerate(held)]
    return held


class RetracingPolicy(Stateless):
    """Goes a way again, then does one thing to the end.

    Args:
        name: Name for the record.
        steps: The way.
        then: What is sent after it; None for its last action again.
    """

    def __init__(self, name: str, steps: Sequence[WayStep], then: Action | None) -> None:
        self.name = name
        self._steps, self._then = list(steps), then
        self._first: dict[int, Observation] = {}
        self._last: dict[int, Action] = {}

    def begin(self, slots: Iterable[int]) -> None:
        """Forget what was seen first."""
        for slot in slots:
            self._first.pop(slot, None)

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """The next action of the way for everyone."""
        return {slot: Reply(action=self._next(slot, view)) for slot, view in views.items()}

    def _next(self, slot: int, view: View) -> Action:
        first = self._first.setdefault(slot, view.observation)
        if view.turn < len(self._steps):
            self._last[slot] = self._steps[view.turn].made(first, view.observation)
        elif self._then is not None:
            return self._then
        return self._last[slot]
