"""What an action was compared with, put into the action: correspondence of inputs with the states of a program.

A step that is not paid has mostly failed a comparison: the answer with the right one, a key with those there are, a
length with the one that is asked for. Where one side of it stands in the action, the other is what would have held (C.
Aschermann et al., "REDQUEEN: fuzzing with input-to-state correspondence", NDSS 2019). Nothing is known of what stands
between the action and the comparison, so each kind of correspondence is tried: the same value, in other case, a part
of a text, a number in one, an item of a list, all of it, its length, the keys of a map, a number beside a threshold, a
distance from one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

from gonogo.explore.relations import ShownPath
from gonogo.explore.retrace import put, scalars
from gonogo.rollouts.schema import is_number
from gonogo.rollouts.types import Compared, Comparison
from gonogo.wire import Action, JsonValue

MOST_ELEMENTS = 40
"""Of a container that something of an action was compared with."""
MOST_COMPARED = 400
"""Comparisons of a step that are gone through."""
MOST_TRIED = 2000
"""Values for an action that are looked at; most were named before."""
MOST_ITEMS, MOST_CHARS = 64, 1000
"""Items or words, and characters of a text, that an action is brought to; a longer text is not compared."""
FEWEST = 3
"""Characters of what is looked for within a text, and not only as the whole of it; items that are counted."""
NEAR = (0.5, 2.0)
"""Between which shares of a number what it was measured with is taken for its distance from something."""
MARKED, SHIFT = 1000, 3
"""From which size on a number is known again where a little was added to it, and how little."""
LARGEST = 1e300
ORDERED = frozenset({"<", "<=", ">", ">="})
WITHIN = frozenset({"in", "not in"})
DIGITS = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Swap:
    """Another value for a place of an action.

    Attributes:
        path: Of the place.
        value: What is to stand there.
        kind: By which correspondence it was found.
        site: Where the comparison stands.
        old: What stands there.
    """

    path: ShownPath
    value: JsonValue
    kind: str
    site: str
    old: JsonValue = None

    def of(self, action: Action) -> Action:
        """The action with it; as it is where it has no such place, as after another substitution."""
        return dict(put(action, self.path, self.value)) if at(action, self.path) else action


def swaps(action: Action, comparisons: Iterable[Comparison]) -> Iterator[Swap]:
    """Each other value that comparisons name for a place of an action, once for each kind of correspondence.

    Args:
        action: What was sent.
        comparisons: What was compared with anything.
    """
    comparisons = list(islice(comparisons, MOST_COMPARED))
    yield from item_by_item(action, comparisons)
    known: set[str] = set()
    for swap in islice(every_swap(action, comparisons), MOST_TRIED):
        key = repr((swap.path, swap.value, swap.kind))
        if key not in known and repr(swap.value) != repr(swap.old) and fits(swap.value, swap.old):
            known.add(key)
            yield swap


def every_swap(action: Action, comparisons: Iterable[Comparison]) -> Iterator[Swap]:
    """Each value that comparisons name for a place, as often as they do.

    Args:
        action: What was sent.
        comparisons: What was compared with anything.
    """
    touched = Touched(action)
    first: dict[tuple[str, Side, Side], Comparison] = {}
    for each in comparisons:
        first.setdefault((each.op, side_of(each.left), side_of(each.right)), each)
    for each in first.values():
        for mine, other in ((each.left, each.right), (each.right, each.left)):
            reverse = mine is each.right
            for path, value in touched.by(side_of(mine)):
                for kind, new in corresponding(value, mine, other, each.op, reverse=reverse):
                    yield Swap(path, new, kind, each.site, value)


def fits(new: JsonValue, old: JsonValue) -> bool:
    """Whether a value is not too large to be sent, or not larger than what it replaces."""
    if not isinstance(new, str | list | dict):
        return True
    most = MOST_CHARS if isinstance(new, str) else MOST_ITEMS
    return len(new) <= most or (isinstance(old, str | list | dict) and len(new) <= len(old))


def at(value: JsonValue, path: ShownPath) -> list[JsonValue]:
    """What stands at a path of a value; nothing where it has no such place."""
    for key in path:
        if isinstance(value, dict) and key in value:
            value = value[str(key)]
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return []
    return [value]


Side: TypeAlias = str | float | tuple[str | float, ...]
"""A side of a comparison, a list as a tuple."""


def side_of(side: Compared) -> Side:
    """A side of a comparison."""
    return tuple(side) if isinstance(side, list) else side


def key_of(value: JsonValue) -> str | float:
    """What two values have in common that are the same but for case and space."""
    if isinstance(value, str):
        return value.strip().casefold()
    return value if is_number(value) else repr(value)


def keys_of(values: Iterable[JsonValue]) -> frozenset[str | float]:
    """What each of several values has in common with those that are the same."""
    return frozenset(map(key_of, values))


@lru_cache(maxsize=4096)
def keys_of_side(side: Side) -> frozenset[str | float]:
    """That of a side of a comparison; it is asked for each action of a plan."""
    return keys_of(side if isinstance(side, tuple) else [side])


class Touched:
    """Places of an action that a side of a comparison may come from.

    Args:
        action: What was sent.
    """

    def __init__(self, action: Action) -> None:
        self._places = list(places(action))
        self._own = [keys_of(v if isinstance(v, list | dict) else [v]) for _, v in self._places]
        texts = (value for _, value in self._places if isinstance(value, str))
        self._texts = "\n".join(text.casefold() for text in texts)
        self._known: dict[Side, list[tuple[ShownPath, JsonValue]]] = {}

    def by(self, side: Side) -> list[tuple[ShownPath, JsonValue]]:
        """Those of one side; each side is looked at once."""
        if side not in self._known:
            keys = keys_of_side(side)
            within = [k for k in keys if isinstance(k, str) and len(k) >= FEWEST]
            within = [text for text in within if text in self._texts]
            loose = bool(within) or isinstance(side, int | float)
            self._known[side] = [
                place
                for place, own in zip(self._places, self._own, strict=True)
                if not own.isdisjoint(keys) or (loose and is_within(place[1], side, within))
            ]
        return self._known[side]


def is_within(value: JsonValue, side: Side, texts: Sequence[str]) -> bool:
    """Whether a part or the size of what stands in an action is a side of a comparison, or a distance from it is.

    Args:
        value: What stands there.
        side: The side.
        texts: Those of the side that stand in some text of the action.
    """
    if isinstance(value, str):
        text = value.casefold()
        if isinstance(side, int | float):
            return written(side) in text or side == len(text.split())
        return any(each in text for each in texts)
    if isinstance(side, str | tuple):
        return False
    if isinstance(value, list | dict):
        return side == len(value)
    return finite(value) and (same(side, value) or measures(side, value))


def in_turn(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Comparisons as they came, one after another; none where that is not known of all of them."""
    if any(len(each.at) != each.times for each in comparisons):
        return []
    came = [(number, place) for place, each in enumerate(comparisons) for number in each.at]
    return [comparisons[place] for _, place in sorted(came)]


