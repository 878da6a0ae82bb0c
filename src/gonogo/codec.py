"""Observation to text and text to action, from an environment's JSON schemas; strict both ways.

**To text.** An observation with a text field ``text`` has rendered itself. Any other is rendered field
by field, in the schema's order, numbers to six significant digits. What would tell a model its reward
is never rendered, at any depth: a field is hidden if one of the words of its name (split at
underscores and capitals) is in :data:`HIDDEN_WORDS`. So ``reward``, ``step_reward``,
``rewardBreakdown``, ``is_success``, ``done`` and ``metadata`` are hidden; ``score`` is not, because a
game's score is part of the game.

**To action.** If the action schema has a text field ``reply``, the reply goes there unread and the
environment judges it. Otherwise the reply must be one JSON object and nothing else, valid against the
schema, without duplicate keys, NaN or infinities; what is wrong is said by field, rule and value.
``metadata``, which every OpenEnv action inherits, is no field for a model. Nothing is repaired,
guessed or coerced.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from gonogo.errors import CodecError

__all__ = [
    "HIDDEN_WORDS",
    "Codec",
    "bound",
    "check_unicode",
    "dense",
    "describe",
    "describe_schema",
    "idle_choice",
    "is_hidden",
    "is_text",
    "read_object",
    "read_value",
    "required_fields",
    "resolve_reference",
    "simplest",
]

Json = dict[str, Any]

TEXT_FIELD = "text"
REPLY_FIELD = "reply"
HIDDEN_WORDS = frozenset(
    {
        "breakdown", "done", "metadata", "reward", "rewards", "rubric", "rubrics", "success",
        "successful", "succeeded", "terminated", "truncated",
    }
)  # fmt: skip
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
SHOWN_CHARS = 120


def is_hidden(name: str) -> bool:
    """Whether a field of this name is kept from a model."""
    return any(word.lower() in HIDDEN_WORDS for word in WORD.findall(name))


class Codec:
    """Rendering and parsing for one environment.

    Args:
        action: JSON schema of the action.
        observation: JSON schema of the observation.

    Raises:
        CodecError: The action schema is no JSON schema of an object.
    """

    def __init__(self, action: Json, observation: Json) -> None:
        self._root = action
        fields = {k: v for k, v in action.get("properties", {}).items() if k != "metadata"}
        self.reply_field = REPLY_FIELD if is_text(fields.get(REPLY_FIELD), action) else None
        self._fields = {k: v for k, v in fields.items() if k != self.reply_field}
        self._required = [k for k in required_fields(action) if k in self._fields]
        strict = {**action, "properties": fields, "additionalProperties": False}
        try:
            Draft202012Validator.check_schema(strict)
        except SchemaError as error:
            raise CodecError(f"the action schema is no JSON schema: {error.message}") from None
        self._validator = Draft202012Validator(strict)
        self._order = [name for name in observation.get("properties", {}) if not is_hidden(name)]

    def render(self, observation: Json, error: str | None = None) -> str:
        """The text that a model sees.

        Args:
            observation: The observation's fields.
            error: What was wrong with the last reply, to be said first.
        """
        text = observation.get(TEXT_FIELD)
        if not isinstance(text, str):
            text = self._render_fields(observation)
        return text if error is None else f"Your last reply was not accepted: {error}\n{text}"

    def parse(self, reply: str) -> Json:
        """The action that a reply says.

        Raises:
            CodecError: The reply is none; the message names the field, the rule and the value.
        """
        check_unicode(reply)
        if self.reply_field is not None:
            return {self.reply_field: reply}
        action = read_object(reply)
        errors = sorted(self._validator.iter_errors(action), key=lambda e: [str(p) for p in e.path])
        if errors:
            raise CodecError("; ".join(describe(error) for error in errors[:3]))
        return action

    def instructions(self) -> str:
        """How to reply, for a system prompt."""
        lines = [f"- {self._describe_field(name)}" for name in self._fields]
        if self.reply_field is None:
            head = "Reply with one JSON object and nothing else. Its fields:"
            return "\n".join([head, *lines, f"For example: {json.dumps(self.example())}"])
        said = self._root["properties"][self.reply_field].get("description")
        head = f"Reply with an action. {said}" if said else "Reply with an action."
        return "\n".join([head, *(["Fields of an action:", *lines] if lines else [])])

    def example(self) -> Json:
        """The simplest action of the schema: required fields and their simplest values."""
        return {name: simplest(self._fields[name], self._root) for name in self._required}

    def visible(self, observation: Json) -> Json:
        """The fields that may be shown, in the schema's order; at no depth a hidden one."""
        rest = [name for name in observation if name not in self._order and not is_hidden(name)]
        known = [name for name in self._order if name in observation]
        return {name: trim(observation[name]) for name in [*known, *rest]}

    def _render_fields(self, observation: Json) -> str:
        lines = []
        for name, value in self.visible(observation).items():
            said = value if isinstance(value, str) else dense(value)
            lines.append(f"{name}:\n{said}" if "\n" in said else f"{name}: {said}")
        return "\n".join(lines)

    def _describe_field(self, name: str) -> str:
        schema = self._fields[name]
        said = f"{name} ({'required' if name in self._required else 'optional'}): "
        said += describe_schema(schema, self._root)
        if "default" in schema and schema["default"] is not None:
            said += f"; default {json.dumps(schema['default'])}"
        if schema.get("description"):
            said += f". {schema['description']}"
        return said


