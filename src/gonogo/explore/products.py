"""Every pair of values: all that the fields of a verb may hold by what an episode shows, crossed with each other.

Chance seldom meets two values that have to fit each other, such as a bin and by how much its count is off, or a
question and the word of a passage that answers it. But there are few such pairs, and an episode takes several of them.
So they are sent in turn, shuffled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from gonogo.explore.forms import as_form
from gonogo.explore.novelty import texts_in
from gonogo.explore.observed import LIKENESS, WHOLE, Observed
from gonogo.explore.values import ValuePool, Verb
from gonogo.rollouts.schema import forms_of
from gonogo.rollouts.space import choices_of
from gonogo.wire import Action, JsonSchema, JsonValue, Observation

MOST_FIELDS, MOST_VALUES, MOST_WORDS, MOST_PAIRS = 3, 40, 120, 800
"""Fields of a verb that are crossed, values of one, words of a text among them, and actions that are sent of a verb."""
LEAST_GROUP = 3
"""Words that stand together, to be names of things."""
MOST_EACH = 8
"""Actions of one verb with one value."""
NEAR = LIKENESS["last"]
"""How like a field's name that of a shown value is that is taken for one of its own."""
WHOLE_NUMBERS = range(-10, 13)
KNOWN = 4
"""Values that texts and code name for a field and that are crossed, too."""
SPOKEN = re.compile(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)+|[^\W_](?:[\w./:@'+-]*[^\W_])?")
"""A name of several words, a word or a number."""


def products(
    pool: ValuePool,
    verb: Verb,
    shown: Observation,
    rng: np.random.Generator,
    most: int = MOST_PAIRS,
) -> list[Action]:
    """A verb's actions with each pair of values, in an order that is drawn.

    Args:
        pool: Values of each field.
        verb: The verb.
        shown: What an episode has shown.
        rng: Source of the order.
        most: Actions.

    Returns:
        Nothing where no field has several values.
    """
    needed, seen = fields_of(verb), Observed()
    seen.add(shown)
    ways = {n: ways_of(n, verb.fields[n], pool, verb, seen, shown) for n in needed}
    several = [n for n in needed if len(ways[n]) > 1][:MOST_FIELDS]
    if not several:
        return []
    first = {n: ways[n][0] for n in needed if ways[n]}
    sizes = [len(ways[n]) for n in several]
    number = int(np.prod(sizes))
    places = (
        rng.permutation(number)
        if number <= 100 * MOST_PAIRS
        else rng.integers(number, size=MOST_PAIRS)
    )
    found = []
    for place in islice(places, most):
        each = np.unravel_index(int(place), sizes)
        chosen = {n: ways[n][int(which)] for n, which in zip(several, each, strict=True)}
        found.append(verb.action({**first, **chosen}))
    return found


def about_each(pool: ValuePool, shown: Observation, rng: np.random.Generator) -> list[list[Action]]:
    """For each value that several verbs take, the actions of all of these with it, one after another.

    Many things ask for several steps: what is taken out first is put in afterwards. So there is one list in the verbs'
    own order, and another one in an order that is drawn.

    Args:
        pool: Values of each field.
        shown: What an episode has shown.
        rng: Source of what is drawn.
    """
    seen = Observed()
    seen.add(shown)
    known: dict[str, list[list[Action]]] = {}
    for verb in pool.verbs:
        for value, actions in of_each(pool, verb, seen, shown, rng).items():
            known.setdefault(value, []).append(actions)
    plans = []
    for several in known.values():
        if len(several) > 1:
            drawn = [several[int(place)] for place in rng.permutation(len(several))]
            plans += [[a for actions in order for a in actions] for order in (several, drawn)]
    return plans[:MOST_VALUES]


def of_each(
    pool: ValuePool, verb: Verb, seen: Observed, shown: Observation, rng: np.random.Generator
) -> dict[str, list[Action]]:
    """A verb's actions with each shown value of its first field that has some; the others drawn, or each in turn."""
    needed = fields_of(verb)
    near = {n: [v for v, likeness in seen.like(n) if likeness >= NEAR] for n in needed}
    near = {n: [v for v in some if isinstance(v, str)] for n, some in near.items()}
    groups = list(filter(None, grouped(shown)))
    texts = [n for n in needed if is_text(verb.fields[n], verb)]
    about = next((n for n in needed if len(near[n]) > 1), next(iter(texts), None))
    if about is None:
        return {}
    values = near[about] or [word for group in groups for word in group]
    ways = {n: ways_of(n, verb.fields[n], pool, verb, seen, shown) for n in needed if n != about}
    ways = {n: some for n, some in ways.items() if some}
    times = MOST_EACH if any(len(some) > 1 for some in ways.values()) else 1
    found: dict[str, list[Action]] = {}
    for value in values[:MOST_VALUES]:
        beside = [word for group in groups if value in group for word in group]
        rest = {n: [v for v in some if v not in beside] or some for n, some in ways.items()}
        drawn = {n: [some[int(k)] for k in rng.permutation(len(some))] for n, some in rest.items()}
        found[repr(value)] = [
            verb.action({about: value, **{n: some[k % len(some)] for n, some in drawn.items()}})
            for k in range(times)
        ]
    return found


def fields_of(verb: Verb) -> list[str]:
    """The fields of a verb that are crossed: those that it needs or the source uses; all where it uses none."""
    used = [n for n in verb.fields if n in verb.required or n in verb.used]
    return used if verb.used and used else list(verb.fields)


def is_text(field: JsonSchema, verb: Verb) -> bool:
    """Whether a field takes any text."""
    forms = forms_of(field, verb.root)
    return any(form.get("type") == "string" for form in forms) and not any(map(choices_of, forms))


def ways_of(
    name: str, field: JsonSchema, pool: ValuePool, verb: Verb, seen: Observed, shown: Observation
) -> list[JsonValue]:
    """The values of a field that are crossed.

    Args:
        name: The field's name.
        field: Its schema.
        pool: Values of each field.
        verb: Of which action it is a field.
        seen: What the episode has shown, by name.
        shown: The same, as it was shown.
    """
    forms = [form for form in forms_of(field, verb.root) if form.get("type") != "null"]
    closed = [value for form in forms for value in choices_of(form)]
    if closed:
        return closed[:MOST_VALUES]
    kinds = {form.get("type") for form in forms}
    near = [value for value, likeness in seen.like(name) if likeness >= NEAR][:MOST_VALUES]
    known = pool.values(name, field, verb.root)[:KNOWN]
    if kinds & {"integer", "number"}:
        found = [*near, *known, *WHOLE_NUMBERS]
    elif "string" in kinds:
        words = (word for group in grouped(shown) for word in group)
        found = [*(near or islice((*words, *spoken(shown)), MOST_WORDS)), *known]
    else:
        found = pool.several(name, field, verb.root)[:1]
    fitting = (value for each in found for form in forms for value in as_form(each, form))
    return list({repr(value): value for value in fitting}.values())


def grouped(shown: JsonValue, depth: int = 0) -> Iterator[list[str]]:
    """The single words that stand together: in a list, as the keys of a mapping, or as its values.

    Args:
        shown: An observation, or a part of it.
        depth: How deep it stands.
    """
    if isinstance(shown, dict):
        keys = list(shown) if depth else []
        yield from map(whole_words, (keys, list(shown.values()) if depth else []))
        for value in shown.values():
            yield from grouped(value, depth + 1)
    elif isinstance(shown, list):
        yield whole_words(shown)
        for value in shown[:1]:
            yield from grouped(value, depth + 1)


def whole_words(values: Sequence[JsonValue]) -> list[str]:
    """Some values if all are single words, each another one, and there are several; else none."""
    words = [value for value in values if isinstance(value, str) and WHOLE.fullmatch(value)]
    several = LEAST_GROUP <= len(words) == len(values) == len(set(words))
    return words if several else []


def spoken(shown: Observation) -> Iterator[str]:
    """The names, words and numbers of the texts that are shown, each once, the latest text first.

    Args:
        shown: An observation.
    """
    texts = [text for _, text in texts_in(shown) if " " in text]
    words = (match.group() for text in reversed(texts) for match in SPOKEN.finditer(text))
    yield from dict.fromkeys(word for word in words if len(word) > 1)
