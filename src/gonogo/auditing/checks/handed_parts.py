"""Answers that are handed out in another shape than the action takes: in parts, or as the parts of it.

The state may tell a place as ``[3, 5]``, ``{"row": 3, "column": 5}``, ``"3,5"`` or ``"D6"``, and the action take it in
two fields; or it tells ``target_x`` and ``target_y``, and the action takes a list, an object or one text. So what is
told is taken apart: an object by its names, a list and a text by the order of what they hold; values that stand beside
each other and are called alike but for one word are the parts of one. Then each part is sent in the field of its name,
or in the fields in their order, or all of them in one field. What is no part of the answer (a word that never differs,
a third value) stays out where the names say so, or where it is the same on every seed.

What such a copy has to earn, and what it is held against, says :mod:`gonogo.auditing.checks.handed_out`. What an agent
sees in another shape is not hidden: see :mod:`gonogo.auditing.checks.split_values`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, combinations, islice, product

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.handed_out import (
    Handed,
    beside_choices,
    beside_the_task,
    diagonal,
    distinct,
    names_answer,
    proven_rows,
    seen_values,
)
from gonogo.auditing.checks.outliers import is_plain, words_of
from gonogo.auditing.checks.split_values import (
    LEAST_PARTS,
    MOST_PARTS,
    SeenResets,
    Split,
    is_seen_in_parts,
    splits,
)
from gonogo.auditing.checks.told_values import Fit, ToldValue
from gonogo.auditing.resets import (
    key_of,
    number,
)
from gonogo.auditing.survey import Survey, SurveyRow
from gonogo.exploits.crossings import Chosen, around, fits
from gonogo.exploits.panel import LeafValues
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.schema import is_number
from gonogo.rollouts.space import EACH, ActionField, Space, put
from gonogo.wire import Action, JsonValue

MOST_PARTED, MOST_WAYS, MOST_TOLD, MOST_LOOKED_AT = 32, 16, 24, 200
"""Copies that are flown, ways of filling fields with one value, values that are tried, and
values of which it is asked whether they are seen."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Counting(StrEnum):
    """How the letter and the number of a square such as ``B7`` are counted."""

    PLAIN = ""
    FROM_NOUGHT = "counted from nought"
    FROM_ONE = "counted from one"
    MIXED = "with the letter counted from nought"


class Joint(StrEnum):
    """How parts are put together in one field."""

    LIST = "a list"
    COMMA = ","
    SPACED = ", "
    SPACE = " "
    NOTHING = ""
    HYPHEN = "-"
    COLON = ":"
    LOW_LINE = "_"
    SLASH = "/"
    BRACKETS = "()"
    JSON = "[]"
    NAMED = "="


@dataclass(frozen=True, slots=True)
class PartsFit:
    """The parts of a value, each in a field of its own.

    Attributes:
        split: How it is taken apart.
        fits: What each field takes of its part.
        counting: How squares are counted.
        base: The action around the fields.
    """

    split: Split
    fits: tuple[Fit, ...]
    counting: Counting
    base: Action

    @property
    def name(self) -> str:
        """The fields, for tables and records."""
        counted = f" ({self.counting})" if self.counting else ""
        return f"{', '.join(fit.name for fit in self.fits)}{self.split.name}{counted}"

    def action(self, value: JsonValue) -> Action | None:
        """The action with the parts in it; None where one is missing or does not fit."""
        parts = self.split.parts(value)
        if parts is None:
            return None
        made: Action = self.base
        for fit, part in zip(self.fits, parts, strict=True):
            sent = sent_for(fit, part, self.counting)
            if sent is None:
                return None
            made = dict(put(made, fit.field.path, sent))
        return made

    def beside(self, chosen: Chosen) -> PartsFit | None:
        """The same beside some choices; None where one is of a field that is filled, or of another tool."""
        if not all(fits(chosen, fit.field) for fit in self.fits):
            return None
        return replace(self, base=around(chosen, replace(self.fits[0].field, base=self.base)).base)


