"""Actions that are sent to see what they are compared with: every verb, its fields filled with values of their own.

A value that stands nowhere else is known again on one side of a comparison, whichever field it came from ("colourised",
as RedQueen has it). Beside these stand the actions that a :class:`~gonogo.explore.values.ValuePool` makes of what
names values, and those that hold what was just shown as a whole: a list, a map, a long text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice, product

from gonogo.contract.sources import Sources
from gonogo.explore.forms import as_form
from gonogo.explore.retrace import put, scalars
from gonogo.explore.values import ValuePool, Verb, distinct
from gonogo.rollouts.schema import bound, forms_of, rooted, shapes, simplest, tuple_of
from gonogo.rollouts.space import Space, action_fields, choices_of, free_text
from gonogo.rollouts.types import Schemas
from gonogo.wire import Action, JsonSchema, JsonValue, Observation

FIRST_NUMBER, APART, BEYOND = 7319, 1009, 9973
"""From here on numbers count up by that much; nothing else is likely to hold them, and a distance is far from others.
The same place of another action is beyond all of them."""
SIZES = (0, 1_000_000)
"""What a number is that is as small and as large as may be; a loop of so many rounds still ends."""
SEVERAL, MANY = 3, 24
"""Items of a list with several, and of one with many."""
MOST_CROSSED, MOST_NAMED, MOST_SHOWN = 16, 24, 6
"""Actions of a verb: of its choices, of its best values, and with something shown as a whole."""
FILLED = 1.0
"""What every verb promises with all its fields filled: it is sent first."""
MOST_LIKE, MOST_EACH = 3, 24
"""Kinds of names that are like that of a field, and values of one of them that are sent in turn."""
DEEPEST = 4
LONG = 40
"""Characters of a text that is shown as a whole."""
ITEM_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "object": (dict,),
}
TAG = re.compile(r"<([A-Za-z]\w{1,20})>")
LETTERS = "abcdefghijklmnopqrstuvwy"


@dataclass(frozen=True, slots=True)
class Probe:
    """Actions that are sent to be compared, mostly one.

    Attributes:
        actions: What is sent.
        name: Verb and way by which it was made; the same on every task.
        prior: How much it promises before anything is known.
        fixed: Fields that say what it does, and are never changed.
    """

    actions: tuple[Action, ...]
    name: str
    prior: float
    fixed: frozenset[str] = frozenset()


@dataclass(slots=True)
class OwnValues:
    """Values of their own, one after another.

    Attributes:
        items: Of each list.
        choice: Number of the choice that is taken wherever there are some.
        wrapped: What a text is put into; ``{}`` stands for it.
        size: What every number is, within its bounds; None for numbers of their own.
    """

    items: int = 1
    choice: int = 0
    wrapped: str = "{}"
    size: int | None = None
    _numbers: Iterator[int] = field(default_factory=count)

    def of(self, schema: JsonSchema, root: JsonSchema, depth: int = 0) -> JsonValue:
        """A value of a schema that is found again.

        Args:
            schema: Of the value.
            root: Where its references lead.
            depth: How deep in an action it stands.
        """
        forms = [form for form in forms_of(schema, root) if form.get("type") != "null"]
        if not forms or depth > DEEPEST:
            return simplest(schema, root)
        form = forms[0]
        if choices := choices_of(form):
            return choices[self.choice % len(choices)]
        kind = form.get("type", "object" if "properties" in form else "string")
        if kind in {"integer", "number"}:
            return self._number(form)
        if kind == "array":
            return self._list(form, root, depth)
        return self._object(form, root, depth) if kind == "object" else self._text(form)

    def _text(self, form: JsonSchema) -> JsonValue:
        number = next(self._numbers)
        mark = f"zq{LETTERS[number % len(LETTERS)]}{'x' * (1 + number // len(LETTERS))}"
        fitting = [
            t for each in (self.wrapped.replace("{}", mark), mark) for t in as_form(each, form)
        ]
        return fitting[0] if fitting else simplest(form, form)

    def _number(self, form: JsonSchema) -> JsonValue:
        whole = form["type"] == "integer"
        number = FIRST_NUMBER + APART * next(self._numbers) + (0 if whole else 0.5)
        low = bound(form, "minimum", 1 if whole else 1e-6, -math.inf)
        high = bound(form, "maximum", -1 if whole else -1e-6, math.inf)
        if self.size is not None:
            number = max(low, min(self.size, high))
        elif not low <= number <= high:
            if math.isfinite(low) and math.isfinite(high):
                number = low + (high - low) * (0.61 + 0.017 * (number % 7))
            else:
                number = high - 3 if math.isfinite(high) else low + 3
        return math.floor(number) if whole else number

    def _list(self, form: JsonSchema, root: JsonSchema, depth: int) -> JsonValue:
        if fixed := tuple_of(form):
            return [self.of(place, root, depth + 1) for place in fixed]
        low, high = int(form.get("minItems", 0)), form.get("maxItems", math.inf)
        held = form.get("items") or {"type": "string"}
        size = max(low, min(self.items, high))
        return [self.of(held, root, depth + 1) for _ in range(int(size))]

    def _object(self, form: JsonSchema, root: JsonSchema, depth: int) -> JsonValue:
        if fields := form.get("properties"):
            return {name: self.of(held, root, depth + 1) for name, held in fields.items()}
        other = form.get("additionalProperties")
        held = other if isinstance(other, dict) else {"type": "string"}
        return {
            str(self._text({"type": "string"})): self.of(held, root, depth + 1)
            for _ in range(self.items)
        }


class Probes:
    """The probes of one environment on one task.

    Args:
        schemas: Its schemas, with its tools.
        sources: What its folder says.
    """

    def __init__(self, schemas: Schemas, sources: Sources) -> None:
        self._pool = ValuePool(schemas, sources)
        self._whole = list(whole_verbs(schemas, self._pool.verbs))
        self._sentences = " ".join(sources.sentences)
        self._learnt: set[str] = set()

    def learn(self, observation: Observation) -> bool:
        """Take down what was shown; whether it is new.

        Args:
            observation: What a step showed.
        """
        key = json.dumps(observation, sort_keys=True, default=repr)
        if key in self._learnt:
            return False
        self._learnt.add(key)
        self._pool.learn(observation)
        return True

    def after(self, observation: Observation) -> list[Probe]:
        """What may be sent after something was shown, each action once.

        Args:
            observation: What was shown last.
        """
        found: dict[str, Probe] = {}
        for verb in [*self._whole, *self._pool.verbs]:
            for probe in self._of(verb, observation):
                key = json.dumps(probe.actions, sort_keys=True, default=repr)
                found.setdefault(key, probe)
        return list(found.values())

    def _of(self, verb: Verb, observation: Observation) -> Iterator[Probe]:
        name = verb.name or "-"
        fixed = frozenset(verb.base.keys() - verb.fields.keys() - {verb.at})
        for way, action in distinct_pairs(self._coloured(verb)):
            yield Probe((action,), f"{name} {way}", FILLED if way == "filled" else 0.2, fixed)
        for number, action in enumerate(distinct(self._pool.best(verb, MOST_NAMED))):
            yield Probe((action,), f"{name} named", 0.1 / (1 + 0.1 * number), fixed)
        for number, values in enumerate(self._named(verb)):
            sent = tuple(recoloured(a, n, path) for n, (path, a) in enumerate(values))
            yield Probe(sent[:1], f"{name} one", 0.15 / (1 + 0.1 * number), fixed)
            yield Probe(sent, f"{name} each", 0.15 / (1 + 0.1 * number), fixed)
        for number, action in enumerate(self._shown(verb, observation)):
            yield Probe((action,), f"{name} shown", 0.1 / (1 + 0.1 * number), fixed)

    def _coloured(self, verb: Verb) -> Iterator[tuple[str, Action]]:
        """A verb with values of their own in all fields; with lists of several, with those that it needs, and so on."""
        yield "filled", self._filled(verb, OwnValues(), verb.fields)
        yield "several", self._filled(verb, OwnValues(items=SEVERAL), verb.fields)
        yield "many", self._filled(verb, OwnValues(items=MANY), verb.fields)
        needed = [name for name in verb.fields if name in verb.required | verb.used]
        yield "needed", self._filled(verb, OwnValues(), needed)
        for size in SIZES:
            yield "size", self._filled(verb, OwnValues(size=size), verb.fields)
        yield "words", self._filled(verb, OwnValues(wrapped="{} {}b {}c {}d {}e"), verb.fields)
        for tag in dict.fromkeys(TAG.findall(self._sentences)):
            yield (
                "tagged",
                self._filled(verb, OwnValues(wrapped=f"<{tag}>{{}}</{tag}>"), verb.fields),
            )
        for choice in range(1, 6):
            yield "choice", self._filled(verb, OwnValues(choice=choice), verb.fields)
        yield from (("crossed", action) for action in islice(self._crossed(verb), MOST_CROSSED))
        yield "empty", self._filled(verb, OwnValues(items=0), verb.fields)

    def _filled(
        self, verb: Verb, marks: OwnValues, names: Sequence[str] | dict[str, JsonSchema]
    ) -> Action:
        return verb.action({name: marks.of(verb.fields[name], verb.root) for name in names})

    def _crossed(self, verb: Verb) -> Iterator[Action]:
        """All choices of a verb's fields, crossed; the others are filled."""
        ways = {
            name: [c for form in forms_of(held, verb.root) for c in choices_of(form)]
            for name, held in verb.fields.items()
        }
        chosen = {name: choices for name, choices in ways.items() if choices}
        rest = {name: held for name, held in verb.fields.items() if name not in chosen}
        if len(chosen) < 2:
            return
        for each in product(*chosen.values()):
            filled = {name: OwnValues().of(held, verb.root) for name, held in rest.items()}
            yield verb.action({**filled, **dict(zip(chosen, each, strict=True))})

    def _named(self, verb: Verb) -> Iterator[list[tuple[tuple[str, ...], Action]]]:
        """A verb with each of the values in turn that were shown under names like that of a field."""
        for name, held in verb.fields.items():
            forms = [form for form in forms_of(held, verb.root) if not choices_of(form)]
            alike: dict[float, list[JsonValue]] = {}
            for value, likeness in self._pool.observed.like(name):
                if any(value in as_form(value, form) for form in forms):
                    alike.setdefault(likeness, []).append(value)
            filled = {n: OwnValues().of(f, verb.root) for n, f in verb.fields.items() if n != name}
            path = (verb.at, name) if verb.at else (name,)
            for likeness in sorted(alike, reverse=True)[:MOST_LIKE]:
                values = sorted(alike[likeness][:MOST_EACH], key=str)
                yield [(path, verb.action({**filled, name: value})) for value in values]

    def _shown(self, verb: Verb, observation: Observation) -> Iterator[Action]:
        """A verb with what is shown as a whole in one field."""
        whole = list(wholes(observation))
        for name, held in verb.fields.items():
            forms = [form for form in forms_of(held, verb.root) if not choices_of(form)]
            fitting = [v for value in whole for form in forms for v in as_whole(value, form)]
            for value in fitting[:MOST_SHOWN]:
                filled = {
                    n: OwnValues().of(f, verb.root) for n, f in verb.fields.items() if n != name
                }
                yield verb.action({**filled, name: value})