def item_by_item(action: Action, comparisons: Sequence[Comparison]) -> Iterator[Swap]:
    """Lists of which one item after another was compared, each with something of its own, with that in their place.

    Args:
        action: What was sent.
        comparisons: What was compared with anything.
    """
    lists = [(path, own) for path, own in places(action) if isinstance(own, list) and own[1:]]
    sites: dict[str, list[Comparison]] = {}
    for each in comparisons if lists else ():
        sites.setdefault(each.site, []).append(each)
    for site, found in sites.items():
        came = in_turn(found)
        for sides in ([(c.left, c.right) for c in came], [(c.right, c.left) for c in came]):
            for path, own in lists:
                if len(own) == len(sides) and all(map(alike, own, (mine for mine, _ in sides))):
                    yield Swap(path, [other for _, other in sides], "sequence", site, own)


def places(value: JsonValue, path: ShownPath = ()) -> Iterator[tuple[ShownPath, JsonValue]]:
    """The places in an action, each with what it holds; lists and maps are places, and hold others."""
    if path:
        yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from places(inner, (*path, number))


def corresponding(
    value: JsonValue, mine: JsonValue, other: JsonValue, op: str, *, reverse: bool
) -> Iterator[tuple[str, JsonValue]]:
    """The values that stand for another in a comparison of which one side may come from it, each with the kind.

    Args:
        value: What an action holds.
        mine: The side that may be made of it.
        other: The other.
        op: What compares them.
        reverse: Whether the first of them is on the right.
    """
    if isinstance(value, str) and value:
        yield from of_text(value, mine, other, op, reverse=reverse)
    elif is_number(value):
        yield from of_number(value, mine, other, op)
    elif isinstance(value, list) and value:
        yield from of_list(value, mine, other, op)
    elif isinstance(value, dict) and value:
        yield from of_map(value, mine, other)


