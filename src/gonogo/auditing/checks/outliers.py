"""Which entry of a list or mapping stands out, and whether an agent sees as much.

An answer may be handed out without standing anywhere as a value: a table of faults that are all zero but for one. A few
plain statements are tried: the one entry that differs from all the others, the one that is true, the greatest and the
least; of entries that are objects the same of each of their fields. What is told is the entry's key, its place, or what
it is called. And a text may single out one of several that are seen together, as the name of one of some valves does.

Much of what is hidden is only seen in another form: as another table with the same entry out of line, as a mark on a
grid, or as a text that says of one name what it says of no other. What stands out there as well is not hidden.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from statistics import fmean

from gonogo.auditing.resets import (
    Opening,
    inside,
    is_seen,
    key_of,
    next_other,
    values_of,
    with_readings,
)
from gonogo.auditing.suspicions import EXPLAINED, MOSTLY
from gonogo.rollouts.schema import is_number
from gonogo.wire import JsonValue, Observation

LEAST_ODD, LEAST_ENTRIES, MOST_ENTRIES = 3, 2, 1000
"""Entries of which one can differ from all the others; those of which one can be the greatest; and so many at most."""
MOST_FIELDS, MOST_NAMES = 8, 2
"""Fields of objects that are compared, and fields that tell objects apart."""
AROUND, MOST_WORDS, MOST_STATEMENTS = 4, 5_000, 60
"""Words before and after a name that are compared, words of each part of what is seen, and statements tried."""
IS_TRUE, ITEM_OF, WHOSE_PLACE = "is true", "item of ", "whose place"
WORD = re.compile(r"[a-z]+|(?:(?<!\w)-)?\d+(?:\.\d+)?")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
TIME = re.compile(r"(?:\d{4}-\d\d-\d\d)?[T ]?(?:\d\d:\d\d(?::\d\d)?)?", re.ASCII)
"""A date, a time of day, or both, in digits that sort as they pass."""


def words_of(text: str) -> list[str]:
    """The words and numbers of a text or name, also of one in camel case."""
    found = WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())
    return [word.rstrip("0").rstrip(".") if "." in word else word for word in found]


@dataclass(frozen=True, slots=True)
class Outlier:
    """An entry that stands out.

    Attributes:
        path: Where the list or mapping stands.
        said: How, and of what: a statement that is the same on every seed.
        among: What the entries are called, as in ``key of state.faults``.
        place: Which one it is.
        names: What each of the entries is called.
    """

    path: str
    said: str
    among: str
    place: int
    names: tuple[JsonValue, ...]

    @property
    def name(self) -> JsonValue:
        """What the entry is called."""
        return self.names[self.place]

    @property
    def another(self) -> JsonValue:
        """What the next entry is called that is called otherwise."""
        return next_other(self.names, self.place)


def outliers(path: str, value: JsonValue) -> Iterator[Outlier]:
    """The entries of a list or mapping that stand out.

    Args:
        path: Where it stands.
        value: It; any other value has no entries.
    """
    if not isinstance(value, dict | list) or not LEAST_ENTRIES <= len(value) <= MOST_ENTRIES:
        return
    named = list(names_of(path, value))
    for field, column in columns(entries_in(value)):
        for how, place in stand_out(column):
            for among, names in named:
                whose = f"whose {field}" if field else "that" if how == IS_TRUE else "whose value"
                yield Outlier(path, f"the one {among} {whose} {how}", among, place, names)


Groups = Mapping[str, tuple[str, tuple[JsonValue, ...]]]
"""Each text that is seen among several, with what they are called together and what they are."""


def groups_of(observation: Observation) -> Groups:
    """The names that are seen beside others, as keys, items or fields."""
    found: dict[str, tuple[str, tuple[JsonValue, ...]]] = {}
    for path, held in inside(observation).items():
        for among, names in names_of(path, held):
            if LEAST_ODD <= len(set(map(key_of, names))) <= MOST_ENTRIES:
                texts = (name for name in names if isinstance(name, str))
                found |= {text: (among, names) for text in texts if text not in found}
    return found


def single_out(path: str, value: JsonValue, groups: Groups) -> Iterator[Outlier]:
    """What a value singles out: an entry of its own that stands out; a text or a number, one of several that are seen.

    Args:
        path: Where it stands.
        value: It.
        groups: What is seen.
    """
    yield from outliers(path, value)
    if isinstance(value, str) and value in groups:
        among, names = groups[value]
        yield Outlier(path, path, among, names.index(value), names)
    if isinstance(value, int) and not isinstance(value, bool):
        for among, names in dict.fromkeys(groups.values()):
            if among.startswith(ITEM_OF) and 0 <= value < len(names):
                yield Outlier(path, f"the {among} {WHOSE_PLACE} {path} tells", among, value, names)


def names_of(path: str, value: JsonValue) -> Iterator[tuple[str, tuple[JsonValue, ...]]]:
    """What the entries of a list or mapping may be called, each after what that is."""
    if isinstance(value, dict):
        yield f"key of {path}", tuple(value)
        return
    held = value if isinstance(value, list) else []
    yield f"place in {path}", tuple(range(len(held)))
    if all(is_plain(item) for item in held):
        yield f"{ITEM_OF}{path}", tuple(held)
    telling = [
        (name, column)
        for name, column in columns(held)
        if name and len(set(map(key_of, column))) == len(column)
    ]
    for name, column in telling[:MOST_NAMES]:
        yield f"{name} in {path}", tuple(column)


def columns(held: Sequence[JsonValue]) -> Iterator[tuple[str, list[JsonValue]]]:
    """The values that are compared: the entries, by no name; or each field that all of them have."""
    if all(is_plain(item) for item in held):
        yield "", list(held)
    if held and all(isinstance(item, dict) for item in held):
        objects = [item for item in held if isinstance(item, dict)]
        common = [name for name in objects[0] if all(name in item for item in objects)]
        plain = [name for name in common if all(is_plain(item[name]) for item in objects)]
        yield from ((name, [item[name] for item in objects]) for name in plain[:MOST_FIELDS])


def is_plain(value: JsonValue) -> bool:
    """Whether a value holds no others."""
    return not isinstance(value, dict | list)


def stand_out(column: Sequence[JsonValue]) -> Iterator[tuple[str, int]]:
    """The places of a column that stand out, each after how."""
    if all(isinstance(value, bool) for value in column) and column.count(True) == 1:
        yield IS_TRUE, column.index(True)
        return
    keys = [key_of(value) for value in column]
    counts = Counter(keys)
    if len(column) >= LEAST_ODD and len(counts) == 2 and min(counts.values()) == 1:
        yield "differs from all the others", keys.index(min(counts, key=counts.__getitem__))
    numbers = [value for value in column if is_number(value)]
    if len(numbers) == len(column) >= LEAST_ENTRIES:
        for how, best in (("is the greatest", max(numbers)), ("is the least", min(numbers))):
            if numbers.count(best) == 1:
                yield how, numbers.index(best)


def hidden_outliers(openings: Sequence[Opening], dropped: set[str]) -> list[list[Outlier]]:
    """What is hidden and singles out an entry at every reset, as nothing that is seen does: a list of entries each.

    Args:
        openings: The resets.
        dropped: Paths that are left out.
    """
    shown = [ShownForms(opening) for opening in openings]
    found = [
        {
            each.said: each
            for path, value in values_of(opening).items()
            if not is_seen(path) and path not in dropped
            for each in single_out(path, value, here.groups)
        }
        for opening, here in zip(openings, shown, strict=True)
    ]
    common = [said for said in found[0] if all(said in each for each in found)] if found else []
    common.sort(key=lambda said: WHOSE_PLACE in said)  # there are many of these
    rows = ([each[said] for each in found] for said in common)
    differing = (
        row
        for row in rows
        if len({key_of(each.name) for each in row}) > 1
        and (WHOSE_PLACE not in row[0].said or len({each.place for each in row}) > 1)
    )
    return [row for row in islice(differing, MOST_STATEMENTS) if not is_told(row, shown)]


class ShownForms:
    """What a reset shows an agent, in all the forms in which an entry may stand out.

    Args:
        opening: The reset.

    Attributes:
        seen: What the observation shows, by path.
    """

    def __init__(self, opening: Opening) -> None:
        self.seen = inside(opening.observation)
        self._observation = opening.observation

    @cached_property
    def groups(self) -> Groups:
        """The names that are seen beside others."""
        return groups_of(self._observation)

    @cached_property
    def values(self) -> dict[str, str]:
        """Each value and reading that holds no others, by its path, as a text."""
        told = with_readings(self.seen)
        return {path: said(value) for path, value in told.items() if is_plain(value)}

    @cached_property
    def outliers(self) -> dict[str, Outlier]:
        """What stands out in lists and mappings, in their numbers and times, and in grids read row after row."""
        found = [("observation", self._observation), *self.seen.items()]
        found += [
            (f"the numbers of {path}", {k: v for k, v in value.items() if is_number(v)})
            for path, value in found
            if isinstance(value, dict)
        ]
        found += [(f"the cells of {path}", cells(value)) for path, value in self.seen.items()]
        found += [(f"the times of {path}", times(value)) for path, value in self.seen.items()]
        return {o.said: o for path, value in found for o in outliers(path, value)}

    @cached_property
    def words(self) -> dict[str, list[str]]:
        """All that is seen, names and values, word by word: of each part of the observation, by its name."""
        parts = self._observation.items()
        return {name: words_of(" ".join(spoken(held)))[:MOST_WORDS] for name, held in parts}


def times(value: JsonValue) -> JsonValue:
    """A value with a number for each time of day and each date in it, the later the greater."""
    if isinstance(value, dict):
        return {name: times(held) for name, held in value.items()}
    if isinstance(value, list):
        return [times(held) for held in value]
    if isinstance(value, str) and value.strip() and TIME.fullmatch(value):
        return int("".join(filter(str.isdigit, value)))
    return value


def entries_in(value: JsonValue) -> list[JsonValue]:
    """What a mapping or a list holds; nothing of anything else."""
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def spoken(value: JsonValue) -> Iterator[str]:
    """The names and values that a value holds, in their order."""
    if isinstance(value, dict):
        for name, held in value.items():
            yield name
            yield from spoken(held)
    elif isinstance(value, list):
        for held in value:
            yield from spoken(held)
    elif value is not None:
        yield str(value)


def said(value: JsonValue) -> str:
    """A value as a text, alike for a number and its digits."""
    return " ".join(words_of(str(value)))


def cells(value: JsonValue) -> list[JsonValue]:
    """The cells of a grid, row after row; none of anything else."""
    rows: list[JsonValue] = []
    if isinstance(value, list):
        rows = value
    elif isinstance(value, str) and "\n" in value:
        rows = [*value.splitlines()]
    if not all(isinstance(row, list | str) for row in rows):
        return []
    return [cell for row in rows if isinstance(row, list | str) for cell in row]


def is_told(row: Sequence[Outlier], shown: Sequence[ShownForms]) -> bool:
    """Whether what an agent sees singles out the same entry, in one way on nearly every seed."""
    ways = (as_value(row, shown), as_outlier(row, shown), as_text(row, shown))
    return any(share >= MOSTLY for way in ways for share in way)


def as_value(row: Sequence[Outlier], shown: Sequence[ShownForms]) -> Iterator[float]:
    """For each value that is seen, on how many seeds it is what the entry is called."""
    for path in shown[0].values:
        yield fmean(s.values.get(path) == said(o.name) for o, s in zip(row, shown, strict=True))


def as_outlier(row: Sequence[Outlier], shown: Sequence[ShownForms]) -> Iterator[float]:
    """For each list or mapping that is seen, on how many seeds the same entry stands out, by its name or its place."""
    for statement in shown[0].outliers:
        yield fmean(
            (other := s.outliers.get(statement)) is not None
            and (
                said(other.name) == said(o.name)
                or (other.place == o.place and len(other.names) == len(o.names))
            )
            for o, s in zip(row, shown, strict=True)
        )


def as_text(row: Sequence[Outlier], shown: Sequence[ShownForms]) -> Iterator[float]:
    """For each way in which a text can single out one of some names, on how many seeds it does so with the entry's."""
    ways = [
        {(part, way) for part, words in s.words.items() for way in singled_out(words, o)}
        for o, s in zip(row, shown, strict=True)
    ]
    for way in ways[0]:
        yield fmean(way in each for each in ways)


