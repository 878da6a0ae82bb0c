"""Lists that an agent is meant to read, and whether a hidden list is one of them.

A list is no secret that the observation shows, or that its texts tell in words; nor one that gives what is seen in the
order in which it is seen, or sorted by something that is seen of it, also by words that rank, such as ``high`` and
``low``; nor one whose entries are shown one by one, each when it is to be sent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations

from gonogo.auditing.checks.handed_out import told_in_words, told_one_to_one
from gonogo.auditing.checks.outliers import columns, is_plain, names_of, said
from gonogo.auditing.checks.split_values import SeenResets, told_in_turn
from gonogo.auditing.resets import Values, inside, key_of
from gonogo.auditing.suspicions import MOSTLY
from gonogo.rollouts.episodes import Episode
from gonogo.wire import JsonValue

MOST_CHARS = 400
"""Characters of a text that is read as a list."""
REPEATS = 2
"""So often, on average, one kind has to come before another one to rank them."""
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
    if told_one_to_one(values, seen) or told_one_to_one(lists, seen):
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
        held = list(value.values()) if isinstance(value, dict) else value
        keys: Mapping[str, Sequence[JsonValue]] = {"": range(len(held)), **dict(columns(held))}
        for among, names in names_of(path, value):
            told = [said(name) for name in names]
            for how, column in keys.items():
                order = sorted(range(len(told)), key=lambda n: sorting(column[n]))
                for way, places in (("up", order), ("down", order[::-1])):
                    if follows(wanted, [told[n] for n in places]):
                        yield f"{among} by {how} {way}"


def sorting(value: JsonValue) -> tuple[bool, float, str]:
    """A key that sorts numbers as numbers, and before anything else."""
    if isinstance(value, int | float):
        return False, float(value), ""
    return True, 0.0, str(value)


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
        held = list(value.values()) if isinstance(value, dict) else value
        for among, names in names_of(path, value):
            told = [said(name) for name in names]
            if len(set(told)) == len(told) and set(wanted) <= set(told):
                for field, column in columns(held):
                    yield f"{among} by {field}", [key_of(column[told.index(n)]) for n in wanted]


def shown_in_turn(flown: Sequence[Episode], lists: Sequence[list[JsonValue]]) -> bool:
    """Whether what is seen at each turn says the entry that is sent there, as where to follow is the task.

    Args:
        flown: Episodes in which the entries were sent, with what was seen.
        lists: The entries of each.
    """
    seen = [
        inside(turn.observation)
        for episode, entries in zip(flown, lists, strict=True)
        for turn in episode.turns[: len(entries)]
    ]
    sent: list[list[JsonValue]] = [
        [[*plain_values(entry)] for entry in entries[: len(episode.turns)]]
        for episode, entries in zip(flown, lists, strict=True)
    ]
    every = [*chain(*sent)]
    if not every:
        return False
    width = min(map(len, every))
    found = [[entry[n] for entry in every] for n in range(width)]
    varied = [column for column in found if len(set(map(key_of, column))) > 1]
    return all(told_one_to_one(c, seen) or told_in_words(c, seen) for c in varied)