def of_text(
    value: str, mine: JsonValue, other: JsonValue, op: str, *, reverse: bool
) -> Iterator[tuple[str, JsonValue]]:
    """The texts that a comparison names for one."""
    if isinstance(mine, str):
        yield from _of_texts(value, mine, other, op, reverse=reverse)
    elif isinstance(mine, list):
        yield from _of_items(value, mine, other)
    elif finite(mine):
        yield from _of_written(value, mine, other, op)


def _of_texts(
    value: str, mine: str, other: JsonValue, op: str, *, reverse: bool
) -> Iterator[tuple[str, JsonValue]]:
    """The texts for one that is a side of a comparison, or holds it."""
    whole = mine.strip().casefold() == value.strip().casefold()
    if not whole and (len(mine.strip()) < FEWEST or mine.casefold() not in value.casefold()):
        return
    if isinstance(other, str) and op in {"startswith", "endswith"} and not reverse:
        yield "affix", other + value if op == "startswith" else value + other
    elif isinstance(other, str) and op in WITHIN and reverse and not holds(value, other):
        yield "appended", f"{value} {other}"
    kind = "element" if isinstance(other, list) else "same" if whole else "part"
    for each in elements(other):
        if isinstance(each, str) or finite(each):
            new = each if isinstance(each, str) else written(each)
            if not new and not whole:
                continue
            yield kind, new if whole else replaced(value, mine, new)


def _of_written(
    value: str, mine: float, other: JsonValue, op: str
) -> Iterator[tuple[str, JsonValue]]:
    """The texts for one that says a number, or has as many words."""
    found = re.search(rf"(?<![\w.]){re.escape(written(mine))}(?!\w)", value)
    if found is not None:
        numbers = beside(other, op) if finite(other) else filter(finite, elements(other))
        for number in numbers:
            whole = f"{value[: found.start()]}{written(number)}{value[found.end() :]}"
            yield "number in text", whole
    if finite(other):
        words = value.split()
        for size in sizes(len(words), mine, other, op):
            yield "words", " ".join(resized(words, size))


def _of_items(
    value: str, mine: Sequence[JsonValue], other: JsonValue
) -> Iterator[tuple[str, JsonValue]]:
    """The texts for one that is among the items of a side of a comparison, or holds one of them."""
    for number, item in enumerate(mine[:MOST_ELEMENTS]):
        if not isinstance(item, str) or not item:
            continue
        whole = item.casefold() == value.strip().casefold()
        if not whole and (len(item) < FEWEST or item.casefold() not in value.casefold()):
            continue
        aligned = isinstance(other, list) and len(other) == len(mine)
        for new in [other[number]] if aligned else elements(other):
            if isinstance(new, str):
                yield "aligned" if aligned else "item", new if whole else replaced(value, item, new)
        if not aligned and not whole and isinstance(other, list):
            every = [new for new in elements(other) if isinstance(new, str)]
            yield "all in text", replaced(value, item, " ".join(every))


def of_number(
    value: float, mine: JsonValue, other: JsonValue, op: str
) -> Iterator[tuple[str, JsonValue]]:
    """The numbers that a comparison names for one."""
    whole = isinstance(value, int)
    for kind, new in _of_numbers(value, mine, other, op):
        if (number := as_number(new)) is not None:
            yield kind, round(number) if whole else number


def _of_numbers(
    value: float, mine: JsonValue, other: JsonValue, op: str
) -> Iterator[tuple[str, JsonValue]]:
    """The values for a number, which may be no numbers."""
    if isinstance(mine, list) and isinstance(other, list):
        aligned = len(other) == len(mine)
        for number, item in enumerate(mine[:MOST_ELEMENTS]):
            if finite(item) and same(item, value):
                kind = "aligned" if aligned else "item"
                found = [other[number]] if aligned else elements(other)
                yield from ((kind, new) for new in found)
    elif finite(mine) and same(mine, value):
        if finite(other):
            yield from (("same", new) for new in beside(other, op))
            yield from (("within", new) for new in below(other, op))
        else:
            kind = "element" if isinstance(other, list) else "same"
            yield from ((kind, new) for new in elements(other))
    elif finite(mine) and finite(other) and measures(mine, value):
        yield "distance", value - mine
        if abs(value - mine) <= SHIFT:
            yield from (("shifted", new + value - mine) for new in beside(other, op))
            yield from (("within", new + value - mine) for new in below(other, op))


