"""What a value says without being it: the place of a mark in a grid, a word of a text, the greatest entry, a decoding.

A reading has a path like every value, as in ``state.map -> row of x``; what it was read from stands before the arrow.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from gonogo.auditing.resets import Opening, Values, inside, values_of
from gonogo.wire import JsonValue, Observation

__all__ = ["seen_by", "source_of", "told_by"]

ARROW = " -> "
MOST_WORDS = 24
MOST_MARKS = 4
LONGEST = 4000
WORD = re.compile(r"-?\d+(?:\.\d+)?|\w+")


def told_by(opening: Opening) -> Values:
    """Everything that an opening shows, by path, and everything that can be read from it."""
    return with_readings(values_of(opening))


def seen_by(observation: Observation) -> Values:
    """The same of an observation alone."""
    return with_readings(inside(observation))


def source_of(path: str) -> str:
    """The path of the value that a reading was taken from; a value's own."""
    return path.partition(ARROW)[0]


def with_readings(values: Values) -> Values:
    """Values and their readings; a reading of a value that is itself shown in parts stands beside those."""
    found = dict(values)
    for path, value in values.items():
        found |= {f"{path}{ARROW}{how}": said for how, said in readings(value)}
    return found


def readings(value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """What a value says, each after how it is read."""
    if isinstance(value, str) and value and len(value) <= LONGEST:
        yield from of_text(value)
    elif isinstance(value, list) and value:
        yield from of_grid(value)
        yield from of_entries(dict(enumerate(value)), "place")
    elif isinstance(value, dict) and value:
        yield from of_entries(value, "name")


def of_text(text: str) -> Iterator[tuple[str, JsonValue]]:
    """The words and numbers of a text, counted from both ends, the text backwards, and decoded."""
    words = [number(word) for word in WORD.findall(text)]
    if len(words) > 1:
        yield from ((f"word {n}", word) for n, word in enumerate(words[:MOST_WORDS]))
        yield from ((f"word {-n}", words[-n]) for n in range(1, min(len(words), MOST_WORDS) + 1))
    yield "number", number(text)
    yield "backwards", text[::-1]
    yield "rot13", codecs.encode(text, "rot13")
    for how, decode in (("base64", base64.b64decode), ("hex", bytes.fromhex)):
        try:
            said = decode(text).decode()
        except (binascii.Error, ValueError):
            continue
        yield how, said
        yield f"{how}, number", number(said)
    lines = text.splitlines()
    if len(lines) > 1:
        yield from of_grid(lines)


def number(text: str) -> JsonValue:
    """A text as the number that it is; itself where it is none."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def of_grid(rows: list[JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    """Where the marks of a grid stand that it has only once."""
    if not all(isinstance(row, str | list) for row in rows):
        return
    cells = [(str(cell), r, c) for r, row in enumerate(rows) for c, cell in enumerate(row)]
    counts = Counter(mark for mark, _, _ in cells)
    once = [(mark, r, c) for mark, r, c in cells if counts[mark] == 1 and len(counts) < len(cells)]
    for mark, row, column in once[:MOST_MARKS]:
        yield f"row of {mark}", row
        yield f"column of {mark}", column
        yield f"row and column of {mark}", [row, column]


def of_entries(entries: Mapping[JsonValue, JsonValue], key: str) -> Iterator[tuple[str, JsonValue]]:
    """Which entry is the greatest or the least of numbers, and which one differs from all the others."""
    values = list(entries.values())
    if len(values) > 1 and all(isinstance(v, int | float) for v in values):
        for how, chosen in (("greatest", max), ("least", min)):
            best = chosen(values)
            if values.count(best) == 1:
                yield f"{key} of the {how}", next(k for k, v in entries.items() if v == best)
    counts = Counter(map(repr, values))
    odd = [k for k, v in entries.items() if counts[repr(v)] == 1]
    if len(values) > 2 and len(odd) == 1:
        yield f"{key} of the odd one", odd[0]
