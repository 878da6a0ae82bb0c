"""Values that are told beside the task, and what is sent for one.

A field with choices takes the value itself, or the one choice whose words hold it, as ``mark_spam`` holds ``spam``. Any
other field takes what its schema allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from jsonschema import Draft202012Validator

from gonogo.auditing.checks.outliers import words_of
from gonogo.auditing.resets import Values, key_of
from gonogo.exploits.crossings import Chosen, around, fits
from gonogo.rollouts.space import ActionField, choices_of
from gonogo.wire import Action, JsonValue

Fits = Callable[[JsonValue], bool]


def fits_in(leaf: ActionField) -> Fits:
    """What tells whether a value may stand in a leaf of the action."""
    validator = Draft202012Validator({**leaf.schema, "$defs": leaf.root.get("$defs", {})})
    return lambda value: value is not None and bool(validator.is_valid(value))


class Filling(Protocol):
    """How an action is made of a value."""

    @property
    def name(self) -> str:
        """The fields that are filled, for tables and records."""

    @property
    def base(self) -> Action:
        """The action around them."""

    def action(self, value: JsonValue) -> Action | None:
        """The action with a value in it; None where it does not fit."""

    def beside(self, chosen: Chosen) -> Filling | None:
        """The same beside some choices; None where they leave no room for it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What a field of the action takes of a value.

    Attributes:
        field: The field.
        choices: Those that it names; empty where it takes anything.
    """

    field: ActionField
    choices: tuple[JsonValue, ...]

    @classmethod
    def of(cls, field: ActionField, known: Sequence[JsonValue]) -> Fit:
        """The fit of a field, with values that are known for it beside its schema."""
        said = [choice for option in field.options for choice in choices_of(option)]
        texts = [value for value in known if isinstance(value, str)]
        return cls(field, tuple(said or texts))

    @classmethod
    def ways(cls, field: ActionField, known: Sequence[JsonValue]) -> list[Fit]:
        """What a field takes: what is known for it, and then whatever its schema allows."""
        fit, anything = cls.of(field, known), cls.of(field, ())
        return [fit] if fit.choices == anything.choices else [fit, anything]

    @property
    def name(self) -> str:
        """The field, for tables and records."""
        return self.field.name

    @property
    def base(self) -> Action:
        """The action around the field."""
        return self.field.base

    def action(self, value: JsonValue) -> Action | None:
        """The action with what is sent for a value; None where the field takes nothing of it."""
        sent = self.sent(value)
        return None if sent is None else self.field.put(sent)

    def beside(self, chosen: Chosen) -> Fit | None:
        """The same beside some choices; None where one is of the field itself, or of another tool."""
        return replace(self, field=around(chosen, self.field)) if fits(chosen, self.field) else None

    def sent(self, value: JsonValue) -> JsonValue:
        """What is sent for a value: itself, or the choice whose words hold it with fewest others; None without one."""
        if value is None or isinstance(value, dict):
            return None
        if not self.choices:
            return value if fits_in(self.field)(value) else None
        for choice in self.choices:
            if key_of(choice) == key_of(value):
                return choice
        if not isinstance(value, str) or not (said := words_of(value)):
            return None
        holding = [
            (len(words), choice)
            for choice in self.choices
            if isinstance(choice, str) and holds(words := words_of(choice), said)
        ]
        fewest = min((size for size, _ in holding), default=0)
        best = [choice for size, choice in holding if size == fewest]
        return best[0] if len(best) == 1 else None


def holds(words: Sequence[str], said: Sequence[str]) -> bool:
    """Whether some words stand together in a list of words."""
    size = len(said)
    return any(list(words[n : n + size]) == list(said) for n in range(len(words) - size + 1))


@dataclass(frozen=True, slots=True)
class ToldValue:
    """A value that is told beside the task.

    Attributes:
        path: Where it stands; or a statement that singles it out.
        values: What it is on each of some seeds, or at some turns.
        source: Where what singles out one of several stands; empty for a value that is sent for itself.
        names: Of a value that is put together of several, what each is called, by its path.
    """

    path: str
    values: tuple[JsonValue, ...]
    source: str = ""
    names: tuple[tuple[str, str], ...] = ()

    def among(self, values: Values) -> JsonValue:
        """The value among others; None where it, or a part of it, is not there.

        Args:
            values: Values by their paths.
        """
        if not self.names:
            return values.get(self.path)
        parts = {name: values.get(path) for path, name in self.names}
        return None if None in parts.values() else parts
