"""What a list or a map of an action holds, filled as plainly as can be: as large as what is seen, and keyed by it.

The panel fills a list with its choices, and a map not at all. So a ranking by merit, a forecast of twelve hours or the
odds of eight fevers was never answered: an answer of another size is refused. Here a list holds the same value for each
thing of a list that is seen, or their places, their names, or the list that is seen itself. A map holds the same value
for each name that is seen, or for the first alone. How these are sent: :mod:`gonogo.auditing.filled_rows`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TypeVar

from gonogo.auditing.checks.outliers import is_plain
from gonogo.auditing.checks.sweeps import several_named
from gonogo.auditing.checks.told_values import fits_in
from gonogo.auditing.resets import inside, key_of
from gonogo.exploits.panel import OWN, Kind, shortened
from gonogo.explore.forms import edges_of
from gonogo.explore.observed import alike
from gonogo.rollouts.schema import forms_of, is_number, simplest
from gonogo.rollouts.space import ActionField, choices_of, free_text, value_at
from gonogo.wire import Action, JsonSchema, JsonValue, Observation

LEAST_ITEMS, MOST_ITEMS = 2, 60
"""Things of a list or map that is seen, for an answer to be as large."""
MOST_SIZES, MOST_NAMES, MOST_COPIED, MOST_VALUES = 4, 3, 3, 4
"""Of what is seen: sizes, groups of names and copies that are tried for one field; and values of an item."""
HALF = 0.5
"""What stands for the middle of a number without bounds: most scores, odds and shares lie between 0 and 1."""

GroupT = TypeVar("GroupT")

Make = Callable[[Observation], JsonValue]
"""Makes a value of what is seen; None where it is not seen."""


@dataclass(frozen=True, slots=True)
class PlainFilling:
    """What a list or a map holds.

    Attributes:
        name: What it is called.
        kind: What sort of not trying it is.
        made: Makes it of what is seen.
        guessed: Whether it may be a fair guess: the same of each thing, or one list for all tasks.
    """

    name: str
    kind: Kind
    made: Make
    guessed: bool = False

    @classmethod
    def always(cls, value: JsonValue, kind: Kind) -> PlainFilling:
        """The filling of one value, whatever is seen.

        Args:
            value: It.
            kind: What sort of not trying it is.
        """
        return cls(shortened(value), kind, lambda _: value)


@dataclass(frozen=True, slots=True)
class SeenGroups:
    """The lists and maps that are seen at the beginning of each of some episodes.

    Attributes:
        shown: What is seen at each.
        ask: What is sent first for it to be seen; None where the reset shows it.
    """

    shown: Sequence[Observation]
    ask: Action | None = None

    def sizes(self) -> list[str]:
        """Paths of what is as large as a list may be, one of each size on all tasks, the outermost first."""
        held = [grouped(seen) for seen in self.shown]
        return distinct(common(held), lambda path: [len(each[path]) for each in held])[:MOST_SIZES]

    def names(self) -> list[str]:
        """What names are called that are seen together, once for the same names on all tasks."""
        held = [named_together(seen) for seen in self.shown]
        return distinct(common(held), lambda path: [each[path] for each in held])[:MOST_NAMES]

    def copies(self, leaf: ActionField) -> list[str]:
        """Paths of the lists and maps that a field takes as they are, those of a name like its own first.

        Args:
            leaf: The field.
        """
        held, takes = [grouped(seen) for seen in self.shown], fits_in(leaf)
        paths = [path for path in common(held) if all(takes(each[path]) for each in held)]
        likeness = {path: alike(leaf.path[-1], (path.rpartition(".")[2], "")) for path in paths}
        found = distinct(paths, lambda path: [each[path] for each in held])
        return sorted(found, key=lambda path: -likeness[path])[:MOST_COPIED]

    def numbers(self) -> list[str]:
        """Paths of the lists of numbers."""
        held = [grouped(seen) for seen in self.shown]
        paths = [path for path in common(held) if all(are_numbers(each[path]) for each in held)]
        return paths[:MOST_COPIED]

    def kind(self, path: str) -> Kind:
        """What sort of not trying a copy is: of what is the same on all tasks it is a constant."""
        values = {key_of(inside(seen).get(path)) for seen in self.shown}
        return Kind.CONSTANT if len(self.shown) > 1 and len(values) == 1 else Kind.ECHO

    def without(self, other: SeenGroups) -> SeenGroups:
        """The same without what is seen elsewhere, under the same path.

        Args:
            other: What is seen there.
        """
        known = {path.split(".")[1] for seen in other.shown for path in grouped(seen)}
        shown = [{n: v for n, v in seen.items() if n not in known} for seen in self.shown]
        return replace(self, shown=shown)


def grouped(seen: Observation) -> dict[str, list[JsonValue] | dict[str, JsonValue]]:
    """The lists of several things that an observation shows, and the maps whose values are of one kind, by path."""
    own = {name: value for name, value in seen.items() if name not in OWN}
    return {
        path: value
        for path, value in inside(own).items()
        if "." in path
        and isinstance(value, list | dict)
        and LEAST_ITEMS <= len(value) <= MOST_ITEMS
        and (isinstance(value, list) or len(set(map(type, value.values()))) == 1)
    }


def named_together(seen: Observation) -> dict[str, list[str]]:
    """The texts that are seen together, each another one, by what they are called together."""
    held = grouped(seen)
    return {
        among: [name for name in names if isinstance(name, str)]
        for among, names in several_named(seen)
        if all(isinstance(name, str) and name for name in names)
        and among.rpartition(" of " if " of " in among else " in ")[2] in held
    }


def common(held: Sequence[Mapping[str, GroupT]]) -> list[str]:
    """The keys that all of some mappings have, the outermost first."""
    keys = [key for key in held[0] if all(key in each for each in held)] if held else []
    return sorted(keys, key=lambda key: key.count("."))


def distinct(paths: Iterable[str], told: Callable[[str], JsonValue]) -> list[str]:
    """The first of the paths of which the same is told."""
    found: dict[str, str] = {}
    for path in paths:
        found.setdefault(key_of(told(path)), path)
    return list(found.values())


def are_numbers(value: object) -> bool:
    """Whether a value is a list of numbers."""
    return isinstance(value, list) and all(map(is_number, value))


def shape_of(value: JsonValue) -> JsonSchema:
    """The schema of what looks like an example."""
    if isinstance(value, bool | str) or value is None:
        return {"type": {bool: "boolean", str: "string"}.get(type(value), "null")}
    if isinstance(value, list):
        return {"type": "array", "items": shape_of(value[0]) if value else {}}
    if isinstance(value, dict):
        inner = {name: shape_of(held) for name, held in value.items()}
        if len({held.get("type") for held in inner.values()}) > 1:
            return {"type": "object", "properties": inner}
        return {"type": "object", "additionalProperties": next(iter(inner.values()), {})}
    return {"type": "number"}


def shapes_of(leaf: ActionField, examples: Sequence[Action]) -> Iterator[tuple[JsonSchema, bool]]:
    """The lists and maps that a field takes, each with whether it is written as a text.

    What a field takes is said by its schema; where that says nothing, by what somebody wrote in it.

    Args:
        leaf: The field.
        examples: Actions that somebody wrote.
    """
    written = [value_at(action, leaf.name) for action in examples]
    for form in leaf.options:
        if form.get("type") == "array" or (
            form.get("type") == "object" and not form.get("properties")
        ):
            yield form, False
        elif not form.get("type") and not choices_of(form):
            yield from ((shape_of(v), False) for v in written if isinstance(v, list | dict))
    if free_text(leaf.schema, leaf.root) is not None:
        read = (read_text(value) for value in written if isinstance(value, str))
        yield from ((shape_of(v), True) for v in read if isinstance(v, list | dict))


def read_text(text: str) -> JsonValue:
    """What a text says as JSON; None where it is none."""
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return None
    return value


def plain_values(
    schema: JsonSchema, root: JsonSchema, known: Sequence[JsonValue] = ()
) -> list[JsonValue]:
    """The plainest values of an item: its choices; one, none and the middle of a number; what is known of a text.

    Args:
        schema: The item's.
        root: Where its references lead.
        known: What the environment names for it.
    """
    found: list[JsonValue] = []
    for form in forms_of(schema, root):
        kind = form.get("type")
        if choices := choices_of(form):
            found += choices[:MOST_VALUES]
        elif kind in {"integer", "number", None} and not form.get("properties"):
            middle = [*edges_of(form)][2:] or ([HALF] if kind == "number" else [])
            found += [1, 0, *middle]
        elif kind == "string":
            found += [value for value in known if isinstance(value, str)][: MOST_VALUES - 1]
        elif kind == "array":
            found.append([])
        elif form.get("properties"):
            found += records(form, root)
    takes = fits_in(ActionField((), schema, root, {}))
    fit = [value for value in found if takes(value)]
    return [value for n, value in enumerate(fit) if value not in fit[:n]][:MOST_VALUES]


def records(form: JsonSchema, root: JsonSchema) -> list[JsonValue]:
    """The objects that do least, with each value of the first of their fields that has choices or is a number."""
    least = simplest(form, root)
    base: dict[str, JsonValue] = dict(least) if isinstance(least, dict) else {}
    for name, field in form["properties"].items():
        if values := plain_values(field, root):
            return [{**base, name: value} for value in values]
    return [base]


def name_field(form: JsonSchema, root: JsonSchema) -> str | None:
    """The first field of an object that takes any text: it may say which thing the object is about."""
    fields = form.get("properties") or {}
    return next((name for name, f in fields.items() if free_text(f, root) is not None), None)


def list_fillings(
    form: JsonSchema, leaf: ActionField, groups: SeenGroups, known: Sequence[JsonValue]
) -> Iterator[PlainFilling]:
    """What a list is filled with, the plainest first.

    Args:
        form: The list's schema.
        leaf: The field.
        groups: What is seen.
        known: What the environment names for the field.
    """
    items, root = form.get("items") or {}, leaf.root
    values = plain_values(items, root, known)
    size = form.get("minItems")
    if size and size == form.get("maxItems"):
        for value in values:
            filling = PlainFilling.always([value] * size, Kind.CONSTANT)
            yield replace(filling, name=f"a list of {size} × {value!r}", guessed=True)
    else:
        for path in groups.sizes():
            yield from (equal(path, value) for value in values)
    for path in groups.copies(leaf):
        yield copied(groups, path)
    kinds = {each.get("type") for each in forms_of(items, root)}
    if kinds & {"integer", "number"}:
        yield from (ascending(path) for path in groups.sizes())
        yield from (mean_of(path) for path in groups.numbers() if "number" in kinds)
    for among in groups.names():
        yield from named_lists(among, items, root)
    yield from (tables(path, value) for path in groups.sizes() for value in rows_of(items, root))
    if not groups.ask:
        yield from (PlainFilling.always([value], Kind.FILLING) for value in values)
        yield PlainFilling.always([], Kind.BLANK)


def copied(groups: SeenGroups, path: str) -> PlainFilling:
    """A list or map that is seen, as it is."""
    kind = groups.kind(path)
    return PlainFilling(f"copied {short(path)}", kind, reader(path), kind == Kind.CONSTANT)


def reader(path: str) -> Make:
    """What reads a value that is seen."""
    return lambda seen: grouped(seen).get(path)


def short(path: str) -> str:
    """A path for a name."""
    return path.removeprefix("observation.")


def held_at(seen: Observation, path: str) -> list[JsonValue]:
    """What a list or map that is seen holds; nothing where it is not seen."""
    held = grouped(seen).get(path, [])
    return [*held.values()] if isinstance(held, dict) else held


def equal(path: str, value: JsonValue) -> PlainFilling:
    """A list of the same value for each thing of a list or map that is seen."""

    def made(seen: Observation) -> JsonValue:
        return [value] * len(held_at(seen, path)) or None

    return PlainFilling(
        f"{shortened(value)} for each of {short(path)}", Kind.CONSTANT, made, guessed=True
    )


def ascending(path: str) -> PlainFilling:
    """A list of the places of a list or map that is seen: as good an order as any."""

    def made(seen: Observation) -> JsonValue:
        return [*range(len(held_at(seen, path)))] or None

    return PlainFilling(f"0, 1, 2, … for the items of {short(path)}", Kind.FILLING, made)


def mean_of(path: str) -> PlainFilling:
    """A list of the mean of a list of numbers that is seen, as long as that."""

    def made(seen: Observation) -> JsonValue:
        numbers = [float(v) for v in held_at(seen, path) if isinstance(v, int | float)]
        return [fmean(numbers)] * len(numbers) if numbers else None

    return PlainFilling(f"the mean of {short(path)}, once per item", Kind.ECHO, made)


def rows_of(items: JsonSchema, root: JsonSchema) -> list[JsonValue]:
    """The values of a table's cells; none where the items of a list are no lists."""
    inner = [form for form in forms_of(items, root) if form.get("type") == "array"]
    return plain_values(inner[0].get("items") or {}, root) if inner else []


