"""Values taken apart, and whether an agent sees the parts.

An object is taken apart by its names, a list by the order of what it holds, a text at its commas or into its words and
numbers. The same split is made of the value of each seed.

An answer is told in other shapes by what an agent is meant to read, too: in two numbers of the observation, in the
words of a text, as a mark on a grid, or as the place of the one thing that the task names. What is seen like that is
not hidden.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import permutations
from statistics import fmean

from gonogo.auditing.checks.handed_out import told_one_to_one
from gonogo.auditing.checks.outliers import columns, entries_in, is_plain, said, stand_out, words_of
from gonogo.auditing.checks.told_values import ToldValue, holds
from gonogo.auditing.resets import ARROW, Opening, Values, inside, key_of, with_readings
from gonogo.auditing.suspicions import EXPLAINED, MOSTLY
from gonogo.rollouts.schema import is_number
from gonogo.wire import JsonValue, Observation

LEAST_PARTS, MOST_PARTS, MOST_CHARS = 2, 6, 60
"""Parts of a value, and characters of a text that is taken apart."""
LEAST_THINGS = 2
"""Things of a table of which one can be singled out."""
PIECE = re.compile(r"\s*[,;|/:]\s*")
TOKEN = re.compile(r"[^\W\d_]+|(?:(?<!\w)-)?\d+(?:\.\d+)?")
SQUARE = re.compile(r"([a-z])(\d*)")
COUNTING = {
    word: float(place)
    for words in (
        "zero one two three four five six seven eight nine ten eleven twelve",
        "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    )
    for place, word in enumerate(words.split())
}
"""Words that count."""
LEAST_VARIED, MOST_FIGURES = 3, 12
"""A number is reckoned only if it takes so many different values; any two of so many seen numbers may make it."""
BEYOND = 1e300
WHOLE = -1
"""Place of a way in which all parts are seen together."""


class HowSplit(StrEnum):
    """How a value is taken apart."""

    ENTRIES = "entries"
    PIECES = "pieces"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Split:
    """A way of taking a value apart.

    Attributes:
        how: Into what.
        kept: The keys of the parts that are sent.
        labels: What each is called; empty for one without a name.
    """

    how: HowSplit
    kept: tuple[str, ...]
    labels: tuple[str, ...]

    @property
    def name(self) -> str:
        """How it is taken apart, for tables and records; empty for entries, the usual way."""
        return "" if self.how is HowSplit.ENTRIES else f" (its {self.how})"

    def parts(self, value: JsonValue) -> list[JsonValue] | None:
        """The parts of a value; None where it lacks one."""
        held = taken_apart(value, self.how)
        parts = [held.get(key) for key in self.kept]
        return None if None in parts else parts

    def only(self, places: Sequence[int]) -> Split:
        """The split of which only some parts are sent."""
        kept, labels = (tuple(of[n] for n in places) for of in (self.kept, self.labels))
        return replace(self, kept=kept, labels=labels)


def taken_apart(value: JsonValue, how: HowSplit) -> dict[str, JsonValue]:
    """What a value holds that holds nothing else, by name or place; nothing where it cannot be taken apart so."""
    if how is HowSplit.ENTRIES:
        if isinstance(value, dict):
            return {name: held for name, held in value.items() if is_plain(held)}
        plain = isinstance(value, list) and all(map(is_plain, value))
        return {str(n): held for n, held in enumerate(value if plain else ())}
    if not isinstance(value, str) or len(value) > MOST_CHARS:
        return {}
    found = PIECE.split(value.strip("()[] ")) if how is HowSplit.PIECES else TOKEN.findall(value)
    return {str(n): part for n, part in enumerate(found)}


def splits(values: Sequence[JsonValue]) -> Iterator[Split]:
    """The ways of taking some values apart into as many parts each: those that differ, and all of them.

    Args:
        values: A value on each seed.
    """
    known: set[tuple[str, ...]] = set()
    for how in HowSplit:
        held = [taken_apart(value, how) for value in values]
        keys = [key for key in (held[0] if held else ()) if all(key in each for each in held)]
        if how is not HowSplit.ENTRIES and any(len(each) != len(keys) for each in held):
            continue
        steady = {key for key in keys if len({key_of(each[key]) for each in held}) == 1}
        for kept in ([key for key in keys if key not in steady], keys):
            label = {key: label_of(key, held[0], steady, values[0]) for key in kept}
            tried = tuple(key_of([each[key] for each in held]) for key in kept)
            if LEAST_PARTS <= len(kept) <= MOST_PARTS and kept != [*steady] and tried not in known:
                known.add(tried)
                yield Split(how, tuple(kept), tuple(label.values()))


def label_of(key: str, held: Mapping[str, JsonValue], steady: set[str], value: JsonValue) -> str:
    """What a part is called: its own name, or the word before it that never differs, as in ``x=3, y=5``."""
    if isinstance(value, dict):
        return key
    before = str(int(key) - 1)
    word = held.get(before)
    return word if before in steady and isinstance(word, str) and word.isalpha() else ""


class SeenResets:
    """What some resets show an agent, read once.

    Args:
        openings: The resets.

    Attributes:
        seen: What each observation shows, by path.
    """

    def __init__(self, openings: Sequence[Opening]) -> None:
        self._observations = [opening.observation for opening in openings]
        self.seen = [inside(observation) for observation in self._observations]

    @cached_property
    def readings(self) -> list[Values]:
        """The same with what can be read from it."""
        return [with_readings(shown) for shown in self.seen]

    @cached_property
    def figures(self) -> list[dict[str, float]]:
        """The numbers of each, by path: those that are shown, and those that its words say."""
        return [dict(figures_of(read)) for read in self.readings]

    @cached_property
    def words(self) -> list[list[str]]:
        """What the texts of each say, word by word."""
        return [spoken_words(observation) for observation in self._observations]


def is_seen_in_parts(told: ToldValue, resets: SeenResets) -> bool:
    """Whether an agent sees all that varies of a value: whole, in its parts, in words, or as what singles it out.

    Args:
        told: The value.
        resets: The resets that tell it.

    Returns:
        True also for a value that has no parts.
    """
    split = next(splits(told.values), None)
    if split is None:
        return True
    rows = [split.parts(value) or [] for value in told.values]
    if told_one_to_one(told.values, resets.seen) or told_one_to_one(rows, resets.seen):
        return True
    if told_in_turn(rows, resets.words):
        return True
    ways = [set(ways_seen(row, read)) for row, read in zip(rows, resets.readings, strict=True)]
    counts = Counter(way for each in ways for way in each)
    common = {place for (place, _), count in counts.items() if count >= MOSTLY * len(rows)}
    common |= {n for n, part in enumerate(zip(*rows, strict=False)) if is_reckoned(part, resets)}
    return WHOLE in common or common >= set(range(len(split.kept)))


def is_reckoned(part: Sequence[JsonValue], resets: SeenResets) -> bool:
    """Whether a number is a seen one, one more or one less, or the sum or difference of two seen ones, on every seed.

    Args:
        part: It on each seed.
        resets: The resets that tell it.
    """
    wanted = [figure(each) for each in part if is_number(each)]
    if len(wanted) < len(part) or len(set(wanted)) < LEAST_VARIED:
        return False
    paths = [path for path in resets.figures[0] if all(path in each for each in resets.figures)]
    seen = {path: [each[path] for each in resets.figures] for path in paths}
    for column in seen.values():
        if {want - had for want, had in zip(wanted, column, strict=True)} in ({-1.0}, {0.0}, {1.0}):
            return True
    shown = [column for path, column in seen.items() if ARROW not in path][:MOST_FIGURES]
    return any(
        all(want == one[n] + sign * other[n] for n, want in enumerate(wanted))
        for one, other in permutations(shown, 2)
        for sign in (1, -1)
    )


def figure(value: float) -> float:
    """A number as a float; infinite where it is too large for one."""
    if abs(value) < BEYOND:
        return float(value)
    return -math.inf if value < 0 else math.inf


def figures_of(seen: Values) -> Iterator[tuple[str, float]]:
    """The numbers of what is seen: as they are, and of letters, squares such as ``B7`` and words that count.

    Args:
        seen: What is shown and what can be read from it, by path.
    """
    for path, value in seen.items():
        if is_number(value):
            yield path, figure(value)
        elif isinstance(value, str) and (square := SQUARE.fullmatch(value.lower())):
            letter, number = square.groups()
            yield f"{path}{ARROW}letter", float(ord(letter) - ord("a"))
            if number:
                yield f"{path}{ARROW}number", float(number)
        elif isinstance(value, str) and value.lower() in COUNTING:
            yield path, COUNTING[value.lower()]


def ways_seen(parts: Sequence[JsonValue], seen: Values) -> Iterator[tuple[int, str]]:
    """The ways in which an observation shows some parts: which one, and where; or all of them together.

    Args:
        parts: The parts.
        seen: What the observation shows and what can be read from it, by path.
    """
    wanted = [said(part) for part in parts]
    for path, value in seen.items():
        if is_plain(value):
            yield from ((n, path) for n, part in enumerate(wanted) if said(value) == part)
        elif shows_all(value, wanted):
            yield WHOLE, path
        yield from ((WHOLE, way) for way in singled_out(path, value, wanted, seen))


def shows_all(value: JsonValue, wanted: Sequence[str]) -> bool:
    """Whether an object has all the parts among its values, or a list is the list of them."""
    if isinstance(value, dict):
        return set(wanted) <= {said(held) for held in value.values() if is_plain(held)}
    return isinstance(value, list) and [said(held) for held in value] == list(wanted)


def singled_out(path: str, value: JsonValue, wanted: Sequence[str], seen: Values) -> Iterator[str]:
    """How a table singles out the one of its things that shows the parts: by what is said of it, also elsewhere.

    Args:
        path: Where the table stands.
        value: It; anything else singles out nothing.
        wanted: The parts.
        seen: What the observation shows, by path.
    """
    held = entries_in(value)
    places = [n for n, thing in enumerate(held) if shows_all(thing, wanted)]
    if len(held) < LEAST_THINGS or len(places) != 1:
        return
    (place,) = places
    named = [("key", list(value))] if isinstance(value, dict) else []
    for field, column in [*named, *columns(held)]:
        mine, others = said(column[place]), [said(v) for n, v in enumerate(column) if n != place]
        if mine in others:
            continue
        yield f"{path}: {field} {mine}"
        yield from (f"{path}: {field} {how}" for how, best in stand_out(column) if best == place)
        for elsewhere, shown in seen.items():
            words = words_of(str(shown)) if is_plain(shown) else []
            outside = not elsewhere.startswith((f"{path}.", f"{path}["))
            others_too = any(holds(words, other.split()) for other in others)
            if outside and holds(words, mine.split()) and not others_too:
                yield f"{path}: {field} in {elsewhere}"


def spoken_words(observation: Observation) -> list[str]:
    """All words and numbers of an observation's texts, one after another."""
    texts = (value for value in inside(observation).values() if isinstance(value, str))
    return words_of(" ".join(texts))


def told_in_turn(rows: Sequence[Sequence[JsonValue]], words: Sequence[Sequence[str]]) -> bool:
    """Whether the texts that are seen name each case's parts in their order, and not as well those of the others.

    Args:
        rows: The parts of each case.
        words: What each case's texts say.
    """
    own, other = [], []
    for n, row in enumerate(rows):
        own.append(in_turn(words[n], row))
        other += [in_turn(words[n], each) for each in rows if key_of(each) != key_of(row)]
    return fmean(own) >= MOSTLY and (not other or fmean(other) < 1 - EXPLAINED)


def in_turn(words: Sequence[str], parts: Sequence[JsonValue]) -> bool:
    """Whether a text names some parts one after another, with anything between them."""
    place = 0
    for part in parts:
        name = words_of(str(part))
        size = len(name)
        starts = range(place, len(words) - size + 1)
        found = next((n for n in starts if list(words[n : n + size]) == name), None)
        if found is None:
            return False
        place = found + size
    return True