def dense(value: Any) -> str:
    """A JSON value on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def trim(value: Any) -> Any:
    """The value without hidden fields, its floats to six significant digits."""
    if isinstance(value, float) and math.isfinite(value):
        short = float(f"{value:.6g}")
        return int(short) if short.is_integer() and abs(short) < 1e6 else short
    if isinstance(value, dict):
        return {k: trim(v) for k, v in value.items() if not is_hidden(str(k))}
    return [trim(item) for item in value] if isinstance(value, list) else value


def check_unicode(reply: str) -> None:
    """Refuse half of a surrogate pair, which no wire carries."""
    try:
        reply.encode("utf-8")
    except UnicodeEncodeError:
        raise CodecError("the reply is not valid Unicode") from None


def read_object(reply: str) -> Json:
    """Read one JSON object, strictly.

    Raises:
        CodecError: It is not one.
    """
    value = read_value(reply)
    if not isinstance(value, dict):
        raise CodecError(f"the reply must be a JSON object, not {shown(value)}")
    if "\\u" in reply:
        check_unicode(json.dumps(value, ensure_ascii=False))
    return value


def read_value(reply: str) -> Any:
    """Read one JSON value, strictly: no NaN, no infinity, no key twice.

    Raises:
        CodecError: It is not one.
    """
    try:
        return json.loads(
            reply,
            parse_constant=refuse_constant,
            parse_float=read_float,
            object_pairs_hook=refuse_duplicates,
        )
    except json.JSONDecodeError as error:
        raise CodecError(
            f"the reply is not one JSON object: {error.msg} at character {error.pos} "
            f"(got {shown(reply)})"
        ) from None
    except RecursionError:
        raise CodecError("the reply is nested too deeply") from None
    except ValueError as error:  # an integer of more digits than Python converts
        raise CodecError(f"the reply holds an unreadable number: {error}") from None


def refuse_constant(constant: str) -> NoReturn:
    """NaN and the infinities are Python's idea, not JSON's."""
    raise CodecError(f"the reply holds {constant}, which is not JSON")


def read_float(digits: str) -> float:
    """A float that fits."""
    value = float(digits)
    if not math.isfinite(value):
        raise CodecError(f"the reply holds {digits}, which is too large")
    return value


def refuse_duplicates(pairs: Iterable[tuple[str, Any]]) -> Json:
    """An object whose keys are all different."""
    out: Json = {}
    for key, value in pairs:
        if key in out:
            raise CodecError(f"field {shown(key)} appears twice")
        out[key] = value
    return out


def describe(error: Any) -> str:
    """A jsonschema error as field, rule and value."""
    path = ".".join(str(part) for part in error.absolute_path)
    rule, wanted = error.validator, error.validator_value
    if rule == "required":
        missing = [name for name in wanted if name not in error.instance]
        return f"{path + '.' if path else ''}{', '.join(missing)}: required, and missing"
    if rule == "additionalProperties":
        extra = [name for name in error.instance if name not in error.schema.get("properties", {})]
        return f"{shown(', '.join(extra))}: no such field"
    if rule in {"anyOf", "oneOf"}:
        wanted = " or ".join(describe_schema(option, {}) for option in wanted)
        return f"{path or 'action'}: must be {wanted} (got {shown(error.instance)})"
    return f"{path or 'action'}: {rule} {json.dumps(wanted)} (got {shown(error.instance)})"


def shown(value: Any) -> str:
    """A value as JSON, cut to a length that fits a message."""
    text = json.dumps(value)
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…"


def required_fields(schema: Json) -> list[str]:
    """Fields that an action needs; where it has several forms, those of the first without raw text."""
    forms: Sequence[Json] = schema.get("oneOf") or schema.get("anyOf") or ()
    needed = [form.get("required", []) for form in forms]
    first: list[str] = next((names for names in needed if REPLY_FIELD not in names), [])
    return list(dict.fromkeys([*schema.get("required", ()), *first]))


def resolve_reference(schema: Json, root: Json) -> Json:
    """Follow ``$ref`` and a single ``allOf`` to the schema that says something."""
    while True:
        if "$ref" in schema:
            target: Any = root
            for part in schema["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            schema = target
        elif len(schema.get("allOf", ())) == 1:
            schema = schema["allOf"][0]
        else:
            return schema


def is_text(schema: Json | None, root: Json) -> bool:
    """Whether a field takes a text, perhaps beside null."""
    if schema is None:
        return False
    schema = resolve_reference(schema, root)
    options: Sequence[Json] = schema.get("anyOf", [schema])
    kinds = {resolve_reference(option, root).get("type") for option in options}
    return "string" in kinds and kinds <= {"string", "null"}


LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matching {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
}


def describe_schema(schema: Json, root: Json) -> str:
    """A field's type and limits in words."""
    if root or "$ref" not in schema:
        schema = resolve_reference(schema, root)
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(value) for value in schema["enum"])
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return " or ".join(describe_schema(option, root) for option in options)
    said = [str(schema.get("type", "any value"))]
    said += [words.format(schema[rule]) for rule, words in LIMITS.items() if rule in schema]
    if isinstance(schema.get("items"), dict) and schema["items"]:
        said.append(f"of {describe_schema(schema['items'], root)}")
    return ", ".join(said)


