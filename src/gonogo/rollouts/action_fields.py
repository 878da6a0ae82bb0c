"""The places of an action that hold one value each: its fields, and what lists, objects and tool calls hold.

A leaf is named by its path, as in ``order``, ``point.x``, ``moves.*`` (every item of a list) or
``look_up.arguments.word`` (an argument of a tool).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gonogo.rollouts.schema import forms_of, simplest
from gonogo.wire import Action, JsonSchema

__all__ = ["EACH", "ActionField", "leaves", "value_at"]

EACH = "*"
DEPTH = 3

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ActionField:
    """One place of an action.

    Attributes:
        path: Keys from the action to the place; :data:`EACH` is every item of a list.
        schema: What may stand there.
        root: Where the schema's references lead.
        base: The action around it, which does least and has the place.
        tool: Name of the tool that the action calls; empty for others.
    """

    path: Path
    schema: JsonSchema
    root: JsonSchema
    base: Action
    tool: str = ""

    @property
    def name(self) -> str:
        """For tables, and for :func:`value_at`."""
        return ".".join([self.tool, *self.path] if self.tool else self.path)

    @property
    def options(self) -> list[JsonSchema]:
        """The alternatives of its schema, references followed."""
        return forms_of(self.schema, self.root)

    def put(self, value: Any) -> Action:
        """The action around the place, with a value in it."""
        return dict(put(self.base, self.path, value))


def put(held: Any, path: Path, value: Any) -> Any:
    """A copy with a value at a path."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    if first == EACH:
        return [put(item, rest, value) for item in held]
    return {**held, first: put(held.get(first), rest, value)}


def value_at(action: Action | None, name: str | None) -> Any:
    """What an action holds at a leaf's name, the first item for every one; None where it has no such place."""
    held: Any = action
    for key in (name or "").split("."):
        if isinstance(held, dict) and key in held:
            held = held[key]
        elif isinstance(held, list) and key == EACH and held:
            held = held[0]
        elif not (isinstance(held, dict) and held.get("tool_name") == key):
            return None
    return held if name else None


def leaves(
    fields: dict[str, JsonSchema], root: JsonSchema, base: Action, tool: str = "", path: Path = ()
) -> list[ActionField]:
    """The leaves of some fields, each followed by what it holds.

    Args:
        fields: Schemas by field.
        root: Where their references lead.
        base: The action that does least.
        tool: Name of the tool whose arguments they are; empty for others.
        path: Keys from the action to the fields.
    """
    return [
        leaf
        for name, field in fields.items()
        for leaf in inner(ActionField((*path, name), field, root, base, tool), DEPTH)
    ]


def inner(leaf: ActionField, depth: int) -> Iterator[ActionField]:
    """A leaf and the leaves that it holds, around which the least there can be is filled in."""
    yield leaf
    if depth < 2:
        return
    for option in leaf.options:
        if option.get("type") == "array" and option.get("items"):
            items = option["items"]
            # Two objects of a list would often have to differ: one is enough to say everything once.
            count = max(1, option.get("minItems", 0))
            around = leaf.put([simplest(items, leaf.root)] * count)
            held = ActionField((*leaf.path, EACH), items, leaf.root, around, leaf.tool)
            yield from inner(held, depth - 1)
        elif option.get("type") == "object":
            around = leaf.put(simplest(option, leaf.root) or {})
            for name, field in option.get("properties", {}).items():
                held = ActionField((*leaf.path, name), field, leaf.root, around, leaf.tool)
                yield from inner(held, depth - 1)
