"""What a schema's forms say of an action: its values within bounds, the field that is its verb, its places."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence

from gonogo.explore.observed import words_of
from gonogo.rollouts.schema import bound, fits_pattern, forms_of
from gonogo.rollouts.space import choices_of
from gonogo.wire import Action, JsonSchema, JsonValue

MOST_WHOLE = 256
"""Whole numbers between two bounds that are few."""
ANYTHING: JsonSchema = {"anyOf": [{"type": "string"}, {"type": "number"}]}
"""The schema of a value of which nothing is known."""


def edges_of(form: JsonSchema) -> Iterator[int | float]:
    """The bounds of a number, and the middle between them."""
    if form.get("type") not in {"integer", "number"}:
        return
    whole = form["type"] == "integer"
    low = bound(form, "minimum", 1 if whole else 1e-6, math.nan)
    high = bound(form, "maximum", -1 if whole else -1e-6, math.nan)
    for edge in (low, high, (low + high) / 2):
        if math.isfinite(edge):
            yield int(edge) if whole else edge


def closed_values(field: JsonSchema, root: JsonSchema) -> list[JsonValue] | None:
    """All values that a field takes; None where they are not few.

    Args:
        field: The field's schema.
        root: Where its references lead.
    """
    found: list[JsonValue] = []
    for form in forms_of(field, root):
        low, high = bound(form, "minimum", 0, math.nan), bound(form, "maximum", 0, math.nan)
        if choices := choices_of(form):
            found += choices
        elif form.get("type") == "integer" and 0 <= high - low < MOST_WHOLE:
            # An exclusive bound leaves out itself alone: beyond 0.5 the next whole number is 1, not 2.
            outside = {form.get("exclusiveMinimum"), form.get("exclusiveMaximum")}
            whole = range(math.ceil(low), math.floor(high) + 1)
            found += [value for value in whole if value not in outside]
        else:
            return None
    return found


def as_form(value: JsonValue, form: JsonSchema) -> list[JsonValue]:
    """A value as a form takes it; nothing where it does not.

    A number is taken for a text that says it, and a text for a number that it says.
    """
    kind, choices = form.get("type"), choices_of(form)
    if choices:
        return [value] if value in choices else []
    if kind == "string":
        return as_text(value, form)
    if kind in {"integer", "number"}:
        return as_number(value, form)
    takes = {"array": list, "object": dict}.get(str(kind), object)
    return [value] if value is not None and kind != "null" and isinstance(value, takes) else []


def as_text(value: JsonValue, form: JsonSchema) -> list[JsonValue]:
    """A value as a text within its limits."""
    if isinstance(value, dict | list):
        return []
    text = value if isinstance(value, str) else json.dumps(value)
    low, high = form.get("minLength", 0), form.get("maxLength", math.inf)
    return [text] if low <= len(text) <= high and fits_pattern(text, form.get("pattern")) else []


def as_number(value: JsonValue, form: JsonSchema) -> list[JsonValue]:
    """A value as a number within its limits."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return []
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return []
    whole = form["type"] == "integer"
    if whole and value != int(value):
        return []
    low = bound(form, "minimum", 1 if whole else 1e-9, -math.inf)
    high = bound(form, "maximum", -1 if whole else -1e-9, math.inf)
    return [int(value) if whole else value] if low <= value <= high else []


def without(held: JsonSchema, key: str) -> JsonSchema:
    """A schema without one key, and without what only goes with its type."""
    return {name: value for name, value in held.items() if name not in (key, "type")}


def opened_up(schema: JsonSchema, keys: Mapping[str, Sequence[str]], most: int) -> JsonSchema:
    """An action's schema whose fields that may be any object have the keys that these are asked for.

    Args:
        schema: As the environment gives it.
        keys: Of each field, by its name.
        most: How many of a field.
    """
    fields = dict(schema.get("properties") or {})
    for name, field in fields.items():
        if isinstance(field, dict) and is_open_object(field) and keys.get(name):
            fields[name] = {**field, "properties": dict.fromkeys(keys[name][:most], ANYTHING)}
    return {**schema, "properties": fields} if fields else schema


def is_open_object(field: JsonSchema) -> bool:
    """Whether a field takes an object of which nothing is said but that it is one."""
    closed = field.get("properties") or field.get("additionalProperties") is False
    return field.get("type") == "object" and not closed


def verb_field(fields: dict[str, JsonSchema], root: JsonSchema) -> str | None:
    """The field that says what an action does: one with choices, the first that is required; else one named like it."""
    chosen = [
        name
        for name, field in fields.items()
        if any(
            len(choices_of(form)) > 1 and form.get("type") != "boolean"
            for form in forms_of(field, root)
        )
    ]
    required = root.get("required", ())
    first = next((name for name in chosen if name in required), None)
    if first is not None:
        return first
    named = [name for name in fields if set(words_of(name)) & VERBS]
    return next((name for name in named if name in required or name in chosen), None) or next(
        iter(chosen), None
    )


VERBS = frozenset(
    {
        "action",
        "kind",
        "type",
        "command",
        "verb",
        "operation",
        "op",
        "tool",
        "method",
        "move",
        "intent",
    }
)


def places_of(action: Action) -> Iterator[tuple[str, JsonValue]]:
    """The fields of an action and of what they hold, by name."""
    waiting: list[tuple[str, JsonValue]] = list(action.items())
    while waiting:
        name, value = waiting.pop()
        yield name, value
        if isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list):
            waiting += [(name, inner) for inner in value]