IDLE_WORDS = ("idle", "noop", "no_op", "no-op", "none", "nothing", "do_nothing", "wait", "pass",
              "stay", "skip", "hold")  # fmt: skip


def simplest(schema: Json, root: Json) -> Any:
    """The value that does least: a do-nothing word, the default, the first choice, zero, empty."""
    field, schema = schema, resolve_reference(schema, root)
    choices = schema.get("enum", [schema["const"]] if "const" in schema else [])
    idle = idle_choice(choices)
    if idle is not None:
        return idle
    if "default" in field or "default" in schema:
        return field.get("default", schema.get("default"))
    if choices:
        return choices[0]
    options = schema.get("anyOf") or schema.get("oneOf")
    return simplest(options[0], root) if options else simplest_of_type(schema, root)


def idle_choice(choices: Sequence[Any]) -> Any:
    """The choice that says it does nothing, or None."""
    lower = {str(value).lower(): value for value in reversed(choices)}
    return next((lower[word] for word in IDLE_WORDS if word in lower), None)


def bound(schema: Json, rule: str, margin: float, fallback: float) -> float:
    """A number's ``minimum`` or ``maximum``; an exclusive one moved inwards by ``margin``."""
    exclusive = f"exclusive{rule.capitalize()}"
    if rule in schema:
        return float(schema[rule])
    return float(schema[exclusive]) + margin if exclusive in schema else fallback


def simplest_of_type(schema: Json, root: Json) -> Any:
    """The simplest value of a type within its limits."""
    kind = schema.get("type")
    if kind in {"integer", "number"}:
        return simplest_number(schema)
    if kind == "string":
        return "." * schema.get("minLength", 0)
    if kind == "array":
        return [simplest(schema.get("items", {}), root)] * schema.get("minItems", 0)
    if kind == "object":
        fields = schema.get("properties", {})
        return {name: simplest(fields[name], root) for name in schema.get("required", ())}
    return False if kind == "boolean" else None


def simplest_number(schema: Json) -> int | float:
    """Zero, or the number of the interval that is nearest to it; inside where a bound is exclusive."""
    whole = schema["type"] == "integer"
    low = bound(schema, "minimum", 1 if whole else 0, -math.inf)
    high = bound(schema, "maximum", -1 if whole else 0, math.inf)
    value = min(max(0.0, low), high)
    if whole:
        return math.ceil(value) if value > 0 else math.floor(value)
    if value in {schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")}:
        other = high if value == low else low
        return (value + other) / 2 if math.isfinite(other) else value + math.copysign(1, other)
    return value
