"""Deeds: the work on one of several things that are seen, with the thing's name and one value left open.

A deed is one action that names the thing, with each of its other places as the value that may be right or wrong. Where
the source says that an action moves what the reward divides by, as accepting an order may, each other one is sent after
it, too. And a deed is whatever was done with one thing in an episode that was paid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from gonogo.auditing.checks.handed_tables import two_places
from gonogo.auditing.checks.sweeps import (
    moved_by,
    named_in,
    places_of,
    several_named,
)
from gonogo.auditing.checks.told_values import fits_in
from gonogo.auditing.resets import inside, key_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import total
from gonogo.exploits.witness import actions_of
from gonogo.explore.observed import alike, single_words
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import ActionField, choices_of, landmarks, put
from gonogo.wire import Action, JsonValue, Observation

MOST_VALUES, MOST_PAID, MOST_OPEN, MOST_FIRSTS = 8, 6, 3, 4
"""Values of a thing that are tried, paid episodes that are read, values of one that are left open, and actions after
which others are tried."""

LEAST_CHARS = 5
"""Characters of a text that may tell one thing from others."""

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeedStep:
    """An action of the work on one thing.

    Attributes:
        action: It, as it was sent or is for any thing.
        names: Where the thing's name stands.
        values: Where a value stands that decides whether it is done rightly.
    """

    action: Action
    names: tuple[Path, ...]
    values: tuple[Path, ...] = ()

    def of(self, name: JsonValue, value: JsonValue) -> Action:
        """The action for a thing and a value."""
        made = self.action
        for path in self.names:
            made = dict(put(made, path, name))
        for path in self.values:
            made = dict(put(made, path, value))
        return made


@dataclass(frozen=True, slots=True)
class Deed:
    """The work on one thing.

    Attributes:
        steps: What is sent.
        among: What the things are called together.
        value: The place of the value that decides; None where there is none.
        sent: The value that was paid; None where it was not flown.
        called: What it is called in tables.
    """

    steps: tuple[DeedStep, ...]
    among: str
    value: ActionField | None
    sent: JsonValue = None
    called: str = ""

    def ways(self, session: AuditSession, name: JsonValue, seen: Observation) -> list[list[Action]]:
        """The ways of doing it with a thing: with each value, and broken off.

        Args:
            session: Where what is known of values is asked.
            name: The thing's.
            seen: What is seen of it.
        """
        place = self.value
        values = [self.sent] if place is None else self._values(place, session, name, seen)
        found = [[step.of(name, value) for step in self.steps] for value in values]
        found += [found[0][:size] for size in range(1, len(self.steps)) if found]
        return found

    def _values(
        self, place: ActionField, session: AuditSession, name: JsonValue, seen: Observation
    ) -> list[JsonValue]:
        """The values that are tried in a place, the likeliest first."""
        chosen = [choice for option in place.options for choice in choices_of(option)]
        known = [*session.values.get(place.name, ()), *told_of(name, seen), *single_words(seen)]
        takes = fits_in(place)
        values = [self.sent, *(chosen or [*joined(name, seen), *known, *landmarks(place)])]
        plain = {key_of(v): v for v in values if isinstance(v, str | int | float) and v != name}
        return list(islice(filter(takes, plain.values()), MOST_VALUES))


def grouped(seen: Observation) -> dict[str, tuple[JsonValue, ...]]:
    """The names that are seen together, by what they are called together."""
    found: dict[str, tuple[JsonValue, ...]] = {}
    for among, names in several_named(seen):
        if all(isinstance(name, str | int) for name in names):
            found.setdefault(among, names)
    return found


def told_of(name: JsonValue, seen: Observation) -> Iterator[JsonValue]:
    """The plain values that are seen of a thing: of the record that stands under its name, or that holds it."""
    for value in inside(seen).values():
        if not isinstance(value, dict):
            continue
        under = value.get(name) if isinstance(name, str) else None
        told = value if name in value.values() else under
        if isinstance(told, dict):
            yield from (each for each in told.values() if isinstance(each, str | int | float))


def joined(name: JsonValue, seen: Observation) -> Iterator[JsonValue]:
    """The name of another thing of which the same text is seen as of a thing, as of one person in two tables.

    After it come the names of the other things in its table, which are wrong ones.

    Args:
        name: The thing's.
        seen: What is seen of it.
    """
    own = {value for value in told_of(name, seen) if is_distinctive(value)} - {name}
    for table in inside(seen).values():
        records = (
            [each for each in table if isinstance(each, dict)] if isinstance(table, list) else []
        )
        if any(name in record.values() for record in records):
            continue
        shared = [len(own & set(filter(is_distinctive, record.values()))) for record in records]
        if any(shared):
            partner = records[shared.index(max(shared))]
            yield from (next(iter(r.values())) for r in [partner, *records] if r)


def is_distinctive(value: JsonValue) -> bool:
    """Whether a value may tell one thing from others: a text of some length."""
    return isinstance(value, str) and len(value) >= LEAST_CHARS


def plain_deeds(session: AuditSession, seen: Observation) -> Iterator[Deed]:
    """Each action that names a thing, with each of its other places as the value that decides.

    Args:
        session: Where.
        seen: What names the things.
    """
    for place, value, beside in two_places(session.space):
        reached = all(has_room(place.base, path) for path in (place.path, value.path))
        for among in named_in(seen, place) if reached else ():
            step = DeedStep(place.base, (place.path,), (value.path,))
            called = ", ".join(filter(None, [beside, place.name, value.name]))
            yield Deed((step,), among, value, called=called)


def has_room(action: Action, path: Path) -> bool:
    """Whether the objects of a path are there in an action, so that a value can be put at its end."""
    held: JsonValue = dict(action)
    for key in path[:-1]:
        held = held.get(key) if isinstance(held, dict) else None
    return isinstance(held, dict)


def led_deeds(session: AuditSession, seen: Observation, deeds: Sequence[Deed]) -> Iterator[Deed]:
    """The same after an action that names the thing and moves a share by the source, as accepting it may be.

    Args:
        session: Where.
        seen: What names the things.
        deeds: What follows.
    """
    firsts = [
        (DeedStep(place.base, (place.path,)), among, beside)
        for place, beside in places_of(session.space)
        if moved_by(place, session.shares) and has_room(place.base, place.path)
        for among in named_in(seen, place)
    ]
    for first, among, beside in firsts[:MOST_FIRSTS]:
        for deed in deeds:
            if deed.among == among and deed.steps[0].action != first.action:
                called = f"{beside}, then {deed.called}"
                yield replace(deed, steps=(first, *deed.steps), called=called)


def paid_deeds(session: AuditSession, episodes: Sequence[Episode]) -> Iterator[Deed]:
    """What was done with one thing where something was paid, with each value in it as the one that decides.

    Args:
        session: Where.
        episodes: What was flown, with what was seen and sent.
    """
    paid = [e for e in episodes if e.error is None and total(e) > 0 and e.turns]
    for episode in sorted(paid, key=lambda e: (-total(e), len(e.turns)))[:MOST_PAID]:
        sent = actions_of(episode.turns)
        for among, names in grouped(episode.turns[0].observation).items():
            named = {key_of(name) for name in names}
            held = [{key_of(v): path for path, v in places_in(action)} for action in sent]
            told = next((key for each in held for key in each if key in named), None)
            if told is None:
                continue
            steps = [
                DeedStep(action, tuple(p for p, v in places_in(action) if key_of(v) == told))
                for action, each in zip(sent, held, strict=True)
                if told in each
            ]
            yield from opened(session, tuple(distinct(steps)), among)


def distinct(steps: Sequence[DeedStep]) -> Iterator[DeedStep]:
    """Steps without those that only repeat the one before."""
    for number, step in enumerate(steps):
        if number == 0 or step != steps[number - 1]:
            yield step


def opened(session: AuditSession, steps: tuple[DeedStep, ...], among: str) -> Iterator[Deed]:
    """The work of some steps, to be broken off where there are several, and with each of the last one's values open."""
    called = ", then ".join(said(step) for step in steps)
    if len(steps) > 1:
        yield Deed(steps, among, None, called=called)
    *before, last = steps
    values = [(p, v) for p, v in places_in(last.action) if p not in last.names]
    for path, value in values[:MOST_OPEN]:
        leaf = next((each for each in session.space.leaves() if takes_at(each, last, path)), None)
        if leaf is not None and isinstance(value, str | int | float):
            step = replace(last, values=(path,))
            yield Deed((*before, step), among, leaf, value, called)


def takes_at(leaf: ActionField, step: DeedStep, path: Path) -> bool:
    """Whether a place of the actions is the one at a path of a step, of the same tool."""
    return leaf.path == path and (not leaf.tool or leaf.tool in step.action.values())


def said(step: DeedStep) -> str:
    """A step for a reader: its values but for the thing's name."""
    return "/".join(
        str(value) for path, value in places_in(step.action) if path not in step.names and value
    )


def places_in(action: Action, path: Path = ()) -> Iterator[tuple[Path, JsonValue]]:
    """The plain values of an action, each after its path."""
    for name, value in action.items():
        if isinstance(value, dict):
            yield from places_in(value, (*path, name))
        elif not isinstance(value, list):
            yield (*path, name), value


def unlikely(deed: Deed, session: AuditSession) -> tuple[bool, int, float]:
    """What orders deeds, the likeliest first: those that move a share by the source, short ones, and by their names."""
    places = [ActionField(path, {}, {}, step.action) for step in deed.steps for path in step.names]
    pointed = any(moved_by(place, session.shares) for place in places)
    field, last = places[-1].path[-1] if places else "", deed.among.rpartition(".")[2]
    return not pointed, len(deed.steps), -alike(field, (last, ""))
