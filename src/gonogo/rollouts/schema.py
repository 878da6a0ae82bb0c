"""A JSON schema, read: where its references lead, its alternatives, its words, and the simplest value that it takes.

Foreign schemas hold anything: references to themselves or to nothing, thousands of choices, hundreds of fields. No
reference is followed for ever, and every text has a bound, past which it counts what it leaves out.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain
from typing import Any

from gonogo.records.tables import cut
from gonogo.wire import Action, JsonSchema, Tool

RAW_FIELD = "reply"
"""What the field is called that takes a model's raw text."""
DEPTH = 5
"""Levels of nested values that are described, filled in or drawn."""
TOLD_CHARS = 2000
"""Of the words for one field, or the description of one tool."""
VALUE_CHARS = 120
"""Of one choice, pattern or value."""
CHOICES_CHARS = 600
"""Of the choices of an enumeration."""
NAME_CHARS = 600
"""Of a description that somebody else wrote."""


def bounded(parts: Iterable[str], joint: str, most: int, count: int) -> str:
    """Parts joined until a text is long enough, then how many are left out.

    Args:
        parts: The parts; none is taken after the text is long enough.
        joint: What stands between two parts.
        most: Characters, about; the first part is whole in any case.
        count: How many parts there are.
    """
    said: list[str] = []
    room = most
    for part in parts:
        if said and len(part) > room:
            said.append(f"… and {count - len(said)} more")
            break
        said.append(part)
        room -= len(part) + len(joint)
    return joint.join(said)


def resolve_reference(
    schema: Any, root: JsonSchema, followed: set[str] | None = None
) -> JsonSchema:
    """Follow ``$ref`` and ``allOf`` to the schema that says something; ``{}`` where they lead nowhere.

    Args:
        schema: Of a value.
        root: Where its references lead.
        followed: References that led here; none is followed twice.
    """
    followed = set() if followed is None else followed
    while isinstance(schema, dict):
        if isinstance(where := schema.get("$ref"), str):
            if where in followed:
                return {}
            followed.add(where)
            schema = lookup(where, root)
        elif isinstance(parts := schema.get("allOf"), list) and parts:
            beside = {key: value for key, value in schema.items() if key != "allOf"}
            return reduce(both, (resolve_reference(p, root, followed) for p in parts), beside)
        else:
            return schema
    return {}


BOUNDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
"""What bounds a number."""
LOWEST = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
HIGHEST = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


def both(one: JsonSchema, other: JsonSchema) -> JsonSchema:
    """The schema of what fits two: all fields, the narrower limits, the choices of both; else what the first says."""
    one, other = with_numbers(one), with_numbers(other)
    merged = {**other, **one}
    for key in one.keys() & other.keys():
        here, there = one[key], other[key]
        if isinstance(here, dict) and isinstance(there, dict):
            merged[key] = {**there, **here}
        elif isinstance(here, list) and isinstance(there, list):
            extra = [value for value in there if value not in here]
            merged[key] = [*here, *extra] if key == "required" else here
            if key == "enum":
                merged[key] = [value for value in here if value in there]
        elif isinstance(here, int | float) and isinstance(there, int | float):
            merged[key] = max(here, there) if key in LOWEST else here
            merged[key] = min(here, there) if key in HIGHEST else merged[key]
    return merged


def lookup(where: str, root: JsonSchema) -> Any:
    """What a local reference names; None where it names nothing."""
    held: Any = root
    for part in where.removeprefix("#").removeprefix("/").split("/") if where != "#" else ():
        key = part.replace("~1", "/").replace("~0", "~")
        held = held.get(key) if isinstance(held, dict) else None
    return held


