"""A pool of values for each field of an action, from everywhere that names some, ranked; and actions made of them.

A field's values come from its schema (choices, examples, defaults, bounds), its description, the environment's source,
what was observed under its name or one like it, refusals, the README, and last from what any field takes: an empty
text, small numbers. What opened something up comes first. An action is made of a verb, that is a tool, one object of
a union or the value of a field with choices, and of values for the fields that the source uses beside that verb.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from gonogo.contract.literals import COMPARED, GIVEN
from gonogo.contract.prose import LISTED, values_in
from gonogo.contract.sources import Sources
from gonogo.explore.forms import (
    ANYTHING,
    VERBS,
    as_form,
    closed_values,
    edges_of,
    opened_up,
    places_of,
    verb_field,
    without,
)
from gonogo.explore.observed import Observed, words_of
from gonogo.rollouts.schema import (
    forms_of,
    rooted,
    shapes,
    simplest,
    simplest_call,
)
from gonogo.rollouts.space import EACH, ActionField, Space, action_fields, choices_of
from gonogo.rollouts.types import Schemas
from gonogo.wire import Action, JsonSchema, JsonValue, Observation

MOST_VALUES = 40
"""Of one field."""
MOST_VERBS, MOST_CHOICES = 200, 24
MOST_ITEMS, MOST_KEYS, DEEPEST = 3, 6, 4
CHOICE, EXAMPLE, DESCRIBED, EDGE, WORDS, ANY = 10.0, 8.0, 7.0, 4.0, 1.5, 0.5
NAMED = 2.0
"""From which score on a value is named for a field, and not merely anything."""
CODE = 2.0
"""What a literal's nearness counts for; compared with a field it is worth 6."""
SHOWN = 1.9
REFUSED, REFUSED_ELSEWHERE = 7.5, 2.5
OPENED = 3.0
"""What a value is worth more each time that it opened something up; at most twice."""
RANK = 0.35
"""Share of draws that stop at each rank."""
NUMBERS = (1, 0, 2, 3, 5, 10, -1, 100)
PLAIN_TEXTS = ("", "a", "yes", "test")
DROPPED = 0.3
USED = 0.85
"""Shares of optional fields that are filled in: those that nothing mentions, those that are used beside the verb."""
JOINED, MOST_JOINED = 0.6, 6
"""Share of the draws of a text that the source takes apart in which something is said after its first word."""
AS_JSON = 0.7
"""Share of the draws of a text that the source reads as a mapping in which it is one."""


@dataclass(frozen=True, slots=True)
class Verb:
    """What an action does.

    Attributes:
        name: Of the tool, or of the value that says it; empty where an action has but one form.
        base: The action that does least with it.
        at: Key below which its fields stand; empty for the action itself.
        fields: Schemas of the fields that are filled in.
        required: Names of those that it needs.
        used: Names of those that the source uses beside it.
        root: Where references lead.
    """

    name: str
    base: Action
    at: str
    fields: dict[str, JsonSchema]
    required: frozenset[str]
    used: frozenset[str]
    root: JsonSchema

    def action(self, values: dict[str, JsonValue]) -> Action:
        """The action with values in its fields."""
        if self.at:
            return {**self.base, self.at: {**(self.base.get(self.at) or {}), **values}}
        return {**self.base, **values}


@dataclass(frozen=True, slots=True)
class Draws:
    """What the values of one action are drawn with.

    Attributes:
        rng: Source of what is drawn.
        seen: What the episode has shown; None where that is not known.
        root: Where the references of the fields' schemas lead.
        verb: What the action does; empty where that is not known.
    """

    rng: np.random.Generator
    seen: Observed | None
    root: JsonSchema
    verb: str = ""


@dataclass(frozen=True, slots=True)
class OpenVerb:
    """A field that says what an action does, and takes any text.

    Attributes:
        field: Its name.
        idle: The action that does least.
        takes: The schema of the other fields.
    """

    field: str
    idle: Action
    takes: JsonSchema


