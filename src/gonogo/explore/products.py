"""Every pair of values: all that the fields of a verb may hold by what an episode shows, crossed with each other.

Chance seldom meets two values that have to fit each other, such as a bin and by how much its count is off, or a
question and the word of a passage that answers it. But there are few such pairs, and an episode takes several of them.
So they are sent in turn, shuffled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import numpy as np

from gonogo.explore.forms import as_form
from gonogo.explore.novelty import texts_in
from gonogo.explore.observed import LIKENESS, Observed
from gonogo.explore.values import ValuePool, Verb
from gonogo.rollouts.schema import forms_of
from gonogo.rollouts.space import choices_of
from gonogo.wire import Action, JsonSchema, JsonValue, Observation

MOST_FIELDS, MOST_VALUES, MOST_WORDS, MOST_PAIRS = 3, 40, 120, 800
"""Fields of a verb that are crossed, values of one, words of a text among them, and actions that are sent of a verb."""
NEAR = LIKENESS["last"]
"""How like a field's name that of a shown value is that is taken for one of its own."""
WHOLE_NUMBERS = range(-10, 13)
KNOWN = 4
"""Values that texts and code name for a field and that are crossed, too."""
SPOKEN = re.compile(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)+|[^\W_](?:[\w./:@'+-]*[^\W_])?")
"""A name of several words, a word or a number."""


def products(
    pool: ValuePool, verb: Verb, shown: Observation, rng: np.random.Generator
) -> list[Action]:
    """A verb's actions with each pair of values, in an order that is drawn.

    Args:
        pool: Values of each field.
        verb: The verb.
        shown: What an episode has shown.
        rng: Source of the order.

    Returns:
        Nothing where no field has several values.
    """
    needed = [n for n in verb.fields if n in verb.required or n in verb.used] or list(verb.fields)
    seen = Observed()
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
    for place in islice(places, MOST_PAIRS):
        each = np.unravel_index(int(place), sizes)
        chosen = {n: ways[n][int(which)] for n, which in zip(several, each, strict=True)}
        found.append(verb.action({**first, **chosen}))
    return found


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
        found = [*(near or islice(spoken(shown), MOST_WORDS)), *known]
    else:
        found = pool.several(name, field, verb.root)[:1]
    fitting = (value for each in found for form in forms for value in as_form(each, form))
    return list({repr(value): value for value in fitting}.values())


def spoken(shown: Observation) -> Iterator[str]:
    """The names, words and numbers of the texts that are shown, each once, the latest text first.

    Args:
        shown: An observation.
    """
    texts = [text for _, text in texts_in(shown) if " " in text]
    words = (match.group() for text in reversed(texts) for match in SPOKEN.finditer(text))
    yield from dict.fromkeys(word for word in words if len(word) > 1)