def whole_verbs(schemas: Schemas, verbs: Sequence[Verb]) -> Iterator[Verb]:
    """The actions as a whole, where a field that says what they do takes any text: that one is filled, too.

    Args:
        schemas: Those of the environment.
        verbs: The verbs that are known.
    """
    root = rooted(schemas.action)
    filled = {name for verb in verbs for name in verb.fields}
    for shape in [] if schemas.tools else shapes(root) or [root]:
        fields = action_fields(shape)
        if any(free_text(held, shape) is not None for n, held in fields.items() if n not in filled):
            needed = frozenset(shape.get("required", ()))
            yield Verb("", Space(shape).idle(), "", fields, needed, frozenset(), shape)


def recoloured(action: Action, number: int, kept: Sequence[str | int]) -> Action:
    """An action whose values of its own are others than those of the same action before.

    Args:
        action: The action.
        number: How often it was sent before.
        kept: Path of what stays.
    """
    for path, value in list(scalars(action)):
        if path == tuple(kept) or isinstance(value, bool):
            continue
        anew = marked_anew(value, number)
        if anew != value:
            action = dict(put(action, path, anew))
    return action


def marked_anew(value: JsonValue, number: int) -> JsonValue:
    """Another value of its own in place of one; anything else as it is.

    Args:
        value: What stands there.
        number: How many there were before.
    """
    if isinstance(value, str) and value.startswith("zq"):
        return f"{value}{letters(number)}"
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= FIRST_NUMBER:
        return value + number * BEYOND
    return value


