"""Lists that an agent is meant to read, and whether a hidden list is one of them.

A list is no secret that the observation shows, or that its texts tell in words; nor one that gives what is seen in the
order in which it is seen, or sorted by something that is seen of it, also by words that rank, such as ``high`` and
``low``, or by what each thing needs before; nor one whose entries are shown one by one, each when it is to be sent.
"""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, zip_longest

from gonogo.auditing.checks.handed_out import told_in_words, told_one_to_one
from gonogo.auditing.checks.outliers import columns, entries_in, is_plain, names_of, said
from gonogo.auditing.checks.split_values import SeenResets, figure, told_in_turn
from gonogo.auditing.resets import Values, inside, key_of
from gonogo.auditing.suspicions import MOSTLY
from gonogo.wire import JsonValue, Observation

MOST_CHARS = 400
"""Characters of a text that is read as a list."""
REPEATS = 2
"""So often, on average, one kind has to come before another one to rank them."""
WORD = r"[^\W\d_]+"
DECIMAL = re.compile(rf"\d+(?:\.\d+)?|{WORD}")
"""The numbers of a text, with their decimals, and its words."""
COUNTED = re.compile(rf"\d+|{WORD}")
"""The same with each number of ``1.10.0`` alone."""
HALF_DAYS = {"am": 0.0, "pm": 1.0}
UNITS = {
    "b": 1.0, "k": 1e3, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
    "mg": 1.0, "g": 1e3, "kg": 1e6, "t": 1e9, "mm": 1.0, "cm": 10.0, "m": 1e3, "km": 1e6,
    "ms": 1e-3, "s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0,
    "day": 86400.0, "week": 604800.0,
}  # fmt: skip
"""What a number is multiplied by, for the unit after it."""
CALENDAR = {
    name.lower()[:size]: float(place)
    for names in (calendar.month_name, calendar.day_name)
    for place, name in enumerate(names)
    for size in (3, len(name))
    if name
}
"""Months and days of the week, also in short, by their place."""
BETWEEN = re.compile(r"\s*(?:->|=>|→|[,;>|\n])\s*|\s+")


def entries_of(value: JsonValue, column: str = "") -> list[JsonValue]:
    """The entries of a list, or of a text that lists them; nothing of anything else.

    Args:
        value: It.
        column: The field of each entry that is meant; empty for the whole.
    """
    if isinstance(value, str) and len(value) <= MOST_CHARS:
        return [*filter(None, BETWEEN.split(value.strip("[]() ")))]
    held = value if isinstance(value, list) else []
    if not column:
        return held
    return [entry.get(column) for entry in held if isinstance(entry, dict)]


def counts_up(entries: Sequence[JsonValue]) -> bool:
    """Whether entries are only their own numbers, as a list's steps are that are counted."""
    first = entries[0]
    return isinstance(first, int) and list(entries) == [*range(first, first + len(entries))]


def is_seen_in_order(
    values: Sequence[JsonValue], lists: Sequence[list[JsonValue]], resets: SeenResets
) -> bool:
    """Whether an agent sees a list: as it is, in words, or in the order of what is seen.

    Args:
        values: It on each seed.
        lists: Its entries on each seed.
        resets: The resets that tell it.
    """
    seen = resets.seen
    if told_one_to_one(values, seen) or told_one_to_one(lists, seen) or by_needs(lists, seen):
        return True
    return all(
        told_in_turn(r, resets.words) or in_order_of_what_is_seen(r, seen) or ranked(r, seen)
        for r in varying(lists)
    )


def in_order_of_what_is_seen(rows: Sequence[list[JsonValue]], seen: Sequence[Values]) -> bool:
    """Whether entries stand in one order of what is seen on nearly every seed.

    Args:
        rows: The entries on each seed.
        seen: What each shows, by path.
    """
    ways = [set(orders_seen(row, shown)) for row, shown in zip(rows, seen, strict=True)]
    counts = Counter(way for each in ways for way in each)
    return any(count >= MOSTLY * len(rows) for count in counts.values())


def by_needs(lists: Sequence[list[JsonValue]], seen: Sequence[Values]) -> bool:
    """Whether a field of each entry lists only entries before it, or only entries after it, as ``needs`` does.

    Args:
        lists: The entries on each seed.
        seen: What each shows, by path.
    """
    ways = [set(ways_needed(row, shown)) for row, shown in zip(lists, seen, strict=True)]
    return bool(ways) and bool(set.intersection(*ways))


def ways_needed(entries: Sequence[JsonValue], seen: Values) -> Iterator[str]:
    """The fields in which each entry names only entries before it, or only entries after it.

    Args:
        entries: The entries.
        seen: What the observation shows, by path.
    """
    places = {said(entry): place for place, entry in enumerate(entries)}
    for path, value in seen.items():
        if not isinstance(value, dict | list):
            continue
        held = entries_in(value)
        fields = {field for each in held if isinstance(each, dict) for field in each}
        tables = [
            (field, [e.get(field) if isinstance(e, dict) else None for e in held])
            for field in fields
        ]
        for among, names in names_of(path, value):
            for field, needs in [("", held), *tables]:
                pairs = [
                    (places[said(name)], places[said(need)])
                    for name, some in zip(names, needs, strict=False)
                    for need in (some if isinstance(some, list) else ())
                    if said(name) in places and said(need) in places
                ]
                if len(pairs) >= len(entries) - 1:
                    if all(need < place for place, need in pairs):
                        yield f"{among} after {field}"
                    if all(need > place for place, need in pairs):
                        yield f"{among} before {field}"


