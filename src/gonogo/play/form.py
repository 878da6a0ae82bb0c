"""An action as a human writes it: a line of words or of JSON becomes an action, strictly by the schema.

Three ways to write the same action: JSON (``{"move": "north", "stride": 2}``), fields by name
(``move=north stride=2``), or the required fields by position (``north``); words mix the last two. A
value of spaces, quotes or brackets goes into single quotes (``path='[1, 2]'``). Required fields that are
left out keep the last action's value. Nothing else is filled in, and nothing is repaired or guessed: the
whole action is held against the schema before it counts as one.

An environment that also takes a model's raw text in a field ``reply``, *instead of* the fields, is flown
by its fields here: whoever types ``burn=idel`` shall be told so, not charged for it.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from gonogo.errors import CodecError
from gonogo.rollouts.action_codec import (
    check_unicode,
    dense,
    describe,
    read_object,
    read_value,
)
from gonogo.rollouts.schema import RAW_FIELD, describe_schema, is_text, resolve_reference, rooted
from gonogo.wire import Action, JsonSchema

FORMS = ("oneOf", "anyOf")
SHOWN_ERRORS = 3


class Form:
    """The fields of one environment's action, and how lines are read into them.

    Args:
        schema: JSON schema of the action.

    Attributes:
        fields: The fields' schemas by name, without OpenEnv's metadata and a model's raw text.
        required: Names of the fields that every action needs, in the order of positional values.

    Raises:
        CodecError: The schema is no JSON schema.
    """

    def __init__(self, schema: JsonSchema) -> None:
        schema = rooted(schema)
        ways = {key: forms_of_fields(schema, key) for key in FORMS if key in schema}
        raw = any(len(ways[key]) < len(schema[key]) for key in ways)
        hidden = {"metadata", RAW_FIELD} if raw else {"metadata"}
        # One form left is no choice: what it requires is required.
        required = [*schema.get("required", ())]
        for forms in ways.values():
            required += forms[0].get("required", ()) if len(forms) == 1 else ()
        self.fields: dict[str, JsonSchema] = {
            name: field
            for name, field in schema.get("properties", {}).items()
            if name not in hidden
        }
        self.required = tuple(dict.fromkeys(name for name in required if name in self.fields))
        self._root = {k: v for k, v in schema.items() if k not in ways and k != "required"}
        self._root |= {"properties": self.fields, "additionalProperties": False}
        whole = {key: forms for key, forms in ways.items() if len(forms) > 1}
        whole |= {**self._root, "required": list(self.required)}
        try:
            Draft202012Validator.check_schema(whole)
        except SchemaError as error:
            raise CodecError(f"the action schema is no JSON schema: {error.message}") from None
        self._whole = Draft202012Validator(whole)
        self._field = Draft202012Validator(self._root)

    def read(self, line: str, last: Action) -> Action:
        """The action that a line says.

        Args:
            line: JSON or words.
            last: The action before; empty where there is none.

        Raises:
            CodecError: It says none; the message names the field, the rule and the value.
        """
        check_unicode(line)
        given = read_object(line) if line.lstrip().startswith("{") else self._read_words(line)
        action = {**self.carried(last), **given}
        errors = sorted(self._whole.iter_errors(action), key=lambda e: [str(p) for p in e.path])
        if errors:
            # Each missing field is an error of its own, and each names all that are missing.
            said = list(dict.fromkeys(describe(error) for error in errors))
            raise CodecError("; ".join(said[:SHOWN_ERRORS]))
        return action

    def carried(self, last: Action) -> Action:
        """The values of the last action that the next one keeps where it says nothing."""
        return {name: last[name] for name in self.required if name in last}

    def open_positions(self, named: Iterable[str]) -> list[str]:
        """The fields that values without a name fill, in order, where these are given by name."""
        given = set(named)
        return [name for name in self.required if name not in given]

    def choices(self, name: str) -> list[Any]:
        """The values that a field takes where they can be listed; else empty."""
        return choices_of(self.fields[name], self._root) if name in self.fields else []

    def describe(self, name: str) -> str:
        """A field's type, choices and limits in words."""
        return describe_schema(self.fields[name], self._root)

    def _read_words(self, line: str) -> Action:
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise CodecError(f"the quotes do not close: {error} (got {json.dumps(line)})") from None
        pairs = [word.partition("=")[::2] for word in words if "=" in word]
        strange = [name for name, _ in pairs if name not in self.fields]
        if strange:
            known = ", ".join(self.fields) or "none"
            raise CodecError(f"{dense(strange[0])}: no such field; the fields are {known}")
        values = [word for word in words if "=" not in word]
        places = self.open_positions(name for name, _ in pairs)
        if len(values) > len(places):
            known = ", ".join(places) or "none"
            raise CodecError(
                f"{dense(values[len(places)])}: a value without a name fills a required field, and "
                f"those left are {known}; write field=value, and spaces in quotes"
            )
        pairs += zip(places, values, strict=False)
        twice = [name for n, (name, _) in enumerate(pairs) if name in dict(pairs[:n])]
        if twice:
            raise CodecError(f"field {dense(twice[0])} appears twice")
        return {name: self._value(name, word) for name, word in pairs}

    def _value(self, name: str, word: str) -> Any:
        """What a word means in a field: JSON where that fits the schema, else the text itself.

        A number typed into a field of text is text; where neither fits, the schema will say why.
        """
        try:
            value = read_value(word)
        except CodecError:
            return word
        if self._field.is_valid({name: value}):
            return value
        text = is_text(self.fields[name], self._root) or self._field.is_valid({name: word})
        return word if text else value


def forms_of_fields(schema: JsonSchema, key: str) -> list[JsonSchema]:
    """The forms of an action that do not ask for a model's raw text; all, where every one does."""
    forms: list[JsonSchema] = list(schema[key])
    return [form for form in forms if form.get("required") != [RAW_FIELD]] or forms


def choices_of(schema: JsonSchema, root: JsonSchema) -> list[Any]:
    """A field's enumerated values."""
    schema = resolve_reference(schema, root)
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return list(schema["enum"])
    if schema.get("type") == "boolean":
        return [True, False]
    options = schema.get("anyOf") or schema.get("oneOf") or ()
    return [value for option in options for value in choices_of(option, root)]


def word_of(value: Any) -> str:
    """A value as it is typed among words."""
    return shlex.quote(value if isinstance(value, str) else dense(value))