class ValuePool:
    """The values of an environment's actions.

    Args:
        schemas: Its schemas, with its tools.
        sources: What its folder says.

    Attributes:
        verbs: What its actions do.
        observed: What it has shown.
    """

    def __init__(self, schemas: Schemas, sources: Sources) -> None:
        self._sources = sources
        self.observed = Observed()
        self._schema = rooted(schemas.action)
        self._open: list[OpenVerb] = []
        self.verbs = list(islice(self._verbs(schemas), MOST_VERBS))
        self._refused: dict[str, dict[JsonValue, float]] = defaultdict(dict)
        self._opened: dict[str, dict[str, int]] = defaultdict(dict)
        self._fixed: dict[str, list[tuple[JsonValue, float]]] = {}
        self._ranked: dict[tuple[str, int], list[JsonValue]] = {}
        self.given = [a for each in sources.actions for a in self._as_given(each)]

    def _verbs(self, schemas: Schemas) -> Iterator[Verb]:
        if schemas.tools:
            for tool in schemas.tools:
                takes: JsonSchema = {"type": "object", **(tool.get("input_schema") or {})}
                yield self._verb(str(tool["name"]), simplest_call(tool), "arguments", takes)
            return
        for shape in shapes(self._schema) or [self._schema]:
            fields = action_fields(shape)
            idle = Space(shape).idle()
            said = verb_field(fields, shape) or self._compared(fields)
            if said is None:
                name = next((str(c) for f in fields.values() for c in [f.get("const")] if c), "")
                yield self._verb(name, idle, "", {**shape, "properties": fields})
                continue
            rest = {name: field for name, field in fields.items() if name != said}
            choices = [c for form in forms_of(fields[said], shape) for c in choices_of(form)]
            opened = OpenVerb(said, idle, {**shape, "properties": rest})
            if not choices:
                self._open.append(opened)
                choices = [value for value, _ in self._said(said, fields[said])]
            if not choices:
                yield self._verb("", idle, "", {**shape, "properties": fields})
            yield from (self._of(opened, choice) for choice in choices)

    def _compared(self, fields: dict[str, JsonSchema]) -> str | None:
        """A field that is named like a verb and compared with several texts, needed or not."""
        named = [name for name in fields if set(words_of(name)) & VERBS]
        near = self._sources.literals.near
        return next(
            (
                name
                for name in named
                if sum(isinstance(v, str) and n >= COMPARED for v, n in near[name].items()) > 1
            ),
            None,
        )

    def _of(self, opened: OpenVerb, choice: JsonValue) -> Verb:
        """The verb of one value of a field that says it."""
        return self._verb(str(choice), {**opened.idle, opened.field: choice}, "", opened.takes)

    def _said(self, name: str, field: JsonSchema) -> list[tuple[str, float]]:
        """The texts that a field without choices is known to take, for it to be a verb."""
        found = [*self._described(field), *self._coded(name)]
        texts = [(value, near) for value, near in found if isinstance(value, str) and value]
        texts[:0] = [(verb, DESCRIBED) for verb in self._sources.verbs]
        sure = [(value, near) for value, near in texts if near > CODE * GIVEN]
        return list(dict(reversed(sure or texts)).items())[::-1]

    def _verb(self, name: str, base: Action, at: str, takes: JsonSchema) -> Verb:
        fields = {n: f for n, f in (takes.get("properties") or {}).items() if isinstance(f, dict)}
        beside = self._sources.literals.beside.get(name, set())
        used = frozenset(field for field in fields if field in beside)
        return Verb(name, base, at, fields, frozenset(takes.get("required", ())), used, takes)

    def _as_given(self, given: Action) -> Iterator[Action]:
        """An object that somebody wrote, if it is an action."""
        for verb in self.verbs:
            if verb.at or not given or not given.keys() <= verb.base.keys() | verb.fields.keys():
                continue
            if verb.required <= given.keys() | verb.base.keys() and len(given) > 0:
                yield {**verb.base, **given}
                return

    def learn(self, observation: Observation) -> None:
        """Take down what was shown."""
        self.observed.add(observation)
        self._ranked.clear()

    def refused(self, said: str, action: Action | None = None, *, loudly: bool = True) -> None:
        """Take down what a refusal says that would not be refused; what it names may be a verb that nothing else does.

        Args:
            said: Its text.
            action: What was refused.
            loudly: Whether it was a refusal for certain; of any other answer only verbs are taken.
        """
        if not (loudly or self._open):
            return
        words = set(words_of(said))
        sent = {str(value) for _, value in places_of(action or {})}
        names = dict.fromkeys(name for verb in self.verbs for name in verb.fields) if loudly else {}
        scores = {
            name: REFUSED if set(words_of(name)) <= words else REFUSED_ELSEWHERE for name in names
        }
        for value, near in values_in(said):
            if str(value) in sent:
                continue
            for opened in self._open:
                asked = set(words_of(opened.field)) <= words or words & VERBS
                if asked and near >= LISTED and isinstance(value, str) and value.isidentifier():
                    self._learn_verb(opened, value)
            for name, score in scores.items():
                known = self._refused[name]
                if len(known) < MOST_VALUES:
                    known[value] = max(known.get(value, 0.0), score + near / 10)
        self._ranked.clear()

    def _learn_verb(self, opened: OpenVerb, value: str) -> None:
        known = any(verb.base.get(opened.field) == value for verb in self.verbs)
        if not known and len(self.verbs) < MOST_VERBS:
            self.verbs.append(self._of(opened, value))

    def enriched(self, schema: JsonSchema) -> JsonSchema:
        """An action's schema whose field for the verb, where it takes any text, names the verbs that are known, too.

        Args:
            schema: As the environment gives it.
        """
        fields = dict(schema.get("properties") or {})
        for opened in self._open:
            said = [verb.base.get(opened.field) for verb in self.verbs]
            texts = list(dict.fromkeys(s for s in said if isinstance(s, str) and s))
            field = fields.get(opened.field)
            if len(texts) > 1 and isinstance(field, dict):
                known = {"type": "string", "enum": texts[:MOST_CHOICES]}
                forms = field["anyOf"] if isinstance(field.get("anyOf"), list) else [field]
                fields[opened.field] = {**without(field, "anyOf"), "anyOf": [*forms, known]}
        return {**schema, "properties": fields} if fields else schema

    def opened_up(self, schema: JsonSchema) -> JsonSchema:
        """An action's schema whose fields that may be any object have the keys that the source asks them for.

        Args:
            schema: As the environment gives it, or enriched.
        """
        return opened_up(schema, self._sources.literals.keys, MOST_KEYS * 2)

    def asked(self, verb: JsonValue, field: str) -> list[str]:
        """The keys that a verb asks a field for that may be any object: its own by the source, and those of no verb.

        Args:
            verb: What the action does.
            field: The field's name.
        """
        asked, known = self._sources.literals.asked, self._sources.literals.keys.get(field, [])
        claimed = {key for each in self.verbs for key in asked.get(each.name, {}).get(field, ())}
        own = asked.get(str(verb), {}).get(field, ())
        return [key for key in known if key in own or key not in claimed]

    def for_leaves(self, leaves: Iterable[ActionField]) -> dict[str, list[JsonValue]]:
        """What is named for each place of an action that has no choices, by the place's name.

        Last come lists: texts that the source holds this field against together.

        Args:
            leaves: The places.
        """
        found: dict[str, list[JsonValue]] = {}
        for leaf in leaves:
            name = next((key for key in reversed(leaf.path) if key != EACH), "")
            if not any(choices_of(form) for form in leaf.options):
                lists = self._sources.literals.lists.get(name, ())
                values = self.of_all(name, leaf.schema, leaf.root)
                found[leaf.name] = [*values, *map(list, lists)]
        return {name: values for name, values in found.items() if values}

    def opened(self, action: Action) -> None:
        """Take down that an action opened something up.

        Args:
            action: The action.
        """
        for name, value in places_of(action):
            if not isinstance(value, dict | list):
                known = self._opened[name]
                known[repr(value)] = min(2, known.get(repr(value), 0) + 1)
        self._ranked.clear()

    def values(self, name: str, field: JsonSchema, root: JsonSchema) -> list[JsonValue]:
        """The values of a field, the best first.

        Args:
            name: The field's name.
            field: Its schema.
            root: Where references lead.
        """
        key = (name, id(field))
        if key not in self._ranked:
            self._ranked[key] = self._rank(name, field, root)
        return self._ranked[key]

    def _rank(self, name: str, field: JsonSchema, root: JsonSchema) -> list[JsonValue]:
        return [value for value, _ in self._scored(name, field, root)]

    def of_all(self, name: str, field: JsonSchema, root: JsonSchema) -> list[JsonValue]:
        """The values of a field that do not hang on an episode: what texts and code name for it, the best first.

        Args:
            name: The field's name.
            field: Its schema.
            root: Where references lead.
        """
        scored = self._scored(name, field, root, shown=False)
        return [value for value, score in scored if score >= NAMED]

    def _scored(
        self, name: str, field: JsonSchema, root: JsonSchema, *, shown: bool = True
    ) -> list[tuple[JsonValue, float]]:
        """The values of a field, each with what it counts; with those that were observed, or without."""
        forms = forms_of(field, root)
        closed = [value for form in forms for value in choices_of(form)]
        scored: dict[str, tuple[float, JsonValue]] = {}

        def put(value: JsonValue, score: float) -> None:
            fitting = [v for form in forms for v in as_form(value, form)]
            alike = (v for v in fitting if type(v) is type(value))
            kept = next(alike, next(iter(fitting), None))
            if kept is not None:
                known = scored.get(repr(kept), (0.0, kept))[0]
                scored[repr(kept)] = (max(known, score) + min(known, score) / 20, kept)

        for value in closed:
            put(value, CHOICE)
        if not closed:
            for value, score in self._known(name, field, forms):
                put(value, score)
            for value, likeness in self.observed.like(name) if shown else ():
                put(value, SHOWN * likeness)
            for value, score in self._refused.get(name, {}).items():
                put(value, score)
        for said, times in self._opened.get(name, {}).items():
            if said in scored:
                scored[said] = (scored[said][0] + OPENED * times, scored[said][1])
        ordered = sorted(scored.values(), key=lambda pair: -pair[0])
        return [(value, score) for score, value in ordered][:MOST_VALUES]

    def _known(
        self, name: str, field: JsonSchema, forms: Sequence[JsonSchema]
    ) -> list[tuple[JsonValue, float]]:
        """What is known of a field before anything is flown."""
        key = f"{name} {id(field)}"
        if key not in self._fixed:
            found: list[tuple[JsonValue, float]] = []
            for form in [field, *forms]:
                examples = form.get("examples")
                found += [(v, EXAMPLE) for v in (examples if isinstance(examples, list) else ())]
                found += [(form["default"], EDGE)] if form.get("default") is not None else []
                found += [(value, EDGE) for value in edges_of(form)]
            found += self._described(field)
            found += self._coded(name)
            found += [(word, WORDS) for word in self._sources.words]
            found += [(value, ANY - n / 100) for n, value in enumerate((*NUMBERS, *PLAIN_TEXTS))]
            self._fixed[key] = found
        return self._fixed[key]

    def _described(self, field: JsonSchema) -> list[tuple[JsonValue, float]]:
        said = field.get("description")
        found = values_in(said) if isinstance(said, str) else ()
        return [(value, DESCRIBED + near / 10) for value, near in found]

    def _coded(self, name: str) -> list[tuple[JsonValue, float]]:
        near = self._sources.literals.near.get(name, {})
        return sorted(((v, CODE * score) for v, score in near.items()), key=lambda pair: -pair[1])

    def best(self, verb: Verb, limit: int) -> list[Action]:
        """A verb's actions with the best values of its fields, the best first.

        The fields that are needed or used beside it are filled in, each once with each of its first values, then two of
        them crossed; then one of the others at a time.

        Args:
            verb: The verb.
            limit: How many at most.
        """
        needed = [n for n in verb.fields if n in verb.required or n in verb.used]
        ranked = {n: self.several(n, verb.fields[n], verb.root) for n in verb.fields}
        first = {n: ranked[n][0] for n in needed if ranked[n]}
        found = [verb.action({}), verb.action(first)]
        found += [verb.action({**first, n: v}) for n in needed for v in ranked[n][1:6]]
        for one, two in islice(product(needed, needed), 9):
            if one < two:
                pairs = product(ranked[one][:4], ranked[two][:4])
                found += [verb.action({**first, one: a, two: b}) for a, b in pairs]
        rest = [n for n in verb.fields if n not in needed]
        found += [verb.action({**first, n: ranked[n][0]}) for n in rest if ranked[n]]
        everything = {n: values[0] for n, values in ranked.items() if values}
        found += [verb.action(everything)]
        found += [verb.action({**first, n: v}) for n in rest for v in ranked[n][1:4]]
        found[2:2] = self._joined(verb)
        return list(islice(distinct(found), limit))

    def all_of(self, verb: Verb, limit: int) -> list[Action]:
        """All of a verb's actions; none where they are more than a limit, or not closed.

        Args:
            verb: The verb.
            limit: How many at most.
        """
        needed = {n: f for n, f in verb.fields.items() if n in verb.required or n in verb.used}
        ways = [closed_values(field, verb.root) for field in needed.values()]
        if not needed or any(way is None for way in ways):
            return []
        if math.prod(len(way or ()) for way in ways) > limit:
            return []
        values = product(*(way or () for way in ways))
        return [verb.action(dict(zip(needed, each, strict=True))) for each in values]

    def every(self, limit: int) -> list[Action]:
        """All actions that there are; none where they are more than a limit, or not closed.

        Args:
            limit: How many at most.
        """
        if self._open:
            return []
        found: list[Action] = []
        for verb in self.verbs:
            # Where a field may be left out there are actions that all_of does not make.
            whole = verb.required >= verb.fields.keys()
            some = self.all_of(verb, limit) if verb.fields else [verb.action({})]
            if not whole or not some:
                return []
            found += some
        return found if len(found) <= limit else []

    def _joined(self, verb: Verb) -> list[Action]:
        """A verb that is the first word of a text, with the other words that the source knows for it after it."""
        found = []
        for opened in self._open:
            said, between = verb.base.get(opened.field), self._between(opened.field)
            if isinstance(said, str) and between is not None:
                known = [v for v, _ in self._coded(opened.field) if isinstance(v, str)]
                others = [word for word in known if word.strip() != said.strip()][:MOST_JOINED]
                found += [{**verb.base, opened.field: joined(said, between, w)} for w in others]
        return found

    def _between(self, name: str) -> str | None:
        """What stands between the words of a field's text; None where the source does not take it apart."""
        return self._sources.literals.split.get(name)

    def _spoken(self, action: Action, draws: Draws) -> Action:
        """An action whose verb is the first word of a text, mostly with something after it."""
        for opened in self._open:
            said, between = action.get(opened.field), self._between(opened.field)
            if isinstance(said, str) and between is not None and draws.rng.random() < JOINED:
                known = [v for v, _ in self._coded(opened.field) if isinstance(v, str)]
                shown = (
                    [] if draws.seen is None else draws.seen.like(opened.field)[: 2 * len(known)]
                )
                after = [*known, *(v for v, _ in shown if isinstance(v, str) and " " not in v)]
                if after:
                    word = after[int(draws.rng.integers(len(after)))]
                    action = {**action, opened.field: joined(said, between, word)}
        return action

    def several(self, name: str, field: JsonSchema, root: JsonSchema) -> list[JsonValue]:
        """A field's values, those of lists and objects made of their parts' best; at least one where there is any."""
        found = list(self.values(name, field, root))
        if not found:
            draws = Draws(np.random.default_rng(0), None, root)
            found = [self.drawn(name, field, draws) for _ in range(4)]
        return [value for value in found if value is not None]

    def draw(self, rng: np.random.Generator, verb: Verb, seen: Observed | None = None) -> Action:
        """A random action of a verb.

        Args:
            rng: Source of what is drawn.
            verb: The verb.
            seen: What this episode has shown; its values come first in a third of the draws.
        """
        draws = Draws(rng, seen, verb.root, verb.name)
        values = {}
        for name, field in verb.fields.items():
            share = USED if name in verb.used else 1 - DROPPED if not verb.used else DROPPED
            if name in verb.required or rng.random() < share:
                value = self.drawn(name, field, draws)
                if value is not None or name in verb.required:
                    values[name] = value
        return self._spoken(verb.action(values), draws)

    def drawn(self, name: str, field: JsonSchema, draws: Draws, depth: int = 0) -> JsonValue:
        """A random value of a field; those of the first ranks most often."""
        rng = draws.rng
        forms = [form for form in forms_of(field, draws.root) if form.get("type") != "null"]
        if not forms:
            return None
        form = forms[int(rng.integers(len(forms)))]
        kind = form.get("type", "object" if "properties" in form else None)
        if kind == "array" and not choices_of(form):
            return self._list(name, form, draws, depth)
        if kind == "object":
            return self._object(name, form, draws, depth)
        if kind == "string" and name in self._sources.literals.keys and rng.random() < AS_JSON:
            return json.dumps(self._object(name, {}, draws, depth + 1))
        return self._plain(name, field, form, draws)

    def _plain(self, name: str, field: JsonSchema, form: JsonSchema, draws: Draws) -> JsonValue:
        """A random value that holds no others."""
        rng, seen = draws.rng, draws.seen
        if seen is not None and not choices_of(form) and rng.random() < 1 / 3:
            shown = [v for value, _ in seen.like(name)[:8] for v in as_form(value, form)]
            if shown:
                return shown[int(rng.integers(len(shown)))]
        ranked = self.values(name, field, draws.root)
        if not ranked:
            return simplest(form, draws.root)
        if rng.random() < 0.25:
            return ranked[int(rng.integers(len(ranked)))]
        return ranked[min(len(ranked), int(rng.geometric(RANK))) - 1]

    def _list(self, name: str, form: JsonSchema, draws: Draws, depth: int) -> JsonValue:
        items = form.get("items")
        low = int(form.get("minItems", 0))
        high = max(low, min(int(form.get("maxItems", MOST_ITEMS)), max(low, MOST_ITEMS)))
        size = int(draws.rng.integers(low, high + 1))
        field = items if isinstance(items, dict) else {}
        if depth >= DEEPEST:
            return [simplest(field, draws.root) for _ in range(low)]
        return [self.drawn(name, field, draws, depth + 1) for _ in range(size)]

    def _object(self, name: str, form: JsonSchema, draws: Draws, depth: int) -> JsonValue:
        fields, rng = form.get("properties") or {}, draws.rng
        if depth >= DEEPEST:
            return simplest(form, draws.root)
        needed = form.get("required", ())
        held = {
            key: self.drawn(key, field, draws, depth + 1)
            for key, field in fields.items()
            if key in needed or rng.random() < USED
        }
        if not fields:
            other = form.get("additionalProperties")
            field = other if isinstance(other, dict) else ANYTHING
            keys = self._sources.literals.keys.get(name, [])
            keys = keys if depth or not draws.verb else self.asked(draws.verb, name)
            for key in keys[: MOST_KEYS * 2]:
                if rng.random() < min(USED, MOST_KEYS / len(keys)):
                    held[key] = self.drawn(key, field, draws, depth + 1)
        return held


def joined(first: str, between: str, second: str) -> str:
    """Two words as one text."""
    return f"{first.removesuffix(between)}{between}{second.strip()}"


def distinct(actions: Iterable[Action]) -> Iterator[Action]:
    """Each action once."""
    known: set[str] = set()
    for action in actions:
        key = json.dumps(action, sort_keys=True, default=repr)
        if key not in known:
            known.add(key)
            yield action