def of_list(
    value: Sequence[JsonValue], mine: JsonValue, other: JsonValue, op: str
) -> Iterator[tuple[str, JsonValue]]:
    """The lists that a comparison names for one."""
    if finite(mine) and finite(other):
        yield from (("length", resized(value, size)) for size in sizes(len(value), mine, other, op))
        return
    if not isinstance(other, list):
        return
    named = list(elements(other))
    if isinstance(mine, list):
        # What was made of the list, in any order, some of it perhaps left out.
        if mine and keys_of(mine) <= keys_of(value):
            yield "whole", named
            yield "reversed", named[::-1]
    elif any(alike(mine, item) for item in value):
        # One item after another is held against something.
        yield "all", named
        for new in named:
            if new not in value:
                yield "added", [*(item for item in value if not alike(mine, item)), new]


def of_map(value: Action, mine: JsonValue, other: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """The maps that a comparison names for one, whose keys are the caller's own."""
    first = next(iter(value.values()))
    keys = mine if isinstance(mine, list) else [mine]
    if not keys or not keys_of(keys) <= keys_of(value):
        return
    if isinstance(mine, list) and isinstance(other, str) and other not in value:
        yield "missing", {**value, other: first}
    named = [new for new in elements(other) if isinstance(new, str)]
    if len(named) > 1:
        yield "keys", dict.fromkeys(named, first)
    for new in named:
        rest = {key: inner for key, inner in value.items() if not alike(key, keys[0])}
        yield "key", {**rest, new: value.get(keys[0], first)}


def looked_for(
    action: Action, comparisons: Iterable[Comparison]
) -> Iterator[tuple[ShownPath, str]]:
    """Each text that was looked for within a text of an action, after the place of that.

    Args:
        action: What was sent.
        comparisons: What was compared with anything.
    """
    texts = [(path, value.casefold()) for path, value in scalars(action) if isinstance(value, str)]
    for each in islice(comparisons, MOST_COMPARED):
        if each.op in WITHIN and isinstance(each.left, str) and isinstance(each.right, str):
            within = each.right.strip().casefold()
            for path, value in texts:
                if len(within) >= FEWEST and (within in value or value in within):
                    yield path, each.left


def measures(mine: float, value: float) -> bool:
    """Whether a number may be the distance of another, which is known again, from something small."""
    return value >= MARKED and NEAR[0] < abs(mine / value) < NEAR[1]


def elements(value: JsonValue) -> Iterator[JsonValue]:
    """What a container holds; anything else itself."""
    return islice(iter(value if isinstance(value, list) else [value]), MOST_ELEMENTS)


def beside(limit: float, op: str) -> Iterator[float]:
    """A number, and where one is ordered against it, those beside it."""
    yield from (limit, limit - 1, limit + 1) if op in ORDERED else (limit,)


def below(limit: float, op: str) -> Iterator[float]:
    """The whole numbers from zero on that a small one bounds."""
    if op in ORDERED and limit == int(limit) and 1 < limit <= MOST_ITEMS:
        yield from range(int(limit))


def sizes(size: int, mine: float, other: float, op: str) -> Iterator[int]:
    """The sizes that something of this size should have by a comparison of it with a number."""
    if FEWEST <= mine == size and finite(other) and other == int(other):
        for new in dict.fromkeys([other, other + 1, other - 1] if op in ORDERED else [other]):
            if 0 <= new <= MOST_ITEMS and new != size:
                yield int(new)


def resized(items: Sequence[JsonValue], size: int) -> list[JsonValue]:
    """The first items, repeated where they are too few."""
    return [items[n % len(items)] for n in range(size)] if items else []


def replaced(text: str, part: str, new: str) -> str:
    """A text with another part, in whatever case it stands there; as it is where that would be too long."""
    if len(new) > MOST_CHARS:
        return text
    return re.sub(re.escape(part.strip()), lambda _: new, text, flags=re.IGNORECASE)


def holds(text: str, other: str) -> bool:
    """Whether a text stands in another, in whatever case."""
    return other.casefold() in text.casefold()


def alike(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are the same but for case and space."""
    return key_of(one) == key_of(other)


def finite(value: JsonValue) -> bool:
    """Whether a value is a number that can be written, and calculated with."""
    return is_number(value) and abs(value) <= LARGEST


def same(one: float, other: float) -> bool:
    """Whether two numbers are the same but for rounding."""
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def as_number(value: JsonValue) -> float | None:
    """A number, or one that a text says."""
    if isinstance(value, str) and DIGITS.fullmatch(value):
        value = float(value) if "." in value else int(value)
    return value if finite(value) else None


def written(number: float) -> str:
    """A number as one writes it."""
    return str(int(number)) if math.isfinite(number) and number == int(number) else str(number)
