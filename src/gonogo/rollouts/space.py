"""An action space, read from its JSON schema: the places of an action, and actions that do or do not fit.

Everything that makes actions without a model makes them here: the policies that only know the schema,
the map's flights and malformed actions, an audit's panels. Where an environment also takes raw text in
a field ``reply``, the other fields are filled. An MCP environment's actions are calls of its tools: with
the tools' own schemas given, the arguments fit them. Nothing is remembered and nothing is sent.

A place that holds one value is an :class:`ActionField`, named by its path, as in ``order``, ``point.x``, ``moves.*``
(every item of a list) or ``look_up.arguments.word`` (an argument of a tool).

A schema does not say what a validator asks for, so :func:`accepted` looks for an action that an environment takes. The
simplest comes first; then those with another value in one place, with something in every place, with other values
in two places, and last some random ones, the shorter before the longer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from typing import Any

import numpy as np

from gonogo.errors import CodecError
from gonogo.records.contract import SettableField
from gonogo.rollouts.schema import (
    bound,
    describe_schema,
    forms_of,
    idle_choice,
    is_text,
    raw_field,
    required_fields,
    resolve_reference,
    rooted,
    shapes,
    simplest,
    simplest_call,
    simplest_text,
    takes_tools,
    tuple_of,
)
from gonogo.rollouts.types import Schemas
from gonogo.wire import Action, JsonSchema, Tool

READ_FROM_CODE = "read from the code"
"""Comment of an action's schema that is read from the code, as :data:`gonogo.env.worker.action_fields.READ` has it."""
SENT_AS_TEXT = "sent in the query, as text"
"""Comment of one whose values arrive as texts, as :data:`gonogo.env.worker.openapi.SENT_AS_TEXT` has it."""
RANGE = 100.0
EXACT = 2.0**53
SMALL = 8
PRINTABLE = (32, 127)
MAX_ITEMS = 4
MAX_CHARS = 16
LONG_TEXT = 100_000
DEEP = 6
"""Levels of an action that are drawn; below stands the simplest."""
WORD = "well "
BOUNDS = (
    "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "minLength", "maxLength",
    "minItems", "maxItems", "pattern",
)  # fmt: skip


