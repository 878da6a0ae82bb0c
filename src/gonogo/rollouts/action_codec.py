"""Observation to text and text to action, from an environment's JSON schemas; strict both ways.

**What is seen.** One rule for everybody who decides: :meth:`Codec.seen` is the observation without the fields that say
the reward, the success or the end of the episode, and so is what a policy gets; :meth:`Codec.render` is the same
as a text, and all that a model gets. Only fields of the observation itself are hidden, by :func:`is_hidden`: what a
record or a list inside it holds is the task's. ``metadata`` is hidden whole. ``score`` is not, because a game's score
is part of the game.

**To text.** A text field ``text`` comes first, then the other fields in the schema's order, numbers to six significant
digits. A long text that ``text`` holds word for word is not said twice. An environment whose ``text`` says everything
declares so in the observation's schema, ``Field(json_schema_extra={"x-whole-view": True})``: it is then the whole text.

**To action.** If an action may be a text field ``reply`` alone, the reply goes there unread and the environment judges
it. Otherwise the reply must be one JSON object and nothing else, valid against the schema, without duplicate keys, NaN
or infinities; what is wrong is said by field, rule and value.
``metadata``, which every OpenEnv action inherits, is no field for a model. Nothing is repaired,
guessed or coerced.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.exceptions import SchemaError
from jsonschema.validators import extend

from gonogo.errors import CodecError
from gonogo.records.tables import cut
from gonogo.rollouts.pictures import without_pictures
from gonogo.rollouts.schema import (
    TOLD_CHARS,
    bounded,
    describe_schema,
    describe_tools,
    fits_pattern,
    forms_of,
    lookup,
    raw_field,
    required_fields,
    rooted,
    shapes,
    simplest,
    simplest_call,
    takes_tools,
)

Json = dict[str, Any]

TEXT_FIELD = "text"
WHOLE_VIEW = "x-whole-view"
"""Keyword of the observation's schema by which ``text`` declares that it says all the other fields."""
OUTCOMES = frozenset(
    {
        "breakdown", "done", "metadata", "reward", "rewards", "rubric", "rubrics", "success",
        "successful", "succeeded", "terminated", "truncated",
    }
)  # fmt: skip
QUALIFIERS = frozenset(
    {
        "avg", "component", "components", "cumulative", "current", "dense", "details", "episode", "final", "has",
        "history", "http", "info", "is", "last", "mean", "overall", "previous", "raw", "score", "scores", "shaped",
        "so", "far", "sparse", "step", "sum", "task", "terminal", "total", "value", "was",
    }
)  # fmt: skip
SUCCESS_NAMES = frozenset({"solved", "won"})
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
REPEATED_CHARS = 40
"""Length from which a text that stands in ``text`` word for word is not said again."""
MOST_FIELDS_CHARS = 16_000
"""Of the fields, and again of the tools, in the instructions."""
SHOWN_CHARS = 120
RULE_CHARS = 300
"""Of one rule that a reply breaks."""
SAID_CHARS = 1000
"""Of what is wrong with a reply."""


def is_hidden(name: str, value: Any = None) -> bool:
    """Whether a field of an observation says its reward, its success or that it has ended.

    It does so where its name says nothing else (``reward``, ``last_reward``, ``is_success``, ``done``,
    ``rubric_scores``), where it is a number and called some reward (``party_reward``), and where it is a truth value
    or null by which success is read (``solved``, ``won``). ``done_items``, ``tool_success`` or a list
    ``done_so_far`` are part of the task.

    Args:
        name: The field's.
        value: What it holds.
    """
    words = {word.lower() for word in WORD.findall(name)}
    if words & OUTCOMES and words <= OUTCOMES | QUALIFIERS:
        # What was done so far, item by item, is no end.
        return not (words & OUTCOMES == {"done"} and words != {"done"} and isinstance(value, list))
    if name in SUCCESS_NAMES:
        return value is None or isinstance(value, bool)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and bool(words & {"reward", "rewards"})