@dataclass(frozen=True, slots=True)
class JoinedFit:
    """The parts of a value, together in one field.

    Attributes:
        split: How it is taken apart.
        fit: What the field takes.
        joint: How they are put together.
    """

    split: Split
    fit: Fit
    joint: Joint

    @property
    def name(self) -> str:
        """The field, for tables and records."""
        size = len(self.split.kept)
        joined = f"{size} parts with {self.joint.value!r}"
        how = f"a list of {size}" if self.joint is Joint.LIST else joined
        return f"{self.fit.name}{self.split.name} ({how})"

    @property
    def base(self) -> Action:
        """The action around the field."""
        return self.fit.base

    def action(self, value: JsonValue) -> Action | None:
        """The action with the parts in it; None where one is missing or they do not fit."""
        parts = self.split.parts(value)
        return None if parts is None else self.fit.action(self._joined(parts))

    def beside(self, chosen: Chosen) -> JoinedFit | None:
        """The same beside some choices; None where one is of the field itself, or of another tool."""
        fit = self.fit.beside(chosen)
        return None if fit is None else replace(self, fit=fit)

    def _joined(self, parts: Sequence[JsonValue]) -> JsonValue:
        """Parts put together."""
        if self.joint is Joint.LIST:
            return [number(part) if isinstance(part, str) else part for part in parts]
        if self.joint is Joint.JSON:
            return json.dumps(list(parts))
        texts = list(map(str, parts))
        if self.joint is Joint.NAMED:
            named = zip(self.split.labels, texts, strict=True)
            return ", ".join(f"{label}={text}" for label, text in named)
        if self.joint is Joint.BRACKETS:
            return f"({', '.join(texts)})"
        return self.joint.value.join(texts)


def sent_for(fit: Fit, part: JsonValue, counting: Counting = Counting.PLAIN) -> JsonValue:
    """What a field takes of a part: itself, the number that a text says, or the text of a number; None for nothing."""
    if counting is not Counting.PLAIN:
        return fit.sent(counted(part, counting))
    forms = [part]
    forms += [number(part)] if isinstance(part, str) else []
    forms += [str(part)] if is_number(part) else []
    return next((sent for form in forms if (sent := fit.sent(form)) is not None), None)


def counted(part: JsonValue, counting: Counting) -> JsonValue:
    """The number of a square's letter or number; None for anything else."""
    if isinstance(part, str) and len(part) == 1 and part.lower() in LETTERS:
        return LETTERS.index(part.lower()) + (counting is Counting.FROM_ONE)
    told = number(part) if isinstance(part, str) else part
    return told - (counting is Counting.FROM_NOUGHT) if isinstance(told, int) else None


def fit_of(
    leaf: ActionField,
    parts: Sequence[JsonValue],
    known: Sequence[JsonValue],
    counting: Counting = Counting.PLAIN,
) -> Fit | None:
    """What a field takes of a part on every seed; None where it takes nothing of one.

    Args:
        leaf: The field.
        parts: The part on each seed.
        known: Values that are known for the field.
        counting: How squares are counted.
    """
    ways = Fit.ways(leaf, known)
    return next(
        (fit for fit in ways if all(sent_for(fit, part, counting) is not None for part in parts)),
        None,
    )


def fillings(
    values: Sequence[JsonValue], space: Space, known: LeafValues, *, named: bool = False
) -> Iterator[PartsFit | JoinedFit]:
    """The ways of sending some values in parts: in the fields of their names, in fields in order, and in one field.

    Args:
        values: A value on each seed.
        space: The actions.
        known: What is known of the values of each field.
        named: Whether only their names say which parts belong together.
    """
    leaves = [leaf for leaf in space.leaves() if EACH not in leaf.path]
    for split in splits(values):
        told = [parts for value in values if (parts := split.parts(value)) is not None]
        if not told:
            continue
        by_name = name_matches(split, leaves)
        if len(by_name) >= LEAST_PARTS:
            places = [place for place, _ in by_name]
            chosen = [leaf for _, leaf in by_name]
            yield from in_fields(split.only(places), chosen, told_at(told, places), known)
        if named:
            continue
        if len(by_name) < len(split.kept):
            yield from in_order(split, leaves, told, known)
        yield from in_one_field(split, leaves, told, known, is_list=isinstance(values[0], list))