class Space:
    """The actions of one environment.

    Args:
        schema: JSON schema of the action.
        tools: Tools of an MCP environment, each with ``name`` and ``input_schema``; actions then call them.
    """

    def __init__(self, schema: JsonSchema, tools: Sequence[Tool] = ()) -> None:
        self._schema = schema = rooted(schema)
        self._fields = action_fields(schema)
        self._required = required_fields(schema)
        self._always = frozenset(self._required) | {
            name for name, f in self._fields.items() if "enum" in resolve_reference(f, schema)
        }
        self._tools = tuple(tools) if takes_tools(schema) else ()
        # A union of models is several spaces: what fits one of them would be refused by the others.
        self._shapes = [Space(shape) for shape in shapes(schema)]

    def describe(self) -> list[SettableField]:
        """The fields, for a reader."""
        return [self._describe(name, field) for name, field in self._fields.items()]

    def idle(self) -> Action:
        """The action that does least: a do-nothing choice wherever there is one, else the simplest values.

        Optional fields without such a choice are left out.
        """
        if self._tools:
            return self._call(self._tools[0], None)
        if self._shapes:
            return self._least().idle()
        return {
            name: simplest(field, self._schema)
            for name, field in self._fields.items()
            if name in self._required or has_idle_choice(field, self._schema)
        }

    def sample(self, rng: np.random.Generator) -> Action:
        """A random action: every field uniformly from its schema, an optional one half of the time.

        A field with choices is never left out. Numbers without limits are drawn within ±100, integers every other
        time from the small ones, which are what many environments number their choices with; texts are up to
        16 printable characters.
        """
        if self._tools:
            return self._call(self._tools[rng.integers(len(self._tools))], rng)
        if self._shapes:
            return self._shapes[rng.integers(len(self._shapes))].sample(rng)
        return {
            name: draw(field, self._schema, rng)
            for name, field in self._fields.items()
            if name in self._always or rng.random() < 0.5
        }

    def leaves(self) -> list[ActionField]:
        """The places of an action that hold one value each; of an MCP environment, the arguments of its tools."""
        return list(self._leaves)

    @cached_property
    def _leaves(self) -> list[ActionField]:
        if self._shapes:
            return [leaf for shape in self._shapes for leaf in shape.leaves()]
        if not self._tools:
            return leaves(self._fields, self._schema, self.idle())
        return [
            leaf
            for tool in self._tools
            for root in [tool.get("input_schema") or {}]
            for leaf in leaves(
                root.get("properties", {}),
                root,
                self._call(tool, None),
                tool["name"],
                ("arguments",),
            )
        ]

    def constants(self, limit: int) -> list[Action]:
        """Actions worth repeating for a whole episode: idle, each tool called, then those with each choice and bound.

        Args:
            limit: How many at most.
        """
        return [action for _, action in self.named_constants(limit)]

    def named_constants(self, limit: int) -> list[tuple[ActionField | None, Action]]:
        """The constants, each with the leaf in which it is not the least there can be; None for idle and tools.

        Args:
            limit: How many at most.
        """
        found: list[tuple[ActionField | None, Action]] = [(None, self.idle())]
        found += [(None, self._call(tool, None)) for tool in self._tools[1:]]
        found += [(None, shape.idle()) for shape in self._shapes]
        found += [(leaf, leaf.put(value)) for leaf in self.leaves() for value in landmarks(leaf)]
        distinct: list[tuple[ActionField | None, Action]] = []
        for leaf, action in found:
            if all(action != known for _, known in distinct):
                distinct.append((leaf, action))
        return distinct[:limit]

    def texts(self) -> list[str]:
        """Names of the fields that take any text."""
        if self._tools or self._shapes:
            return []
        fields = self._fields.items()
        return [name for name, field in fields if free_text(field, self._schema) is not None]

    def malformed(self) -> Iterator[tuple[str, Action]]:
        """Actions that break the schema, each with the name of the rule that it breaks.

        ``type`` breaks a field's type in a way that no validator coerces; the others break a choice, a
        bound or the set of fields.
        """
        if self._shapes:
            yield from self._least().malformed()
            return
        if self._schema.get("$comment") == READ_FROM_CODE:
            return  # nobody promised it
        good = self.idle()
        yield "unknown field", {**good, "no_such_field": 1}
        for name in self._required:
            yield f"{name} missing", {k: v for k, v in good.items() if k != name}
        as_text = self._schema.get("$comment") == SENT_AS_TEXT
        for name, field in self._fields.items():
            for rule, value in bad_values(field, self._schema):
                if rule == "type" and as_text and takes_text(field, self._schema):
                    continue  # it arrives as a text, and is none of another type
                yield f"{name}: {rule}", {**good, name: value}

    def extremes(self) -> Iterator[tuple[ActionField, str, Action]]:
        """Actions that fit the schema and may surprise the environment: NaN, huge numbers, long and empty texts.

        Each comes after the leaf that is surprising, and what is surprising about it.
        """
        for leaf in self.leaves():
            for rule, value in extreme_values(leaf):
                yield leaf, rule, leaf.put(value)

    def _least(self) -> Space:
        """Of the objects of a union, the first that says it does nothing, or the first."""
        idle = (s for s in self._shapes if idle_choice([*s.idle().values()]) is not None)
        return next(idle, self._shapes[0])

    def _describe(self, name: str, field: JsonSchema) -> SettableField:
        schema = resolve_reference(field, self._schema)
        kinds = forms_of(schema, self._schema)
        choices = [choice for kind in kinds for choice in choices_of(kind)]
        return SettableField(
            name=name,
            required=name in self._required,
            words=describe_schema(field, self._schema),
            choices=tuple(choices) or None,
            bounds={rule: kind[rule] for kind in kinds for rule in BOUNDS if rule in kind},
            default=field.get("default"),
            description=field.get("description"),
        )

    def _call(self, tool: Tool, rng: np.random.Generator | None) -> Action:
        """A call of a tool, with the simplest arguments or random ones."""
        call = simplest_call(tool)
        if rng is not None:
            schema = {"type": "object", **(tool.get("input_schema") or {})}
            call["arguments"] = draw(schema, schema, rng)
        return call