def tables(path: str, value: JsonValue) -> PlainFilling:
    """A table of the same value in each cell of one that is seen; a square one where the rows are no lists."""

    def made(seen: Observation) -> JsonValue:
        rows = held_at(seen, path)
        return [[value] * len(row if isinstance(row, list) else rows) for row in rows] or None

    return PlainFilling(
        f"{shortened(value)} in each cell of {short(path)}", Kind.CONSTANT, made, guessed=True
    )


def names_at(seen: Observation, among: str) -> list[str]:
    """Names that are seen together; none where they are not seen."""
    return named_together(seen).get(among, [])


def named_lists(among: str, items: JsonSchema, root: JsonSchema) -> Iterator[PlainFilling]:
    """Lists of names that are seen: all, the first; or of an object for each."""

    def each(seen: Observation) -> JsonValue:
        return [*names_at(seen, among)] or None

    def first(seen: Observation) -> JsonValue:
        return [*names_at(seen, among)[:1]] or None

    for form in forms_of(items, root):
        if form.get("type") == "string" and not choices_of(form):
            yield PlainFilling(f"each {among}", Kind.SHOTGUN, each)
            yield PlainFilling(f"the first {among}", Kind.FILLING, first)
        called = name_field(form, root)
        if called is not None:
            yield from (record_each(among, called, held) for held in records(form, root))