def told_at(told: Sequence[Sequence[JsonValue]], places: Sequence[int]) -> list[list[JsonValue]]:
    """The parts at some places."""
    return [[parts[place] for place in places] for parts in told]


def in_fields(
    split: Split,
    leaves: Sequence[ActionField],
    told: Sequence[Sequence[JsonValue]],
    known: LeafValues,
) -> Iterator[PartsFit]:
    """The parts in some fields, if each takes its part on every seed; and squares as they may be counted."""
    if not together(leaves):
        return
    base: Action = {}
    for leaf in leaves:
        base = {**leaf.base, **base}
    columns = list(zip(*told, strict=True))
    letters = any(isinstance(p, str) and len(p) == 1 and p.isalpha() for row in told for p in row)
    for counting in Counting if letters else [Counting.PLAIN]:
        found = [
            fit_of(leaf, column, known.get(leaf.name, ()), counting)
            for leaf, column in zip(leaves, columns, strict=True)
        ]
        if None not in found:
            yield PartsFit(split, tuple(fit for fit in found if fit is not None), counting, base)


def together(leaves: Sequence[ActionField]) -> bool:
    """Whether fields stand in one action, none within another."""
    paths = [leaf.path for leaf in leaves]
    apart = all(
        one[: len(other)] != other and other[: len(one)] != one
        for one, other in combinations(paths, 2)
    )
    return apart and len({leaf.tool for leaf in leaves}) == 1


def in_order(
    split: Split,
    leaves: Sequence[ActionField],
    told: Sequence[Sequence[JsonValue]],
    known: LeafValues,
) -> Iterator[PartsFit]:
    """The parts in fields in their order; of two also the other way round, as a row comes before a column or after."""
    size = len(split.kept)
    takes = [
        [n for n, leaf in enumerate(leaves) if takes_part(leaf, column, known)]
        for column in zip(*told, strict=True)
    ]
    for chosen in rising(takes) if size > LEAST_PARTS else product(*takes):
        if len(set(chosen)) == size:
            yield from in_fields(split, [leaves[n] for n in chosen], told, known)


def takes_part(leaf: ActionField, column: Sequence[JsonValue], known: LeafValues) -> bool:
    """Whether a field takes a part on every seed, by any way of counting a square."""
    values = known.get(leaf.name, ())
    return any(fit_of(leaf, column, values, counting) is not None for counting in Counting)


def rising(takes: Sequence[Sequence[int]], above: int = -1) -> Iterator[tuple[int, ...]]:
    """One number of each of some lists, each above the one before."""
    if not takes:
        yield ()
        return
    for first in takes[0]:
        if first > above:
            yield from ((first, *rest) for rest in rising(takes[1:], first))


def in_one_field(
    split: Split,
    leaves: Sequence[ActionField],
    told: Sequence[Sequence[JsonValue]],
    known: LeafValues,
    *,
    is_list: bool,
) -> Iterator[JoinedFit]:
    """The parts in one field, as a list or as a text; not the list that is told itself, which is sent as it is."""
    for leaf in leaves:
        for joint in Joint:
            if (joint is Joint.LIST and is_list) or (joint is Joint.NAMED and "" in split.labels):
                continue
            for fit in Fit.ways(leaf, known.get(leaf.name, ())):
                joined = JoinedFit(split, fit, joint)
                sent = [joined.fit.sent(joined._joined(parts)) for parts in told]
                if None not in sent:
                    yield joined
                    break


def name_matches(split: Split, leaves: Sequence[ActionField]) -> list[tuple[int, ActionField]]:
    """Which part is called like which field, in the order of the parts; each at most once, the likest first."""
    likest = sorted(
        (
            (-likeness(label, leaf.path[-1]), place, n)
            for place, label in enumerate(split.labels)
            for n, leaf in enumerate(leaves)
            if likeness(label, leaf.path[-1]) > 0
        )
    )
    found: dict[int, int] = {}
    for _, place, n in likest:
        if place not in found and n not in found.values():
            found[place] = n
    return [(place, leaves[n]) for place, n in sorted(found.items())]