def action_fields(schema: JsonSchema) -> dict[str, JsonSchema]:
    """The fields of an action that a policy fills: never OpenEnv's metadata, raw text where there is nothing else."""
    given = {name: f for name, f in schema.get("properties", {}).items() if name != "metadata"}
    own = {name: field if isinstance(field, dict) else {} for name, field in given.items()}
    raw = raw_field(schema)
    return {name: f for name, f in own.items() if name != raw} or own


def has_idle_choice(field: JsonSchema, root: JsonSchema) -> bool:
    """Whether a field's choices contain one that does nothing."""
    return idle_choice(resolve_reference(field, root).get("enum", ())) is not None


def choices_of(schema: JsonSchema) -> list[Any]:
    """The values that a schema enumerates; a boolean has two, anything open none."""
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return list(schema["enum"])
    return [False, True] if schema.get("type") == "boolean" else []


def free_text(field: JsonSchema, root: JsonSchema) -> JsonSchema | None:
    """The limits of a field that takes any text; None for other fields."""
    if not is_text(field, root):
        return None
    for limits in forms_of(field, root):
        if limits.get("type") == "string" and not choices_of(limits) and "pattern" not in limits:
            return limits
    return None


def landmarks(leaf: ActionField) -> Iterator[Any]:
    """The values of a leaf that stand out: every choice, both bounds of a number and their middle, small integers.

    Of a list none, and all the choices of its items.
    """
    for schema in leaf.options:
        yield from choices_of(schema)
        if schema.get("type") == "array":
            yield from whole_lists(schema, leaf.root)
        if schema.get("type") in {"integer", "number"} and "enum" not in schema:
            yield from edges(schema)
            yield from small_integers(schema)


def edges(schema: JsonSchema) -> Iterator[int | float]:
    """The bounds of a number, and the middle where it has both."""
    whole = schema["type"] == "integer"
    margin = 1 if whole else 1e-6
    rules = (("minimum", 1), ("maximum", -1))
    found = [bound(schema, rule, sign * margin, math.nan) for rule, sign in rules]
    if all(map(math.isfinite, found)):
        found.append(sum(found) / 2)
    for edge in found:
        if math.isfinite(edge):
            yield int(edge) if whole else edge


def whole_lists(schema: JsonSchema, root: JsonSchema) -> Iterator[list[Any]]:
    """The empty list and the list of all choices, where the schema allows them."""
    options = forms_of(schema.get("items", {}), root)
    choices = [choice for option in options for choice in choices_of(option)]
    sizes = range(schema.get("minItems", 0), schema.get("maxItems", len(choices)) + 1)
    if 0 in sizes:
        yield []
    if choices and len(choices) in sizes:
        yield choices


def small_integers(schema: JsonSchema) -> range:
    """The least integers from zero, or from the minimum, of a schema that sets no maximum; else none."""
    if schema["type"] != "integer" or schema.keys() & {"maximum", "exclusiveMaximum"}:
        return range(0)
    low = math.ceil(bound(schema, "minimum", 1, 0.0))
    return range(low, low + SMALL)


def takes_text(field: JsonSchema, root: JsonSchema) -> bool:
    """Whether a field may be a text."""
    return any(kind.get("type") == "string" for kind in forms_of(field, root))


def bad_values(field: JsonSchema, root: JsonSchema) -> Iterator[tuple[str, Any]]:
    """Values that a field's schema forbids, each with the rule."""
    kinds = forms_of(field, root)
    types = {kind.get("type") for kind in kinds}
    if any(choices_of(kind) for kind in kinds):
        yield "no such choice", "no such choice"
    if None in types:
        return
    if "object" not in types:
        yield "type", {"not": ["a", "value"]}
    for kind in kinds:
        if kind.get("type") in {"integer", "number"}:
            for rule, sign in (("minimum", -1), ("maximum", 1)):
                edge = bound(kind, rule, 0, math.nan)
                if math.isfinite(edge):
                    yield f"beyond {rule}", int(edge) + sign * 1000


