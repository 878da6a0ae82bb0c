"""Habits that say what they are about, and beside it what nobody would say who tries.

Many an action counts only where one field says which ticket, sample or part it is for, and those differ from episode to
episode. So a field takes the name of each thing in turn that is seen under a name like its own, and all else is the
same for each of them: one choice, a number beyond all sense, or a text that says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest

from gonogo.exploits.crossings import Chosen, around, fits, named, single_choices
from gonogo.exploits.panel import CLAIM, NONSENSE, NUMBERS, Choose, Habit, Kind, shortened
from gonogo.explore.observed import LIKENESS, Observed, alike, words_of
from gonogo.explore.observed import named as named_values
from gonogo.rollouts.space import (
    EACH,
    ActionField,
    Space,
    choices_of,
    extreme_values,
    free_text,
    value_at,
)
from gonogo.rollouts.types import View
from gonogo.wire import Action, JsonValue, Observation

MOST, MOST_DECISIONS = 48, 24
MOST_ADDRESSES = 3
PLAIN = 1
"""What stands in a number beside the one that is asked about."""
LIKE = LIKENESS["last"]
"""How like the name of what is seen has to be to the field's."""
TEXTS = ((Kind.NONSENSE, NONSENSE[0]), (Kind.CLAIM, CLAIM))


def addressed(space: Space, observed: Observed) -> list[Habit]:
    """The habits: each choice, or none, beside each address and one value of one other field; the first of all first.

    Args:
        space: The actions.
        observed: What was seen so far: only what was seen under a field's name is an address.
    """
    places = [leaf for leaf in space.leaves() if EACH not in leaf.path]
    addresses = addresses_in(space, observed)
    single: list[Chosen] = [*single_choices(space), ()]
    ways = [
        habits_of(chosen, address, place, places)
        for chosen in single
        for address in addresses
        for place in places
        if place.path != address.path
        and place.tool == address.tool
        and fits(chosen, address)
        and fits(chosen, place)
    ]
    rounds = (habit for some in zip_longest(*ways) for habit in some if habit is not None)
    return list(islice(rounds, MOST))


def decisions(space: Space, observed: Observed) -> list[Habit]:
    """The habits of one choice for each thing in turn, all else being idle's.

    Args:
        space: The actions.
        observed: What was seen so far.
    """
    chosen, addresses = [*single_choices(space), ()], addresses_in(space, observed)
    ways = ((some, address) for some in chosen for address in addresses if fits(some, address))
    return [
        Habit(
            ", ".join(filter(None, [named(some), f"{address.name}: each seen name in turn"])),
            Kind.CONSTANT,
            one_each(address, some),
            address.name,
        )
        for some, address in islice(ways, MOST_DECISIONS)
    ]


def one_each(address: ActionField, chosen: Chosen) -> Choose:
    """The rule that names one thing after the other beside some choices."""
    place = around(chosen, address)

    def choose(view: View, last: Action | None) -> Action:
        return place.put(next_name(view, address, last))

    return choose


def next_name(view: View, address: ActionField, last: Action | None) -> str:
    """The name after the one that was sent last, of those that are seen; the first where that is seen no more.

    What was dealt with is often shown no longer, so that those after it move up.
    """
    known = seen_under(view.observation, address.path[-1])
    return next_of(known, None if last is None else value_at(last, address.name))


def next_of(known: Sequence[str], before: JsonValue) -> str:
    """The name after one of some names, in a circle; the first where that is not among them, and none of none."""
    place = known.index(before) + 1 if isinstance(before, str) and before in known else 0
    return known[place % len(known)] if known else ""


def addresses_in(space: Space, observed: Observed) -> list[ActionField]:
    """The fields that take a text under whose name, or one like it, something was seen."""
    texts = texts_of(space)
    return list(islice((leaf for leaf in texts if names_in(observed, leaf)), MOST_ADDRESSES))