def likeness(label: str, field: str) -> int:
    """How alike two names are: the same words, some of the other's, the beginning of its last word, or not at all."""
    one, other = words_of(label), words_of(field)
    if not one or not other:
        return 0
    if one == other:
        return 3
    if set(one) <= set(other) or set(other) <= set(one):
        return 2
    return int(one[-1].startswith(other[-1]) or other[-1].startswith(one[-1]))


def bundles(told: Iterable[ToldValue]) -> Iterator[ToldValue]:
    """Values that stand beside each other and are called alike but for one word, as one value by those words.

    Args:
        told: Values.
    """
    groups: dict[tuple[str, int, tuple[str, ...]], dict[str, ToldValue]] = {}
    for each in told:
        above, _, name = each.path.rpartition(".")
        if not all(map(is_plain, each.values)) or "[" in name:
            continue
        words = words_of(name)
        for place, word in enumerate(words):
            others = (*words[:place], "", *words[place + 1 :])
            groups.setdefault((above, place, others), {})[word] = each
    for group in groups.values():
        alike = len({len(each.values) for each in group.values()}) == 1
        if alike and LEAST_PARTS <= len(group) <= MOST_PARTS:
            paths = ", ".join(each.path for each in group.values())
            rows = zip(*(each.values for each in group.values()), strict=True)
            values = tuple(dict(zip(group, row, strict=True)) for row in rows)
            names = tuple((each.path, word) for word, each in group.items())
            yield ToldValue(paths, values, names=names)


def part_copies(start: Beginnings, flown: Survey) -> Iterator[Handed]:
    """The copies in another shape of what is told beside the task, those first whose names promise the answer."""
    openings, seen = start.openings, list(seen_values(flown))
    told = [*seen, *beside_the_task(openings, set())]
    if not any(map(has_parts, (*told, *bundles(told)))):
        return
    plain, resets = list(beside_the_task(openings, start.dropped)), SeenResets(openings)
    several = islice((e for e in (*plain, *bundles(plain)) if has_parts(e)), MOST_LOOKED_AT)
    hidden = (each for each in several if not is_seen_in_parts(each, resets))
    shown = (replace(e, values=filled(e.values)) for e in (*seen, *bundles(seen)))
    tried = [*islice(chain(shown, hidden), MOST_TOLD)]
    tried.sort(key=lambda each: (not names_answer(each.path), "[" in each.path))
    space, known = start.session.space, start.session.values
    ways = (
        beside_choices(each, way, space)
        for each in tried
        for way in islice(differing(each, space, known), MOST_WAYS)
    )
    yield from distinct(diagonal(list(ways)))


def has_parts(told: ToldValue) -> bool:
    """Whether a value can be taken apart."""
    return next(splits(told.values), None) is not None


def filled(values: Sequence[JsonValue]) -> tuple[JsonValue, ...]:
    """Those of some values that hold anything: at an end, nothing may be left to tell."""
    return tuple(value for value in values if value not in (None, "", [], {}))


def differing(told: ToldValue, space: Space, known: LeafValues) -> Iterator[PartsFit | JoinedFit]:
    """The ways of sending a value in parts that send different actions on different seeds."""
    named = bool(told.names) and len(words_of(told.names[0][0].rpartition(".")[2])) == 1
    for way in fillings(told.values, space, known, named=named):
        if len({key_of(way.action(value)) for value in told.values}) > 1:
            yield way


def part_rows(
    start: Beginnings, flown: Survey, explored: Sequence[Episode] = ()
) -> Iterator[SurveyRow]:
    """Rows that send back in another shape what is told beside the task, as those of what is sent back as it is.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
    """
    chosen = list(islice(part_copies(start, flown), MOST_PARTED))
    yield from proven_rows(start, flown, explored, chosen)
