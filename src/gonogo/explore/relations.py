"""Which record of an observation a value names, told by what the rest of the observation says of it.

``K-27`` in an action is a card; that it is one of those whose ``owner`` is what stands under ``me`` is what makes it
the right one, on every seed. So a record is kept as the collection that holds it, the attribute by which it was
singled out, what that attribute is held against, and its place among the records that agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gonogo.wire import JsonValue, Observation

ShownPath = tuple[str | int, ...]
MOST_RECORDS, MOST_ATTRIBUTES, MOST_ELSEWHERE = 60, 12, 60
DEEPEST = 4
LEAST_CHARS = 2
WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Related:
    """A record, by what singles it out.

    Attributes:
        collection: Path of what holds it.
        name: Its field that is sent; None for the key that it stands under.
        attribute: Its field that singles it out; None where it is a plain value itself.
        elsewhere: Path of what that is held against; None for always the same value.
        value: That value.
        place: Which of the records that agree.
        first: Whether in the first observation, and not in the last.
    """

    collection: ShownPath
    name: str | None
    attribute: str | None
    elsewhere: ShownPath | None
    value: JsonValue
    place: int
    first: bool

    def read(self, first: Observation, last: Observation) -> JsonValue:
        """What is sent now; None where no record agrees."""
        shown = first if self.first else last
        against = self.value if self.elsewhere is None else value_at(shown, self.elsewhere)
        found = [
            record.named(self.name)
            for record in records_of(value_at(shown, self.collection))
            if says(against, record.value(self.attribute))
        ]
        return found[min(self.place, len(found) - 1)] if found else None


@dataclass(frozen=True, slots=True)
class CollectionItem:
    """One of a collection.

    Attributes:
        key: That it stands under; None in a list.
        held: It.
    """

    key: str | None
    held: JsonValue

    def value(self, attribute: str | None) -> JsonValue:
        """Its value of an attribute; None for itself."""
        if attribute is None:
            return self.held
        return self.held.get(attribute) if isinstance(self.held, dict) else None

    def named(self, name: str | None) -> JsonValue:
        """What stands for it: a field, or its key."""
        return self.key if name is None else self.value(name)

    @property
    def attributes(self) -> list[tuple[str | None, JsonValue]]:
        """Its plain fields; itself where it is plain."""
        if isinstance(self.held, dict):
            return [(name, v) for name, v in self.held.items() if is_told(v)][:MOST_ATTRIBUTES]
        return [(None, self.held)] if is_told(self.held) else []


def related(value: JsonValue, observation: Observation, *, at_first: bool) -> Related | None:
    """What singles out the record that a value names; None where it names none, or nothing does.

    Args:
        value: It.
        observation: What was seen.
        at_first: Whether that was the first observation.
    """
    for path, records in collections_in(observation):
        for record in records:
            names = [None] if record.key is not None and record.key == value else []
            if isinstance(record.held, dict):
                fields = [n for n, held in record.held.items() if held == value]
                names += [n for n in fields if not isinstance(value, bool)]
            for name in names:
                found = singled_out(path, records, record, name, observation)
                if found is not None:
                    attribute, elsewhere, against = found
                    agree = [r for r in records if says(against, r.value(attribute))]
                    place = next(n for n, r in enumerate(agree) if r is record)
                    return Related(path, name, attribute, elsewhere, against, place, at_first)
    return None


def singled_out(
    path: ShownPath,
    records: Sequence[CollectionItem],
    record: CollectionItem,
    name: str | None,
    observation: Observation,
) -> tuple[str | None, ShownPath | None, JsonValue] | None:
    """The attribute of a record that the rest of the observation speaks of, where that is, and what is said there.

    Else an attribute that other records share, and its value: not all of them do.
    """
    attributes = [(a, v) for a, v in record.attributes if a != name or a is None]
    around = [(p, v) for p, v in scalars_in(observation) if p[: len(path)] != path]
    for attribute, value in attributes:
        for elsewhere, against in around[:MOST_ELSEWHERE]:
            if not isinstance(value, bool) and says(against, value):
                return attribute, elsewhere, against
    for attribute, value in attributes:
        alike = sum(r.value(attribute) == value for r in records)
        if attribute is not None and isinstance(value, str | bool) and 1 < alike < len(records):
            return attribute, None, value
    return None


def says(against: JsonValue, value: JsonValue) -> bool:
    """Whether something is a value, or a text in which it is a word."""
    if isinstance(against, str) and isinstance(value, str):
        return against == value or (len(value) >= LEAST_CHARS and value in WORD.findall(against))
    return against == value and type(against) is type(value)


def is_told(value: JsonValue) -> bool:
    """Whether a value is plain and says something."""
    if isinstance(value, str):
        return len(value) >= LEAST_CHARS
    return isinstance(value, bool) or (isinstance(value, int | float) and abs(value) > 1)


def collections_in(
    value: JsonValue, path: ShownPath = ()
) -> Iterator[tuple[ShownPath, list[CollectionItem]]]:
    """The lists of records, and the mappings from names to something, that an observation holds."""
    if len(path) >= DEEPEST:
        return
    records = records_of(value) if path else []
    if len(records) > 1:
        yield path, records
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from collections_in(inner, (*path, key))


def records_of(value: JsonValue) -> list[CollectionItem]:
    """The records of a collection; none of what is none."""
    if isinstance(value, dict):
        return [CollectionItem(key, held) for key, held in value.items()][:MOST_RECORDS]
    if isinstance(value, list):
        return [CollectionItem(None, held) for held in value if isinstance(held, dict)][
            :MOST_RECORDS
        ]
    return []


def scalars_in(value: JsonValue, path: ShownPath = ()) -> Iterator[tuple[ShownPath, JsonValue]]:
    """The plain values that say something, each with its path; those of lists left out."""
    if isinstance(value, dict) and len(path) < DEEPEST:
        for key, inner in value.items():
            yield from scalars_in(inner, (*path, key))
    elif is_told(value) and not isinstance(value, bool):
        yield path, value


def value_at(held: JsonValue, path: ShownPath) -> JsonValue:
    """What stands at a path; the number of a key stands for the key itself, and None for nothing."""
    for key in path:
        if isinstance(held, dict) and key in held:
            held = held[str(key)]
        elif isinstance(held, dict) and isinstance(key, int) and key < len(held):
            held = list(held)[key]
        elif isinstance(held, list) and isinstance(key, int) and key < len(held):
            held = held[key]
        else:
            return None
    return held
