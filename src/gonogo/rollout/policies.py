"""Policies that any environment can be flown with: idle, random over the schema, and a script.

They know the action's JSON schema and nothing else. Where an environment also takes raw text in a
field ``reply``, they fill the other fields. None of them learns; each is deterministic, whatever the
number of slots: the random one draws every episode from a generator of its seed and its task.
"""

from __future__ import annotations

import json
import math
import zlib
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gonogo.codec import (
    REPLY_FIELD,
    bound,
    idle_choice,
    required_fields,
    resolve_reference,
    simplest,
)
from gonogo.rollout.protocols import Json, Reply, View

__all__ = ["IdlePolicy", "RandomPolicy", "ScriptedPolicy"]

RANGE = 100.0
EXACT = 2.0**53
PRINTABLE = (32, 127)
MAX_ITEMS = 4
MAX_CHARS = 16


class Stateless:
    """A policy that keeps nothing between turns."""

    name: str

    def begin(self, slots: Iterable[int]) -> None:
        """Nothing to forget."""

    def end(self, slots: Iterable[int]) -> None:
        """Nothing to free."""

    def close(self) -> None:
        """Nothing to close."""


def action_fields(schema: Json) -> Json:
    """The fields of an action that a policy fills: all but raw text and OpenEnv's metadata."""
    fields: Json = schema.get("properties", {})
    if len(fields) > 1:
        fields = {name: field for name, field in fields.items() if name != REPLY_FIELD}
    return {name: field for name, field in fields.items() if name != "metadata"}


class IdlePolicy(Stateless):
    """Does as little as the schema allows: every turn the same action.

    A choice that says it does nothing (``idle``, ``noop``, …) is taken wherever there is one; else
    required fields get their default, their first choice, zero or emptiness, and optional ones are
    left out.

    Args:
        schema: JSON schema of the action.
    """

    def __init__(self, schema: Json) -> None:
        self.name = "idle"
        self.action: Json = {}
        needed = required_fields(schema)
        for name, field in action_fields(schema).items():
            if name in needed or has_idle_choice(field, schema):
                self.action[name] = simplest(field, schema)

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """The same action for everyone."""
        return {slot: Reply(action=self.action) for slot in views}


def has_idle_choice(field: Json, root: Json) -> bool:
    """Whether a field's choices contain one that does nothing."""
    return idle_choice(resolve_reference(field, root).get("enum", ())) is not None


class RandomPolicy(Stateless):
    """Draws every field uniformly from its schema; an optional one is left out half of the time.

    A field with choices is never left out. Numbers without limits are drawn within
    ±100, texts are up to 16 printable characters.

    Args:
        schema: JSON schema of the action.
        seed: Seed; an episode's draws depend on it and on the episode's reset options only.
    """

    def __init__(self, schema: Json, seed: int) -> None:
        self.name = "random"
        self._schema, self._seed = schema, seed
        self._fields = action_fields(schema)
        self._always = frozenset(required_fields(schema)) | {
            name for name, f in self._fields.items() if "enum" in resolve_reference(f, schema)
        }
        self._generators: dict[int, np.random.Generator] = {}

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """A fresh action for each view."""
        out = {}
        for slot, view in views.items():
            if view.turn == 0:
                task = zlib.crc32(json.dumps(view.options, sort_keys=True).encode())
                self._generators[slot] = np.random.default_rng([self._seed, task])
            out[slot] = Reply(action=self._draw(self._generators[slot]))
        return out

    def _draw(self, rng: np.random.Generator) -> Json:
        return {
            name: draw(field, self._schema, rng)
            for name, field in self._fields.items()
            if name in self._always or rng.random() < 0.5
        }


def draw(schema: Json, root: Json, rng: np.random.Generator) -> Any:
    """A random value of a schema."""
    schema = resolve_reference(schema, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][rng.integers(len(schema["enum"]))]
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        options = [option for option in options if option.get("type") != "null"] or options
        return draw(options[rng.integers(len(options))], root, rng)
    return draw_of_type(schema, root, rng)


def draw_of_type(schema: Json, root: Json, rng: np.random.Generator) -> Any:
    """A random value of a type within its limits."""
    kind = schema.get("type")
    if kind in {"integer", "number"}:
        return draw_number(schema, rng)
    if kind == "boolean":
        return bool(rng.integers(2))
    if kind == "string":
        low = schema.get("minLength", 0)
        size = rng.integers(low, max(low, min(schema.get("maxLength", MAX_CHARS), MAX_CHARS)) + 1)
        return "".join(map(chr, rng.integers(*PRINTABLE, size=size)))
    if kind == "array":
        low = schema.get("minItems", 0)
        size = rng.integers(low, max(low, min(schema.get("maxItems", MAX_ITEMS), MAX_ITEMS)) + 1)
        return [draw(schema.get("items", {}), root, rng) for _ in range(size)]
    if kind == "object":
        return {
            name: draw(field, root, rng)
            for name, field in schema.get("properties", {}).items()
            if name in schema.get("required", ()) or rng.random() < 0.5
        }
    return None


def draw_number(schema: Json, rng: np.random.Generator) -> int | float:
    """A random integer or float within its limits."""
    whole = schema["type"] == "integer"
    low = bound(schema, "minimum", 1 if whole else 0, -RANGE)
    high = bound(schema, "maximum", -1 if whole else 0, max(RANGE, low + RANGE))
    if whole:
        first, last = math.ceil(max(low, -EXACT)), math.floor(min(high, EXACT))
        return int(rng.integers(min(first, last), last + 1))
    return float(rng.uniform(min(low, high), high))


class ScriptedPolicy(Stateless):
    """Says what it was given: one list of replies an episode, in the order of the tasks.

    When a script is at its end, its last reply is repeated.

    Args:
        scripts: Replies by episode; as many as there are tasks, none empty.
        name: Name for the record.
    """

    def __init__(self, scripts: Sequence[Sequence[Reply]], name: str = "scripted") -> None:
        self.name = name
        self._waiting = deque(scripts)
        self._scripts: dict[int, Sequence[Reply]] = {}

    def begin(self, slots: Iterable[int]) -> None:
        """Hand the next scripts to these slots, which the engine names in the order of the tasks."""
        for slot in slots:
            self._scripts[slot] = self._waiting.popleft()

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """The reply whose turn it is."""
        return {
            slot: self._scripts[slot][min(view.turn, len(self._scripts[slot]) - 1)]
            for slot, view in views.items()
        }