def rooted(schema: JsonSchema) -> JsonSchema:
    """The schema of an action as an object with fields, its definitions beside them.

    The root of a recursive model is a reference, and that of a union of models holds several objects, whose fields
    it then has; :func:`shapes` tells them apart.
    """
    schema = {**schema, **resolve_reference(schema, schema)} if "$ref" in schema else schema
    several = shapes(schema)
    if not several or "properties" in schema:
        return schema
    found: dict[str, list[Any]] = {}
    for shape in several:
        for name, field in shape["properties"].items():
            found.setdefault(name, []).append(field)
    needed = [n for n in found if all(n in shape.get("required", ()) for shape in several)]
    merged = {name: either(fields) for name, fields in found.items()}
    return {**schema, "type": "object", "properties": merged, "required": needed}


def shapes(schema: JsonSchema) -> list[JsonSchema]:
    """The objects of which an action is one, as the union of several models; empty for an action of one model.

    Each has the definitions of the whole beside it, and requires the field that tells it from the others.
    """
    options = schema.get("anyOf") or schema.get("oneOf")
    tag = _dict(schema.get("discriminator")).get("propertyName")
    found = [tagged(f, tag) for option in options or () for f in forms_of(option, schema)]
    if len(found) < 2 or not all(_dict(form.get("properties")) for form in found):
        return []
    beside: JsonSchema = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    return [
        {**beside, **form, "properties": {n: f for n, f in fields.items() if n != "metadata"}}
        for form in found
        for fields in [form["properties"]]
    ]


def either(fields: Sequence[Any]) -> JsonSchema:
    """A field that is one in some objects and another in others."""
    some = [_dict(field) for number, field in enumerate(fields) if field not in fields[:number]]
    if len(some) == 1:
        return some[0]
    if all("const" in field for field in some):
        return {"enum": [field["const"] for field in some]}
    return {"anyOf": some}


def forms_of(schema: Any, root: JsonSchema, depth: int = DEPTH) -> list[JsonSchema]:
    """The alternatives of a schema, references followed, each of one type; itself where it has none.

    An object that stands for one of several says which: the field that tells it from the others is required in it,
    even where its class has a default for it.

    Args:
        schema: The schema.
        root: Where its references lead.
        depth: Levels of alternatives within alternatives that are followed.
    """
    schema = with_numbers(resolve_reference(schema, root))
    options = schema.get("anyOf") or schema.get("oneOf")
    if options and depth:
        around = {k: v for k, v in schema.items() if k not in {"anyOf", "oneOf"}}
        around = around if around.keys() & {"type", "properties", "enum"} else {}
        tag = _dict(schema.get("discriminator")).get("propertyName")
        forms = chain.from_iterable(forms_of(option, root, depth - 1) for option in options)
        return [tagged({**around, **form}, tag) for form in forms]
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return [{**schema, "type": kind} for kind in kinds] or [{}]
    return [schema, {"type": "null"}] if schema.get("nullable") is True else [schema]


def with_numbers(form: JsonSchema) -> JsonSchema:
    """A form whose bounds are numbers; what is no number bounds nothing.

    Draft 4 and OpenAPI 3.0 say by a truth value in ``exclusiveMinimum`` that ``minimum`` itself is left out, or is not.
    """
    for rule, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if form.get(exclusive) is True:
            edge = form.get(rule)
            form = {key: value for key, value in form.items() if key != rule}
            form[exclusive] = edge
    wrong = [key for key in BOUNDS if key in form and not is_number(form[key])]
    return {key: value for key, value in form.items() if key not in wrong} if wrong else form