def lenient_pattern(
    validator: Any, pattern: str, instance: Any, schema: Json
) -> Iterator[ValidationError]:
    """The rule ``pattern`` of a JSON schema, but for a pattern that Python cannot read."""
    if isinstance(instance, str) and not fits_pattern(instance, pattern):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


Validator: Any = extend(Draft202012Validator, {"pattern": lenient_pattern})


class Codec:
    """Rendering and parsing for one environment.

    Args:
        action: JSON schema of the action.
        observation: JSON schema of the observation.
        tools: Tools of an MCP environment, each with ``name``, ``description`` and ``input_schema``.
        example: The action that a model is given as an example; None for the simplest.

    Raises:
        CodecError: The action schema is no JSON schema of an object.
    """

    def __init__(
        self,
        action: Json,
        observation: Json,
        tools: Sequence[Json] = (),
        example: Json | None = None,
    ) -> None:
        self._example = example
        action = rooted(action)
        check_references(action)
        fields = {k: v for k, v in action.get("properties", {}).items() if k != "metadata"}
        self.reply_field = raw_field(action)
        self._root = action
        self._shapes = shapes(action)
        self._fields = {k: v for k, v in fields.items() if k != self.reply_field}
        self._required = [k for k in required_fields(action) if k in self._fields]
        self._tools = tuple(tools) if takes_tools(action) else ()
        strict = {**action, "properties": fields}
        # An action that takes any field says so; a class that says nothing takes its own.
        self._free = action.get("additionalProperties", False)
        strict["additionalProperties"] = self._free
        try:
            # Other engines read patterns that Python does not.
            Draft202012Validator.check_schema(strict, format_checker=FormatChecker(()))
        except SchemaError as error:
            raise CodecError(f"the action schema is no JSON schema: {error.message}") from None
        self._validator = Validator(strict)
        shown = observation.get("properties", {})
        self._order = list(shown)
        declared = shown.get(TEXT_FIELD)
        self._whole = isinstance(declared, dict) and declared.get(WHOLE_VIEW) is True

    def seen(self, observation: Json) -> Json:
        """The fields that anybody who decides gets, whatever they hold."""
        return {k: v for k, v in observation.items() if not is_hidden(k, v)}

    def left_out(self, observation: Json) -> dict[str, str]:
        """The fields of an observation that a model's text does not show, each with the reason.

        What :meth:`seen` lacks is ``hidden`` from everybody. What it has and a model does not read under its own name
        is ``in text``: word for word, or by the environment's declaration. Of a ``picture``, its text shows the name.
        """
        seen = self.seen(observation)
        hidden = dict.fromkeys((name for name in observation if name not in seen), "hidden")
        told = self._told(seen)
        pictured = (name for name, value in told.items() if without_pictures(value) != value)
        others = (name for name in seen if name not in told)
        return hidden | dict.fromkeys(others, "in text") | dict.fromkeys(pictured, "picture")

    def render(self, observation: Json, error: str | None = None) -> str:
        """The text that a model sees.

        Args:
            observation: The observation's fields.
            error: What was wrong with the last reply, to be said first.
        """
        told = self._told(self.seen(observation))
        lines = []
        for name, held in told.items():
            value = without_pictures(held)
            said = value if isinstance(value, str) else dense(trim(value))
            if name == TEXT_FIELD and isinstance(value, str):
                lines += [value] if value or len(told) == 1 else []
            else:
                lines.append(f"{name}:\n{said}" if "\n" in said else f"{name}: {said}")
        text = "\n".join(lines)
        if error is None:
            return text
        return f"Your last reply was not accepted: {cut(error, SAID_CHARS)}\n{text}"

    def parse(self, reply: str) -> Json:
        """The action that a reply says.

        Raises:
            CodecError: The reply is none; the message names the field, the rule and the value.
        """
        check_unicode(reply)
        if self.reply_field is not None:
            return {self.reply_field: reply}
        action = read_object(reply)
        errors = self._errors(action)
        if errors:
            said = "; ".join(describe(error, self._root) for error in errors[:3])
            raise CodecError(cut(said, SAID_CHARS))
        return action

    def _errors(self, action: Json) -> list[ValidationError]:
        """What is wrong with an action, by the places in it.

        Raises:
            CodecError: The schema refers to itself without end.
        """
        try:
            found = list(self._validator.iter_errors(action))
        except RecursionError:
            raise CodecError("the action schema refers to itself without end") from None
        return sorted(found, key=lambda error: [str(part) for part in error.path])

    def instructions(self) -> str:
        """How to reply, for a system prompt."""
        told = (f"- {self._describe_field(name)}" for name in self._in_order())
        if self._shapes:
            told = (f"- {describe_schema(shape, self._root)}" for shape in self._shapes)
        count = len(self._shapes or self._fields)
        lines = bounded(told, "\n", MOST_FIELDS_CHARS, count).splitlines()
        if self._tools:
            tools = (f"- {said}" for said in describe_tools(self._tools))
            lines += ["Tools, by tool_name:"]
            lines += bounded(tools, "\n", MOST_FIELDS_CHARS, len(self._tools)).splitlines()
        if self.reply_field is None:
            free = "Any fields are taken." if self._free else "It has no fields."
            fields = "It is one of these:" if self._shapes else "Its fields:"
            head = f"Reply with one JSON object and nothing else. {fields if lines else free}"
            return "\n".join([head, *lines, f"For example: {json.dumps(self.example())}"])
        said = self._root["properties"][self.reply_field].get("description")
        words = f" {cut(said, TOLD_CHARS)}" if isinstance(said, str) and said else ""
        head = f"Reply with an action.{words}"
        return "\n".join([head, *(["Fields of an action:", *lines] if lines else [])])

    def example(self) -> Json:
        """The simplest action: required fields and their simplest values; of tools, a call of the first.

        An action that the schema gives as one of its ``examples`` comes before it, and before that the one that is
        known to be accepted.
        """
        if self._example is not None:
            return self._example
        for given in as_list(self._root.get("examples")):
            if isinstance(given, dict) and not self._errors(given):
                return given
        if self._tools:
            call = simplest_call(self._tools[0])
            return {name: value for name, value in call.items() if name in self._fields}
        if self._shapes:
            return dict(simplest(self._shapes[0], self._root))
        return {name: simplest(self._fields[name], self._root) for name in self._required}

    def visible(self, observation: Json) -> Json:
        """The fields that are seen, in the schema's order, floats to six significant digits."""
        return {name: trim(value) for name, value in self._ordered(self.seen(observation)).items()}

    def _ordered(self, seen: Json) -> Json:
        known = [name for name in self._order if name in seen]
        return {name: seen[name] for name in dict.fromkeys([*known, *seen])}

    def _told(self, seen: Json) -> Json:
        """The fields that a model reads under their names, what is seen first."""
        text, ordered = seen.get(TEXT_FIELD), self._ordered(seen)
        if not isinstance(text, str):
            return ordered
        others = {} if self._whole else {k: v for k, v in ordered.items() if not repeats(v, text)}
        return {TEXT_FIELD: text, **{k: v for k, v in others.items() if k != TEXT_FIELD}}

    def _in_order(self) -> list[str]:
        """The fields of an action: as the schema has them, the needed first where there are too many to be told."""
        if len(self._fields) <= MANY_FIELDS:
            return list(self._fields)
        return sorted(self._fields, key=lambda name: name not in self._required)

    def _describe_field(self, name: str) -> str:
        schema = self._fields[name]
        said = f"{name} ({'required' if name in self._required else 'optional'}): "
        said += describe_schema(schema, self._root)
        if not isinstance(schema, dict):
            return said
        if "default" in schema and schema["default"] is not None:
            said += f"; default {cut(json.dumps(schema['default']), SHOWN_CHARS)}"
        if isinstance(schema.get("description"), str):
            said += f". {cut(schema['description'], SAID_CHARS)}"
        return said