def record_each(among: str, called: str, held: JsonValue) -> PlainFilling:
    """A list of the same object for each name that is seen, which one of its fields says."""
    base = held if isinstance(held, dict) else {}

    def made(seen: Observation) -> JsonValue:
        return [{**base, called: name} for name in names_at(seen, among)] or None

    said = {name: value for name, value in base.items() if name != called}
    name = f"one record for each {among}, named in {called}, with {said}"
    return PlainFilling(name, Kind.CONSTANT, made, guessed=True)


def map_fillings(
    form: JsonSchema, leaf: ActionField, groups: SeenGroups, known: Sequence[JsonValue]
) -> Iterator[PlainFilling]:
    """What a map is filled with, the plainest first.

    Args:
        form: The map's schema.
        leaf: The field.
        groups: What is seen.
        known: What the environment names for the field.
    """
    held = form.get("additionalProperties")
    schema: JsonSchema = held if isinstance(held, dict) else {}
    values = plain_values(schema, leaf.root, known)
    takes = fits_in(ActionField((), schema, leaf.root, {}))
    for among in groups.names():
        if takes(HALF):
            yield even(among)
        yield from (same_for_each(among, value) for value in values)
        yield from (same_for_each(among, value, most=1) for value in values[:1])
    for path in groups.copies(leaf):
        if takes_map(groups, path):
            yield copied(groups, path)
    if not groups.ask:
        yield PlainFilling.always({}, Kind.BLANK)