def extreme_values(leaf: ActionField) -> Iterator[tuple[str, Any]]:
    """Values that a leaf's schema allows although nobody would send them, each with a name."""
    for schema in leaf.options:
        kind = schema.get("type")
        if choices_of(schema):
            continue
        if kind in {"integer", "number"}:
            sizes = [
                ("negative", -1, "minimum", "exclusiveMinimum"),
                ("hugely negative", -(10**12), "minimum", "exclusiveMinimum"),
                ("huge", 10**12, "maximum", "exclusiveMaximum"),
            ]
            yield from ((n, value) for n, value, *rules in sizes if not schema.keys() & set(rules))
        if kind == "number":
            yield "NaN", math.nan
        if kind == "string" and "pattern" not in schema:
            longest = schema.get("maxLength", LONG_TEXT)
            yield "the longest text", "x" * min(longest, LONG_TEXT)
            yield "the longest text in words", (WORD * (LONG_TEXT // len(WORD)))[:longest]
            if not schema.get("minLength"):
                yield "an empty text", ""


def draw(schema: Any, root: JsonSchema, rng: np.random.Generator, level: int = 0) -> Any:
    """A random value of a schema; what need not be there is not, from some depth on."""
    schema = resolve_reference(schema, root)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][rng.integers(len(schema["enum"]))]
    forms = forms_of(schema, root)
    if level > DEEP:
        return simplest(schema, root, level)
    if len(forms) > 1 or forms[0] is not schema:
        forms = [form for form in forms if form.get("type") != "null"] or forms
        return draw(forms[rng.integers(len(forms))], root, rng, level + 1)
    return draw_of_type(schema, root, rng, level + 1)


def draw_of_type(schema: JsonSchema, root: JsonSchema, rng: np.random.Generator, level: int) -> Any:
    """A random value of a type within its limits."""
    kind = schema.get("type")
    if kind in {"integer", "number"}:
        return draw_number(schema, rng)
    if kind == "boolean":
        return bool(rng.integers(2))
    if kind == "string":
        return draw_text(schema, rng)
    if kind == "array":
        low = schema.get("minItems", 0)
        size = rng.integers(low, max(low, min(schema.get("maxItems", MAX_ITEMS), MAX_ITEMS)) + 1)
        places = tuple_of(schema) or [schema.get("items", {})] * int(size)
        return [draw(place, root, rng, level) for place in places]
    if kind == "object":
        needed = schema.get("required", ())
        drawn = {
            name: draw(field, root, rng, level)
            for name, field in schema.get("properties", {}).items()
            if name in needed or (rng.random() < 0.5 and level <= DEEP)
        }
        return drawn if len(drawn) >= schema.get("minProperties", 0) else simplest(schema, root)
    return None


def draw_text(schema: JsonSchema, rng: np.random.Generator) -> str:
    """Random characters; what a pattern or a format asks for is seldom drawn, and is the simplest there is."""
    if "pattern" in schema or "format" in schema:
        return simplest_text(schema)
    low = schema.get("minLength", 0)
    size = rng.integers(low, max(low, min(schema.get("maxLength", MAX_CHARS), MAX_CHARS)) + 1)
    return "".join(map(chr, rng.integers(*PRINTABLE, size=size)))


def draw_number(schema: JsonSchema, rng: np.random.Generator) -> int | float:
    """A random integer or float within its limits; an integer without a maximum is small every other time."""
    small = small_integers(schema)
    if small and "multipleOf" not in schema and rng.random() < 0.5:
        return int(rng.integers(small.start, small.stop))
    whole = schema["type"] == "integer"
    low = bound(schema, "minimum", 1 if whole else 0, -RANGE)
    high = bound(schema, "maximum", -1 if whole else 0, max(RANGE, low + RANGE))
    if step := schema.get("multipleOf"):
        first, last = math.ceil(low / step), math.floor(high / step)
        times = int(rng.integers(first, max(first, last) + 1))
        return int(step * times) if whole else float(step * times)
    if whole:
        first, last = math.ceil(max(low, -EXACT)), math.floor(min(high, EXACT))
        return int(rng.integers(min(first, last), last + 1))
    return float(rng.uniform(min(low, high), high))


EACH = "*"
DEPTH = 3

Path = tuple[str, ...]


@dataclass(frozen=True)
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

    @cached_property
    def options(self) -> list[JsonSchema]:
        """The alternatives of its schema, references followed; they are asked for at each step of many flights."""
        return forms_of(self.schema, self.root)

    def put(self, value: Any) -> Action:
        """The action around the place, with a value in it."""
        return dict(put(self.base, self.path, value))

    def put_in(self, action: Action, value: Any) -> Action:
        """Another action with a value in the place; an object around it that is left out there is that of its own."""
        first = self.path[0]
        beside = {name: held for name, held in action.items() if name != first or held is not None}
        return dict(put({**self.base, **beside}, self.path, value))


def put(held: Any, path: Path, value: Any) -> Any:
    """A copy with a value at a path; an object or a list that is left out there is made."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    if first == EACH:
        return [put(item, rest, value) for item in ([None] if held is None else held)]
    around = {} if held is None else held
    return {**around, first: put(around.get(first), rest, value)}


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


MOST, RANDOM = 2000, 200
TEXT = "text"


def accepted(schemas: Schemas, fits: Callable[[Sequence[Action]], Sequence[bool]]) -> Action | None:
    """The simplest action that the environment's class takes; None where it takes the schema's, or none.

    Args:
        schemas: The environment's.
        fits: Which of some actions the class takes; nothing is flown for it.
    """
    codec = schemas.codec()
    if codec.reply_field is not None or fits([codec.example()])[0]:
        return None
    actions = simple_actions(schemas)
    return next((action for action, fit in zip(actions, fits(actions), strict=True) if fit), None)


def simple_actions(schemas: Schemas) -> list[Action]:
    """Actions that fit the schema, each once, the simplest first.

    Args:
        schemas: The environment's.
    """
    codec, space = schemas.codec(), Space(schemas.action, schemas.tools)
    found: dict[str, Action] = {}
    for action in islice(made(codec.example(), schemas, space), MOST):
        text = json.dumps(action)
        if text in found:
            continue
        try:
            found[text] = codec.parse(text)
        except CodecError:
            continue
    return list(found.values())


def made(example: Action, schemas: Schemas, space: Space) -> Iterator[Action]:
    """The actions, whether they fit the schema or not."""
    yield example
    given = rooted(schemas.action).get("examples")
    yield from (each for each in given if isinstance(each, dict)) if isinstance(given, list) else ()
    yield from space.constants(MOST)
    leaves = [(leaf, values) for leaf in space.leaves() if (values := values_of(leaf))]
    for leaf, values in leaves:
        yield from map(leaf.put, values)
    for leaf, values in leaves:
        rest = [(each, some[0]) for each, some in leaves if each.base == leaf.base]
        for value in values:
            yield filled(leaf.put(value), [(o, v) for o, v in rest if o is not leaf])
    for (one, some), (two, others) in combinations(leaves, 2):
        if one.base == two.base:
            yield from (put(one.put(a), two.path, b) for a in some for b in others)
    rng = np.random.default_rng(0)
    yield from sorted((space.sample(rng) for _ in range(RANDOM)), key=lambda a: len(json.dumps(a)))


def filled(action: Action, rest: list[tuple[ActionField, object]]) -> Action:
    """An action with something in every other place."""
    for leaf, value in rest:
        action = dict(put(action, leaf.path, value))
    return action


def values_of(leaf: ActionField) -> list[object]:
    """Simple values of a leaf that are not null: the author's examples, what stands out, the least, a short text."""
    found: list[object] = []
    for schema in leaf.options:
        examples = schema.get("examples")
        found += examples if isinstance(examples, list) else []
    found += landmarks(leaf)
    for schema in leaf.options:
        kind = schema.get("type")
        found += [TEXT] if kind == "string" and "enum" not in schema else []
        found += [simplest(schema, leaf.root)] if kind != "null" else []
    kept = [value for value in found if value is not None]
    return [value for n, value in enumerate(kept) if value not in kept[:n]]
