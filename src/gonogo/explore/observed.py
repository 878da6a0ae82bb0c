"""What an environment has shown, by name: ids, names and numbers that can be put into a field of the same kind.

``orders[].id`` is what a field ``order_id`` takes, ``available_rooms[]`` what ``room`` does. A name is compared by its
words, in the singular. The keys of a mapping count as ids of what it holds, and are tried for any other field, too; so
do the items of a list that are single words each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from gonogo.contract.prose import values_in
from gonogo.wire import JsonValue, Observation

MOST_NAMES = 600
MOST_VALUES = 48
MOST_LEAVES = 1500
"""Of one observation."""
MOST_CHARS = 300
DEEPEST = 8
ITEMS = 24
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
WHOLE = re.compile(r"[\w.:/@#-]{1,40}")
"""A single word, an id among them."""
TEXT = ("", "")
"""The name of what a text says somewhere."""
LIKENESS = {"exact": 3.0, "id": 2.2, "last": 1.4, "part": 1.0, "text": 0.6, "key": 0.5}
NAMES = frozenset({"id", "name", "key", "code", "title", "label", "value", "slug"})

Name = tuple[str, str]
"""The key that a value stands under, and the one that holds it."""


class Observed:
    """Values by the names that they were shown under, the latest last; what texts say has no name."""

    def __init__(self) -> None:
        self._held: dict[Name, dict[JsonValue, None]] = {}
        self._read: dict[str, None] = {}

    def add(self, observation: Observation) -> None:
        """Take down what an observation shows."""
        for number, (name, value) in enumerate(named(observation)):
            if number >= MOST_LEAVES:
                return
            self._put(name, value)
            read = self._read
            if (
                isinstance(value, str)
                and " " in value
                and value not in read
                and len(read) < MOST_LEAVES
            ):
                self._read[value] = None
                for said, _ in values_in(value[:2000])[:ITEMS]:
                    self._put(TEXT, said)

    def _put(self, name: Name, value: JsonValue) -> None:
        if isinstance(value, str) and not 0 < len(value) <= MOST_CHARS:
            return
        held = self._held.get(name)
        if held is None:
            if len(self._held) >= MOST_NAMES:
                return
            held = self._held[name] = {}
        held.pop(value, None)
        held[value] = None
        if len(held) > MOST_VALUES:
            del held[next(iter(held))]

    @property
    def keyed(self) -> bool:
        """Whether keys of a map, or a list of names, were seen."""
        return any(name == "id" and around for name, around in self._held)

    def like(self, field: str) -> list[tuple[JsonValue, float]]:
        """The values that a field of this name may take, each with how like its name is; the latest first.

        Args:
            field: The field's name.
        """
        found: dict[JsonValue, float] = {}
        for name, held in self._held.items():
            if likeness := alike(field, name):
                for value in reversed(held):
                    found[value] = max(likeness, found.get(value, 0.0))
        return sorted(found.items(), key=lambda pair: -pair[1])


def named(
    value: JsonValue,
    name: Name = TEXT,
    depth: int = 0,
    *,
    keys: bool = True,
    mapping: bool = True,
) -> Iterator[tuple[Name, JsonValue]]:
    """The plain values in a value, each with the key that it stands under and the one that holds that.

    Args:
        value: The value.
        name: Its own.
        depth: How deep it stands.
        keys: Whether the keys of what is held count as ids of it, and words in a list as ids of what it lists.
        mapping: Whether they do so of plain values, too: not in a list, whose items are records.
    """
    if isinstance(value, dict) and depth < DEEPEST:
        for key, inner in value.items():
            if keys and depth and (mapping or isinstance(inner, dict | list)):
                yield ("id", name[0]), key
            yield from named(inner, (key, name[0]), depth + 1, keys=keys)
    elif isinstance(value, list) and depth < DEEPEST:
        if keys and are_words(value):
            yield from ((("id", name[0]), inner) for inner in value[:ITEMS])
        for inner in value[:ITEMS]:
            yield from named(inner, name, depth + 1, keys=keys, mapping=False)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield name, value


def are_words(value: Sequence[JsonValue]) -> bool:
    """Whether a list holds several single words and nothing else, as one of names does."""
    return len(value) > 1 and all(isinstance(each, str) and WHOLE.fullmatch(each) for each in value)


def single_words(value: JsonValue, depth: int = 0) -> Iterator[str]:
    """The items of the lists in a value that hold single words alone.

    Args:
        value: The value.
        depth: How deep it stands.
    """
    if not isinstance(value, dict | list) or depth >= DEEPEST:
        return
    if isinstance(value, list) and are_words(value):
        yield from (str(each) for each in value[:ITEMS])
        return
    for inner in value.values() if isinstance(value, dict) else value[:ITEMS]:
        yield from single_words(inner, depth + 1)


def named_places(
    value: JsonValue, name: Name = TEXT, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Name, JsonValue]]:
    """The plain values in a value, each with its path, the key that it stands under and the one that holds that.

    The number of a key, in a path, stands for the key itself.

    Args:
        value: The value.
        name: Its own.
        path: Keys and places up to it.
    """
    if isinstance(value, dict) and len(path) < DEEPEST:
        for place, (key, inner) in enumerate(value.items()):
            if path and (isinstance(inner, dict | list) or isinstance(path[-1], str)):
                yield (*path, place), ("id", name[0]), key
            yield from named_places(inner, (key, name[0]), (*path, key))
    elif isinstance(value, list) and len(path) < DEEPEST:
        for place, inner in enumerate(value[:ITEMS]):
            yield from named_places(inner, name, (*path, place))
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield path, name, value


@lru_cache(8192)
def alike(field: str, name: Name) -> float:
    """How like a field's name is to that of a value; 0 where it is not at all."""
    if name == TEXT:
        return LIKENESS["text"]
    asked, last, around = words_of(field), words_of(name[0]), words_of(name[1])
    if asked and asked in (last, (*around, *last)):
        return LIKENESS["exact"]
    if last and last[-1] in NAMES and set(around) & set(asked):
        return LIKENESS["id"]
    if asked and last and (asked[-1] == last[-1] or asked == around):
        return LIKENESS["last"]
    if set(asked) & {*last, *around} - NAMES:
        return LIKENESS["part"]
    return LIKENESS["key"] if name[0] == "id" and name[1] else 0.0


@lru_cache(8192)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case and in the singular."""
    return tuple(singular(word.lower()) for word in WORD.findall(name))


def singular(word: str) -> str:
    """A word without the plural's ending."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