def takes_map(groups: SeenGroups, path: str) -> bool:
    """Whether a map stands at a path wherever it is seen, whose values hold no others."""
    held = [grouped(seen).get(path) for seen in groups.shown]
    return all(isinstance(each, dict) and all(map(is_plain, each.values())) for each in held)


def even(among: str) -> PlainFilling:
    """A map that gives each name that is seen the same share of one."""

    def made(seen: Observation) -> JsonValue:
        names = names_at(seen, among)
        return {name: 1 / len(names) for name in names} or None

    return PlainFilling(f"an equal share for each {among}", Kind.CONSTANT, made, guessed=True)


def same_for_each(among: str, value: JsonValue, most: int | None = None) -> PlainFilling:
    """A map that gives each name that is seen the same value, or only the first ones."""

    def made(seen: Observation) -> JsonValue:
        return dict.fromkeys(names_at(seen, among)[:most], value) or None

    if most is not None:
        return PlainFilling(f"{shortened(value)} for the first {among}", Kind.FILLING, made)
    return PlainFilling(f"{shortened(value)} for each {among}", Kind.CONSTANT, made, guessed=True)


def fillings_of(
    leaf: ActionField,
    groups: SeenGroups,
    examples: Sequence[Action] = (),
    known: Sequence[JsonValue] = (),
) -> Iterator[PlainFilling]:
    """What a field is filled with, each once.

    Args:
        leaf: The field.
        groups: What is seen.
        examples: Actions that somebody wrote.
        known: What the environment names for it.
    """
    tried: set[str] = set()
    for form, text in shapes_of(leaf, examples):
        make = list_fillings if form.get("type") == "array" else map_fillings
        declared = form in leaf.options
        takes = fits_in(leaf) if declared else None
        for filling in make(form, leaf, groups, known):
            made = [filling.made(seen) for seen in groups.shown]
            # What only some tasks show has no size that is known on all of them.
            if None in made or not all(takes is None or takes(value) for value in made):
                continue
            if (key := key_of(made)) not in tried:
                tried.add(key)
                yield written(filling) if text else filling


def written(filling: PlainFilling) -> PlainFilling:
    """A filling as a text."""

    def made(seen: Observation) -> JsonValue:
        value = filling.made(seen)
        return None if value is None else json.dumps(value)

    return replace(filling, made=made)