def varying(lists: Sequence[list[JsonValue]]) -> list[list[list[JsonValue]]]:
    """The columns of some lists that are not the same on every seed; where none is, all that their entries hold.

    Args:
        lists: The entries on each seed.
    """
    fields = [field for field, _ in columns(lists[0])]
    tried = [[entries_of(entries, field) for entries in lists] for field in fields]
    found = [
        rows
        for rows in tried
        if len(set(map(key_of, rows))) > 1 and not all(row and counts_up(row) for row in rows)
    ]
    return found or [[[*chain(*map(plain_values, entries))] for entries in lists]]


def plain_values(value: JsonValue) -> Iterator[JsonValue]:
    """What a value holds that holds no others; itself, if it is such a one."""
    if is_plain(value):
        yield value
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in held:
        yield from plain_values(each)


def orders_seen(entries: Sequence[JsonValue], seen: Values) -> Iterator[str]:
    """The orders of what is seen in which some entries stand one after another: its own, or by what is seen of it.

    Args:
        entries: The entries.
        seen: What the observation shows, by path.
    """
    wanted = [said(entry) for entry in entries]
    for path, value in seen.items():
        if not isinstance(value, dict | list) or len(value) < len(wanted):
            continue
        held = entries_in(value)
        keys: Mapping[str, Sequence[JsonValue]] = {"": range(len(held)), **dict(columns(held))}
        for among, names in names_of(path, value):
            told = [said(name) for name in names]
            for how, column in keys.items():
                for part in (DECIMAL, COUNTED):
                    keys_of = [sorting(each, part) for each in column]
                    order = sorted(range(len(told)), key=keys_of.__getitem__)
                    for way, places in (("up", order), ("down", order[::-1])):
                        if follows(wanted, [told[n] for n in places]):
                            yield f"{among} by {how} {way}"


def sorting(value: JsonValue, part: re.Pattern[str] = DECIMAL) -> list[tuple[bool, float, str]]:
    """A key that sorts as a reader does: by the numbers of a text, with ``pm`` or ``MB`` after them, then by its words.

    Months and days of the week come as in the calendar, and a month before the number beside it.

    Args:
        value: What is sorted.
        part: What it is made of, if it is a text.
    """
    if isinstance(value, int | float):
        return [(False, figure(value), "")]
    parts = part.findall(str(value).lower())
    counted = any(each[0].isdecimal() for each in parts)
    half = next((each for each in parts if counted and each in HALF_DAYS), "")
    found = [(False, HALF_DAYS[half], "")] if half else list[tuple[bool, float, str]]()
    before = ""
    for each, after in zip_longest(parts, parts[1:], fillvalue=""):
        if each[0].isdecimal():
            hour = half and not before
            told = float(each) % 12 if hour else float(each)
            found.append((False, told * UNITS.get(one_of(after), 1.0), ""))
        elif each in CALENDAR:
            found.insert(0, (False, CALENDAR[each], ""))
        elif each != half and not (before[:1].isdecimal() and one_of(each) in UNITS):
            found.append((True, 0.0, each))
        before = each
    return found


def one_of(unit: str) -> str:
    """A unit without its plural."""
    return unit.removesuffix("s") if len(unit) > len("ms") else unit


def follows(wanted: Sequence[str], told: Iterable[str]) -> bool:
    """Whether some names stand one after another among others."""
    rest = iter(told)
    return all(name in rest for name in wanted)


def ranked(rows: Sequence[list[JsonValue]], seen: Sequence[Values]) -> bool:
    """Whether something that is seen of the entries ranks them, as words such as ``high`` and ``low`` do.

    Args:
        rows: The entries on each seed.
        seen: What each shows, by path.
    """
    ranks = [
        {way: kinds for way, kinds in kinds_of(row, shown)}
        for row, shown in zip(rows, seen, strict=True)
    ]
    for way in ranks[0]:
        if not all(way in each for each in ranks):
            continue
        pairs = Counter(
            (one, other)
            for each in ranks
            for one, other in combinations(each[way], 2)
            if one != other
        )
        contradicted = any((other, one) in pairs for one, other in pairs)
        if pairs and not contradicted and sum(pairs.values()) >= REPEATS * len(pairs):
            return True
    return False


def kinds_of(entries: Sequence[JsonValue], seen: Values) -> Iterator[tuple[str, list[str]]]:
    """What is seen of each entry, in the order of the entries: of each table that names them all, each column.

    Args:
        entries: The entries.
        seen: What the observation shows, by path.
    """
    wanted = [said(entry) for entry in entries]
    for path, value in seen.items():
        if not isinstance(value, dict | list):
            continue
        held = entries_in(value)
        for among, names in names_of(path, value):
            told = [said(name) for name in names]
            if len(set(told)) == len(told) and set(wanted) <= set(told):
                for field, column in columns(held):
                    yield f"{among} by {field}", [key_of(column[told.index(n)]) for n in wanted]


def shown_in_turn(
    before: Sequence[Sequence[Observation]], lists: Sequence[list[JsonValue]]
) -> bool:
    """Whether what is seen before each entry is sent says it, as where to follow is the task.

    Args:
        before: What was seen on each seed before each entry; less where an episode ended.
        lists: The entries on each seed.
    """
    told = [
        (inside(shown), entry)
        for observations, entries in zip(before, lists, strict=True)
        for shown, entry in zip(observations, entries, strict=False)
    ]
    seen = [shown for shown, _ in told]
    sent: list[list[JsonValue]] = [[*plain_values(entry)] for _, entry in told]
    width = min(map(len, sent), default=0)
    found = [[entry[n] for entry in sent] for n in range(width)]
    varied = [column for column in found if len(set(map(key_of, column))) > 1]
    return bool(varied) and all(told_one_to_one(c, seen) or told_in_words(c, seen) for c in varied)