def singled_out(words: Sequence[str], outlier: Outlier) -> set[str]:
    """The ways in which a text singles out an entry: only it is named, or something else is said of it."""
    names = [tuple(words_of(str(name))) for name in outlier.names]
    found = mentions(words, names)
    named = {name for name, _, _ in found}
    others = [number in named for number in range(len(names)) if number != outlier.place]
    if outlier.place in named and fmean(others) < 1 - EXPLAINED:
        return {"named alone"}
    if len(named) < MOSTLY * len(names):
        return set()
    told: dict[str, dict[int, JsonValue]] = {}
    counts = Counter[int]()
    for number, (name, start, end) in enumerate(found):
        counts[name] += 1
        stop = found[number + 1][1] if number + 1 < len(found) else len(words)
        begin = found[number - 1][2] if number else 0
        after, before = words[end:stop], words[begin:start][::-1]
        for side, said_there in (("after", after), ("before", before)):
            for place in range(AROUND):
                word = said_there[place] if place < len(said_there) else None
                told.setdefault(f"word {place} {side} {counts[name]}", {})[name] = word
            first = next((float(word) for word in said_there if NUMBER.fullmatch(word)), None)
            told.setdefault(f"number {side} {counts[name]}", {})[name] = first
    told["mentions"] = dict(counts)
    return {
        f"{way} {how}"
        for way, column in told.items()
        for how, place in stand_out([column.get(n) for n in range(len(names))])
        if place == outlier.place
    }


def mentions(words: Sequence[str], names: Sequence[tuple[str, ...]]) -> list[tuple[int, int, int]]:
    """Where names stand in a text: which one, and where it begins and ends; of two that begin together the longer."""
    begins: dict[str, list[int]] = {}
    for number in sorted(range(len(names)), key=lambda n: -len(names[n])):
        for first in names[number][:1]:
            begins.setdefault(first, []).append(number)
    found, place = [], 0
    while place < len(words):
        here = (n for n in begins.get(words[place], ()) if stands_at(words, place, names[n]))
        name = next(here, None)
        if name is None:
            place += 1
            continue
        found.append((name, place, place + len(names[name])))
        place += len(names[name])
    return found


def stands_at(words: Sequence[str], place: int, name: Sequence[str]) -> bool:
    """Whether a name stands at a place of a text."""
    return tuple(words[place : place + len(name)]) == tuple(name)