def is_number(value: Any) -> bool:
    """Whether a value is a number, which a truth value is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def tagged(form: JsonSchema, tag: str | None) -> JsonSchema:
    """One of several objects, in which what tells it from the others is required."""
    fields = form.get("properties")
    if not isinstance(fields, dict):
        return form
    tags = [name for name, field in fields.items() if name == tag or "const" in _dict(field)]
    return {**form, "required": list(dict.fromkeys([*tags, *form.get("required", ())]))}


def _dict(value: Any) -> JsonSchema:
    return value if isinstance(value, dict) else {}


def required_fields(schema: JsonSchema) -> list[str]:
    """Fields that an action needs; where it has several forms, those of the first without raw text."""
    if shapes(schema):
        return list(schema.get("required", ()))
    forms: Sequence[JsonSchema] = schema.get("oneOf") or schema.get("anyOf") or ()
    needed = [resolve_reference(form, schema).get("required", []) for form in forms]
    first: list[str] = next((names for names in needed if names != [RAW_FIELD]), [])
    return list(dict.fromkeys([*schema.get("required", ()), *first]))


def raw_field(action: JsonSchema) -> str | None:
    """The field that takes a model's raw text; None where an action has none.

    It is called ``reply``, and an action needs nothing beside it: there is no other field, or one of several forms
    requires it alone. A ``reply`` beside other fields is one of them, such as a mail's answer.

    Args:
        action: JSON schema of the action.
    """
    fields = action.get("properties", {}).keys() - {"metadata"}
    if not is_text(action.get("properties", {}).get(RAW_FIELD), action):
        return None
    forms: Sequence[JsonSchema] = action.get("oneOf") or action.get("anyOf") or ()
    alone = [resolve_reference(form, action).get("required") == [RAW_FIELD] for form in forms]
    return RAW_FIELD if fields == {RAW_FIELD} or (any(alone) and not all(alone)) else None


def is_text(schema: JsonSchema | None, root: JsonSchema) -> bool:
    """Whether a field takes a text, perhaps beside null."""
    if schema is None:
        return False
    kinds = {form.get("type") for form in forms_of(schema, root)}
    return "string" in kinds and kinds <= {"string", "null"}


def tuple_of(schema: JsonSchema) -> list[Any]:
    """The schemas of a list's first places, each its own; empty where all places are alike."""
    places = schema.get("prefixItems")
    return places if isinstance(places, list) else []


LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matching {}",
    "format": "as {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} keys",
    "maxProperties": "at most {} keys",
}


def describe_schema(
    schema: Any, root: JsonSchema, depth: int = DEPTH, most: int = TOLD_CHARS
) -> str:
    """A field's type and limits in words, those of what it holds included.

    Args:
        schema: Of the field.
        root: Where its references lead.
        depth: Levels of nested values to describe.
        most: Characters, about.
    """
    forms = forms_of(schema, root)
    parts = (describe_form(form, root, depth, most) for form in forms)
    return cut(bounded(parts, " or ", most, len(forms)), most)


def describe_form(form: JsonSchema, root: JsonSchema, depth: int, most: int) -> str:
    """One alternative in words."""
    if "const" in form:
        return cut(json.dumps(form["const"]), VALUE_CHARS)
    if "enum" in form:
        choices = form["enum"]
        said = (cut(json.dumps(value), VALUE_CHARS) for value in choices)
        listed = bounded(said, ", ", CHOICES_CHARS, len(choices))
        return f"one of {listed}" if choices else "no value at all"
    kind = form.get("type", "object" if "properties" in form else "any value")
    if kind == "object":
        return describe_object(form, root, depth, most)
    parts = [str(kind)]
    parts += [
        cut(words.format(form[rule]), VALUE_CHARS) for rule, words in LIMITS.items() if rule in form
    ]
    if places := tuple_of(form):
        inner = (describe_schema(place, root, depth - 1, most) for place in places if depth)
        return f"{', '.join(parts[:1])} [{bounded(inner, '; ', most, len(places))}]"
    if _dict(form.get("items")) and depth:
        parts.append(f"of {describe_schema(form['items'], root, depth - 1, most)}")
    return ", ".join(parts)


def describe_object(form: JsonSchema, root: JsonSchema, depth: int, most: int) -> str:
    """An object's fields in braces, each as its name, its words and its description."""
    fields, other = _dict(form.get("properties")), form.get("additionalProperties")
    needed = form.get("required", ())
    if not depth:
        return "object"
    keys = ("minProperties", "maxProperties")
    head = ", ".join(
        ["object", *(LIMITS[rule].format(form[rule]) for rule in keys if rule in form)]
    )
    parts = []
    if isinstance(other, dict) and other:
        more = "any other key" if fields else "any key"
        parts.append(f"{more}: {describe_schema(other, root, depth - 1, most)}")
    order = sorted(fields, key=lambda name: name not in needed)
    said = (
        f"{json.dumps(name)}{'' if name in needed else ' (optional)'}: "
        + describe_schema(fields[name], root, depth - 1, most)
        + remark(fields[name])
        for name in order
    )
    inner = bounded(chain(said, parts), "; ", most, len(fields) + len(parts))
    return f"{head} {{{inner}}}" if inner else head