MANY_FIELDS = 40
VALUES = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords of a schema that hold values, in which nothing is a reference."""


def check_references(action: Json) -> None:
    """Whether every reference of an action's schema leads somewhere, and not to itself alone.

    Raises:
        CodecError: One does not.
    """
    waiting: list[Any] = [action]
    while waiting:
        held = waiting.pop()
        if isinstance(held, list):
            waiting += held
        elif isinstance(held, dict):
            waiting += [value for key, value in held.items() if key not in VALUES]
            where = held.get("$ref")
            followed = set()
            while isinstance(where, str):
                found = lookup(where, action)
                if where in followed or found is None or not where.startswith("#"):
                    raise CodecError(
                        f"the action schema refers to {shown(where)}, which holds no schema"
                    )
                followed.add(where)
                where = found.get("$ref") if isinstance(found, dict) else None


def as_list(value: Any) -> list[Any]:
    """A list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def repeats(value: Any, text: str) -> bool:
    """Whether a field says what ``text`` says already, word for word."""
    return isinstance(value, str) and len(value) >= REPEATED_CHARS and value in text


def dense(value: Any) -> str:
    """A JSON value on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def trim(value: Any) -> Any:
    """The value with its floats to six significant digits."""
    if isinstance(value, float) and math.isfinite(value):
        short = float(f"{value:.6g}")
        return int(short) if short.is_integer() and abs(short) < 1e6 else short
    if isinstance(value, dict):
        return {k: trim(v) for k, v in value.items()}
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


def describe(error: Any, root: Json | None = None) -> str:
    """A jsonschema error as field, rule and value.

    Args:
        error: The error.
        root: Where the schema's references lead.
    """
    path = ".".join(str(part) for part in error.absolute_path)
    rule, wanted = error.validator, error.validator_value
    if rule == "required":
        missing = [name for name in wanted if name not in error.instance]
        return f"{path + '.' if path else ''}{', '.join(missing)}: required, and missing"
    if rule == "additionalProperties":
        extra = [name for name in error.instance if name not in error.schema.get("properties", {})]
        return f"{shown(', '.join(extra))}: no such field"
    if rule in {"anyOf", "oneOf"}:
        meant = meant_by(error, root or {})
        if meant:
            return "; ".join(describe(inner, root) for inner in meant[:3])
        said = describe_schema({rule: wanted}, root or {}, most=RULE_CHARS)
        return f"{path or 'action'}: must be {said} (got {shown(error.instance)})"
    if rule == "enum":
        choices = (cut(json.dumps(value), SHOWN_CHARS) for value in wanted)
        said = f"[{bounded(choices, ', ', RULE_CHARS, len(wanted))}]"
    else:
        said = cut(json.dumps(wanted), RULE_CHARS)
    return f"{path or 'action'}: {rule} {said} (got {shown(error.instance)})"


def meant_by(error: Any, root: Json) -> list[Any]:
    """What is wrong with an object that says by its tag which of several forms it is; empty where it says none."""
    if not isinstance(error.instance, dict):
        return []
    tags = [tag_fits(option, error.instance, root) for option in error.validator_value]
    if tags.count(True) != 1:
        return []
    return [each for each in error.context if each.schema_path[0] == tags.index(True)]


def tag_fits(option: Json, instance: Json, root: Json) -> bool:
    """Whether an object holds the constants that one of several forms asks for, and at least one."""
    form = forms_of(option, root)[0]
    fields = form.get("properties", {})
    tags = {n: f["const"] for n, f in fields.items() if isinstance(f, dict) and "const" in f}
    return bool(tags) and all(
        name in instance and instance[name] == tag for name, tag in tags.items()
    )


def shown(value: Any) -> str:
    """A value as JSON, cut to a length that fits a message."""
    return cut(json.dumps(value), SHOWN_CHARS)