def letters(number: int) -> str:
    """A number in letters."""
    return LETTERS[number // len(LETTERS) % len(LETTERS)] + LETTERS[number % len(LETTERS)]


def wholes(value: JsonValue, depth: int = 0) -> Iterator[JsonValue]:
    """The lists, the maps and the long texts in a value; of lists of texts and of maps, that as one text, too."""
    if isinstance(value, str) and len(value) >= LONG:
        yield value
    if not isinstance(value, list | dict) or depth > DEEPEST:
        return
    if depth and value:
        yield value
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            yield "\n".join(value)
    for inner in value if isinstance(value, list) else value.values():
        yield from wholes(inner, depth + 1)


def as_whole(value: JsonValue, form: JsonSchema) -> Iterator[JsonValue]:
    """A whole as a form takes it: a text cut to its length, a list or a map with items of the kind."""
    kind = form.get("type")
    if isinstance(value, str) and kind == "string":
        yield from as_form(value[: int(form.get("maxLength", len(value)))], form)
    elif isinstance(value, list) and kind == "array" and value:
        items = str((form.get("items") or {}).get("type"))
        takes = ITEM_TYPES.get(items, (object,))
        if all(isinstance(item, takes) for item in value):
            yield value
    elif isinstance(value, dict) and kind == "object" and not form.get("properties"):
        yield value


def distinct_pairs(pairs: Iterator[tuple[str, Action]]) -> Iterator[tuple[str, Action]]:
    """Each action once, with the first of its names."""
    known: set[str] = set()
    for name, action in pairs:
        key = json.dumps(action, sort_keys=True, default=repr)
        if key not in known:
            known.add(key)
            yield name, action