def remark(field: Any) -> str:
    """What an inner field's author says of it, in brackets."""
    said = _dict(field).get("description")
    return f" ({cut(' '.join(said.split()), NAME_CHARS)})" if isinstance(said, str) else ""


DEEPEST, SHALLOW = 10, 4
"""Levels of an action that are filled in at most, and those down to which a field is, although it may be null."""
LONGEST_LIST = 1000
IDLE_WORDS = ("idle", "noop", "no_op", "no-op", "none", "nothing", "do_nothing", "wait", "pass",
              "stay", "skip", "hold", "keep", "remain")  # fmt: skip


def idle_choice(choices: Sequence[Any]) -> Any:
    """The choice that says it does nothing, or None."""
    lower = {str(value).lower(): value for value in reversed(choices)}
    return next((lower[word] for word in IDLE_WORDS if word in lower), None)


def simplest(schema: Any, root: JsonSchema, level: int = 0) -> Any:
    """The value that does least: a do-nothing word, the default, the first choice, zero, empty.

    Args:
        schema: Of the value.
        root: Where its references lead.
        level: How deep in an action it stands; what may be null is, from some depth on.
    """
    field, schema = _dict(schema), resolve_reference(schema, root)
    choices = schema.get("enum", [schema["const"]] if "const" in schema else [])
    idle = idle_choice(choices)
    if idle is not None:
        return idle
    if "default" in field or "default" in schema:
        return field.get("default", schema.get("default"))
    if choices:
        return choices[0]
    forms = forms_of(schema, root)
    null = any(form.get("type") == "null" for form in forms)
    if level >= DEEPEST or (null and level > SHALLOW):
        return None
    if forms[0] is schema:
        return simplest_of_type(schema, root, level + 1)
    return simplest(forms[0], root, level + 1)


def simplest_of_type(schema: JsonSchema, root: JsonSchema, level: int) -> Any:
    """The simplest value of a type within its limits."""
    kind = schema.get("type", "object" if "properties" in schema else None)
    if kind in {"integer", "number"}:
        return simplest_number(schema)
    if kind == "string":
        return simplest_text(schema)
    if kind == "array":
        return simplest_list(schema, root, level)
    if kind == "object":
        fields, other = _dict(schema.get("properties")), schema.get("additionalProperties")
        held = {n: simplest(fields.get(n), root, level) for n in schema.get("required", ())}
        for number in range(min(schema.get("minProperties", 0), LONGEST_LIST) - len(held)):
            held[f"key{number}"] = simplest(other, root, level)
        return held
    return False if kind == "boolean" else None


def simplest_list(schema: JsonSchema, root: JsonSchema, level: int) -> list[Any]:
    """The shortest list that a schema allows; its items differ where they must."""
    size = schema.get("minItems", 0)
    places = tuple_of(schema)[:size]
    held = [simplest(place, root, level) for place in places]
    missing = min(size, LONGEST_LIST) - len(held)
    if missing < 1:
        return held
    items = resolve_reference(schema.get("items"), root)
    first = simplest(schema.get("items"), root, level)
    if schema.get("uniqueItems") and missing > 1:
        if len(choices := items.get("enum", ())) >= missing:
            return [*held, *choices[:missing]]
        if isinstance(first, int | float):
            return [*held, *(first + number for number in range(missing))]
        if isinstance(first, str):
            return [*held, *(first + "." * number for number in range(missing))]
    return held + [first] * missing


