"""What an episode shows before anything was done, and what can be read from it.

An opening (the reset's observation and metadata, and the state) is read as values by path, as in
``observation.board[2]`` or ``state.answer``. Paths whose value differs when the same task is reset again (an
episode's id, a clock) say nothing about the task and are left out.

A reading is what a value says without being it: the place of a mark in a grid, a word of a text, the greatest entry,
a decoding. It has a path like every value, as in ``state.map -> row of x``; what it was read from stands before the
arrow.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from gonogo.rollouts.schema import is_number
from gonogo.rollouts.types import Failure, Transition
from gonogo.rollouts.volatile import (
    COUNTERS,
    INDEX,
    NUMBER,
    OWN_NAMES,
    SPANS,
    TOKEN,
    Volatile,
    calmed,
    leaves,
)
from gonogo.wire import JsonValue, Metadata, Observation, State, TaskOptions

Values = Mapping[str, JsonValue]
"""Values of an environment by their paths."""
DEPTH = 4
ITEMS = 12
ARROW = " -> "
MOST_WORDS = 24
MOST_MARKS = 4
LONGEST = 4000
WORD = re.compile(r"-?\d+(?:\.\d+)?|\w+")
MOST_MARKED = 4096
"""Openings of which the mark is kept: resets of one seed show the same again and again."""


@dataclass(frozen=True, slots=True)
class Opening:
    """One reset.

    Attributes:
        task: Its options.
        observation: What an agent sees.
        metadata: What the environment says beside it.
        state: What the state shows.
    """

    task: TaskOptions
    observation: Observation
    metadata: Metadata
    state: State

    @classmethod
    def of(
        cls, task: TaskOptions, answer: Transition | Failure, state: State | Failure | None
    ) -> Opening | None:
        """What a reset and the state after it show; None where the reset failed, no state where that did."""
        if isinstance(answer, Failure):
            return None
        shown = state if isinstance(state, dict) else {}
        return cls(task, answer.observation, answer.metadata, shown)


def values_of(opening: Opening) -> Values:
    """Everything that an opening shows, by path: lists and objects whole, and what they hold."""
    parts = {
        "observation": opening.observation,
        "metadata": opening.metadata,
        "state": opening.state,
    }
    return {path: value for name, part in parts.items() for path, value in inner(part, name, DEPTH)}


def inner(value: JsonValue, path: str, depth: int) -> Iterator[tuple[str, JsonValue]]:
    """What a value holds, by path."""
    entries: list[tuple[str, JsonValue]] = []
    if isinstance(value, dict):
        entries = [(f"{path}.{name}", held) for name, held in value.items()]
    elif isinstance(value, list):
        entries = [(f"{path}[{place}]", held) for place, held in enumerate(value[:ITEMS])]
    for name, held in entries:
        yield name, held
        if depth > 1:
            yield from inner(held, name, depth - 1)


def is_seen(path: str) -> bool:
    """Whether an agent sees what stands at a path."""
    return path.startswith("observation.")


def inside(observation: Observation) -> Values:
    """Everything that an observation shows, by paths that begin with ``observation``."""
    return dict(inner(observation, "observation", DEPTH))


def at(observation: Observation, path: str) -> JsonValue:
    """The value that an observation has at a path that begins with ``observation``; None where it has none."""
    return inside(observation).get(path)


def unsteady(first: Sequence[Opening | None], again: Sequence[Opening | None]) -> set[str]:
    """Paths that differ between two resets of the same tasks."""
    paths: set[str] = set()
    for one, other in zip(first, again, strict=True):
        if one is not None and other is not None:
            here, there = values_of(one), values_of(other)
            paths |= {
                p for p in here.keys() | there.keys() if key_of(here.get(p)) != key_of(there.get(p))
            }
    return paths


def opening_mark(observation: Observation, volatile: Mapping[str, Volatile]) -> str:
    """A mark of what a reset shows: equal for two resets that show the same episode.

    Clocks and ids are left out, and what counts episodes or time by its name: these differ at each reset, whatever it
    opens. Before a colon stands a mark of the same without numbers: what counts under another name, or in a text,
    leaves that part as it is (:func:`numberless`).

    Args:
        observation: What the reset shows.
        volatile: Places of clocks and random ids that the map found.
    """
    return mark_of(key_of(calmed(observation, "observation", volatile)))


@lru_cache(MOST_MARKED)
def mark_of(shown: str) -> str:
    """The same of an observation as JSON."""
    held = [
        (path, value)
        for path, value in leaves(json.loads(shown), "")
        if not counts_resets(path, value)
    ]
    whole = (f"{path}: {TOKEN.sub('#', str(value))}" for path, value in held)
    # A best score so far is null at first, and a list of scores grows.
    told = [(path, v) for path, v in held if isinstance(v, str | bool)]
    plain = (f"{path}: {NUMBER.sub('#', TOKEN.sub('#', str(value)))}" for path, value in told)
    return f"{digest_of(plain)}:{digest_of(whole)}"


def digest_of(lines: Iterable[str]) -> str:
    """A mark of lines, whatever their order."""
    return hashlib.blake2b("\n".join(sorted(lines)).encode(), digest_size=8).hexdigest()


def numberless(mark: str) -> str:
    """The part of an opening's mark that no number decides."""
    return mark.partition(":")[0]


def counts_resets(path: str, value: JsonValue) -> bool:
    """Whether a value is an id that is drawn anew, or a number that counts episodes or time, by its name."""
    name = INDEX.sub("", path).rpartition(".")[2]
    counted = is_number(value) and (COUNTERS.fullmatch(name) or SPANS.fullmatch(name))
    return bool(counted or OWN_NAMES.fullmatch(name))


def key_of(value: JsonValue) -> str:
    """A value as a key: equal for equal JSON, and only then."""
    return json.dumps(value, sort_keys=True)


ValueT = TypeVar("ValueT", bound=JsonValue)


def next_other(values: Sequence[ValueT], place: int) -> ValueT | None:
    """The next value after a place, in a circle, that differs from the one there; None where all are alike."""
    after = [*values[place + 1 :], *values[:place]]
    return next((value for value in after if key_of(value) != key_of(values[place])), None)


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
