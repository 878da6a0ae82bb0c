"""Where in observations, metadata and states values stand, seen or only declared, as expressions ask for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from keyword import iskeyword

from gonogo.auditing.success_words import ACTION, any_words, words_of
from gonogo.env.success import SuccessRule
from gonogo.wire import JsonSchema, JsonValue

DEEPEST, MOST_KEYS = 3, 60


@dataclass(frozen=True, slots=True)
class Leaf:
    """A place of an observation, of metadata or of the state, and what stood there at the ends.

    Attributes:
        source: ``observation``, ``metadata`` or ``state``.
        path: The names that lead to it.
        values: What stood there, where it was shown.
        schema: What is declared of it; empty where nothing is.
    """

    source: str
    path: tuple[str, ...]
    values: tuple[JsonValue, ...]
    schema: JsonSchema = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its own name."""
        return self.path[-1]

    @property
    def text(self) -> str:
        """The place as an expression."""
        first, rest = self.path[0], self.path[1:]
        own = {*SuccessRule.SOURCES, *SuccessRule.FUNCTIONS, "done", "reward"}
        plain = first.isidentifier() and not (
            iskeyword(first) or first.startswith("_") or first in own
        )
        if self.source == "observation" and plain:
            return first + "".join(map(subscript, rest))
        return self.source + "".join(map(subscript, self.path))

    @property
    def discount(self) -> float:
        """What it costs to lie deep, or to be about an action."""
        above = any_words(self.path[:-1])
        about_action = bool((above | words_of(self.name)) & ACTION)
        return 0.1 * (len(self.path) - 1) + (2.0 if about_action else 0.0)

    def is_of(self, *kinds: str) -> bool:
        """Whether all its values are of a JSON type, or, where there are none, it is declared so."""
        told = [v for v in self.values if v is not None]
        if told:
            return all(kind_of(value) in kinds for value in told)
        return bool(declared_kinds(self.schema) & set(kinds))


def subscript(name: str) -> str:
    """A key, asked for."""
    return f"[{json.dumps(name, ensure_ascii=False)}]"


def kind_of(value: JsonValue) -> str:
    """The JSON type of a value."""
    if isinstance(value, bool):
        return "boolean"
    kinds = {int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), "null")


def declared_kinds(schema: JsonSchema) -> set[str]:
    """The JSON types that a schema takes."""
    forms = [schema, *[f for f in schema.get("anyOf", []) if isinstance(f, dict)]]
    told = [form.get("type") for form in forms]
    return {"number" if kind == "integer" else str(kind) for kind in told if isinstance(kind, str)}


def amount(leaf: Leaf) -> str:
    """How much a place holds, as an expression."""
    return f"len({leaf.text})" if leaf.is_of("array") else leaf.text


def value_in(value: JsonValue, path: Iterable[str]) -> JsonValue:
    """What stands at a path; None where nothing does."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def leaves(
    source: str,
    path: tuple[str, ...],
    shown: Sequence[JsonValue],
    schema: JsonSchema,
    root: JsonSchema,
) -> Iterator[Leaf]:
    """The places below some objects, and those that are only declared.

    Args:
        source: Of what.
        path: Where the objects stand.
        shown: The objects.
        schema: What is declared of them.
        root: The schema that references are looked up in.
    """
    declared = schema.get("properties", {})
    names = dict.fromkeys([*declared, *(name for value in shown for name in value)])
    for name in list(names)[:MOST_KEYS]:
        values = [value[name] for value in shown if name in value]
        inner = resolved(declared.get(name, {}), root)
        objects = [value for value in values if isinstance(value, dict)]
        yield Leaf(
            source, (*path, name), tuple(v for v in values if not isinstance(v, dict)), inner
        )
        if len(path) + 1 < DEEPEST and (objects or "properties" in inner):
            yield from leaves(source, (*path, name), objects, inner, root)


def resolved(schema: JsonValue, root: JsonSchema) -> JsonSchema:
    """A schema behind its reference; empty where there is none."""
    if not isinstance(schema, dict):
        return {}
    forms = [f for f in schema.get("anyOf", []) if isinstance(f, dict) and f.get("type") != "null"]
    if "$ref" not in schema and len(forms) == 1:
        return {**schema, **resolved(forms[0], root)}
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    target = root.get("$defs", {}).get(name)
    return {**target, **schema} if isinstance(target, dict) else schema