FORMATS = {
    "date": "2000-01-01",
    "date-time": "2000-01-01T00:00:00Z",
    "time": "00:00:00",
    "duration": "P1D",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "email": "a@example.org",
    "uri": "https://example.org/",
    "hostname": "example.org",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
}
TRIED = (
    "a", "A", "0", "1", "a0", "A0", "A1", "a1", "1a", "0.0", "/", "/a", "a.b", "a b", "a-b", "a_b",
    "-", "#", "@a", "[]", "{}", "()", "a:b", "a=b", "a,b", "0,0", "0:0", "00:00", "1/1", "https://a.org", "yes", "e2e4",
)  # fmt: skip
"""Short texts, of which the first that a pattern takes stands for all that it takes."""


def simplest_text(schema: JsonSchema) -> str:
    """The shortest text within its limits; one of the author's examples where a pattern or a format is asked for."""
    low, pattern = int(schema.get("minLength", 0)), schema.get("pattern")
    empty: str = "." * low
    if pattern is None and "format" not in schema:
        return empty
    given = schema.get("examples")
    tried = [each for each in given if isinstance(each, str)] if isinstance(given, list) else []
    if known := FORMATS.get(str(schema.get("format"))):
        tried.append(known)
    tried += [empty, *TRIED, *(c * max(low, n) for n in range(1, 13) for c in "a0A")]
    high = schema.get("maxLength", math.inf)
    return next((t for t in tried if low <= len(t) <= high and fits_pattern(t, pattern)), empty)


def fits_pattern(text: str, pattern: Any) -> bool:
    """Whether a text matches; a pattern that Python cannot read, as other engines' may be, is for the environment."""
    try:
        return pattern is None or re.search(pattern, text) is not None
    except re.error:
        return True


def simplest_number(schema: JsonSchema) -> int | float:
    """Zero, or the number of the interval that is nearest to it; inside where a bound is exclusive."""
    whole = schema["type"] == "integer"
    low = bound(schema, "minimum", 1 if whole else 0, -math.inf)
    high = bound(schema, "maximum", -1 if whole else 0, math.inf)
    value = min(max(0.0, low), high)
    if step := schema.get("multipleOf"):
        value = step * (math.ceil(value / step) if value > 0 else math.floor(value / step))
    if whole:
        return math.ceil(value) if value > 0 else math.floor(value)
    if value in {schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")}:
        other = high if value == low else low
        return (value + other) / 2 if math.isfinite(other) else value + math.copysign(1, other)
    return value


def bound(schema: JsonSchema, rule: str, margin: float, fallback: float) -> float:
    """A number's ``minimum`` or ``maximum``; where it has an exclusive one as well, the narrower.

    Args:
        schema: Of the number.
        rule: ``minimum`` or ``maximum``.
        margin: By how much an exclusive bound is moved inwards.
        fallback: The answer if there is no bound.
    """
    exclusive = f"exclusive{rule.capitalize()}"
    found = [float(schema[rule])] if rule in schema else []
    found += [float(schema[exclusive]) + margin] if exclusive in schema else []
    narrower = max if rule == "minimum" else min
    return narrower(found, default=fallback)


def takes_tools(action: Action) -> bool:
    """Whether an action calls a tool of an MCP environment by its name."""
    fields = _dict(action.get("properties"))
    return "arguments" in fields and is_text(fields.get("tool_name"), action)


def simplest_call(tool: Tool) -> Action:
    """A call of an MCP tool with the simplest arguments."""
    schema = {"type": "object", **_dict(tool.get("input_schema"))}
    return {
        "type": "call_tool",
        "tool_name": tool["name"],
        "arguments": simplest(schema, schema),
    }


def describe_tools(tools: Sequence[Tool]) -> Iterator[str]:
    """Each tool of an MCP environment: its name, what its author says of it, and its arguments."""
    for tool in tools:
        schema = {"type": "object", **_dict(tool.get("input_schema"))}
        said = " ".join(str(tool.get("description") or "").split())
        takes = describe_object(schema, schema, DEPTH, TOLD_CHARS)
        about = f": {cut(said, NAME_CHARS)}" if said else ""
        yield f"{json.dumps(tool['name'])}{about} Arguments: {takes.removeprefix('object ')}"