def addresses_or_keyed(space: Space, observed: Observed) -> list[ActionField]:
    """The same; where there are none, fields that an action needs beside a choice, if keys of a map were seen.

    They may be what such a field names: ``balance`` takes the tags of a ``bench``.

    Args:
        space: The actions.
        observed: What was seen so far.
    """
    found = addresses_in(space, observed)
    if found or not observed.keyed or not any(single_choices(space)):
        return found
    needed = (leaf for leaf in texts_of(space) if value_at(leaf.base, leaf.name) is not None)
    return list(islice(needed, MOST_ADDRESSES))


def texts_of(space: Space) -> Iterator[ActionField]:
    """The fields that take any text, without those of each item of a list."""
    places = (leaf for leaf in space.leaves() if EACH not in leaf.path)
    return (leaf for leaf in places if free_text(leaf.schema, leaf.root) is not None)


def names_in(observed: Observed, leaf: ActionField) -> bool:
    """Whether something was seen under a name like a field's."""
    known = observed.like(leaf.path[-1])
    return any(isinstance(value, str) and likeness >= LIKE for value, likeness in known)


def habits_of(
    chosen: Chosen, address: ActionField, place: ActionField, places: Sequence[ActionField]
) -> Iterator[Habit]:
    """The habits of one field beside some choices and an address; numbers that may be left out are not."""
    if any(choices_of(option) for option in place.options):
        return
    text = free_text(place.schema, place.root)
    values: list[tuple[Kind, JsonValue]] = (
        [(kind, said[: text.get("maxLength", len(said))]) for kind, said in TEXTS]
        if text is not None
        else [
            (Kind.EXTREME, value)
            for _, value in extreme_values(place)
            if isinstance(value, int | float) and not math.isnan(value)
        ]
    )
    others = (leaf for leaf in places if fits(((place, None), (address, None)), leaf))
    left_out = [leaf for leaf in others if leaf.path[-1] not in leaf.base and is_number(leaf)]
    beside = around((*chosen, *((leaf, PLAIN) for leaf in left_out if fits(chosen, leaf))), place)
    for kind, value in values:
        said = shortened(value) if isinstance(value, str) else value
        name = f"{address.name}: each seen name in turn, always {place.name}={said}"
        name = ", ".join(filter(None, [named(chosen), name]))
        yield Habit(name, kind, in_turn(address, beside, value), place.name, context=beside.base)


def is_number(leaf: ActionField) -> bool:
    """Whether a field takes a number that has no choices."""
    kinds = {option.get("type") for option in leaf.options if not any(choices_of(option))}
    return bool(kinds & NUMBERS)


def in_turn(address: ActionField, place: ActionField, value: JsonValue) -> Choose:
    """The rule that names one thing after the other, again from the first, with the same value beside each."""

    def choose(view: View, last: Action | None) -> Action:
        return around(((address, next_name(view, address, last)),), place).put(value)

    return choose


def seen_under(observation: Observation, field: str) -> Sequence[str]:
    """The names that an observation holds under what is most like a field's, in their order.

    Args:
        observation: What is seen.
        field: The field's name.
    """
    # Where an id is asked for and one is told, the names of its record's fields are none.
    for keys in (False, True) if words_of(field)[-1:] == ("id",) else (True,):
        found: dict[float, dict[str, None]] = {}
        for name, value in named_values(observation, keys=keys):
            if isinstance(value, str) and value and (likeness := alike(field, name)) >= LIKE:
                found.setdefault(likeness, {})[value] = None
        if found:
            return list(found[max(found)])
    return []


def seen_or_keyed(observation: Observation, field: str) -> Sequence[str]:
    """The same; where there are none, the keys of the first map that is seen, or its first list of names.

    Args:
        observation: What is seen.
        field: The field's name.
    """
    keys: dict[str, dict[str, None]] = {}
    for (name, holder), value in named_values(observation):
        if isinstance(value, str) and value and name == "id" and holder:
            keys.setdefault(holder, {})[value] = None
    return seen_under(observation, field) or list(next(iter(keys.values()), ()))
