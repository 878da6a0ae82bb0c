"""Simple actions, for whoever needs one that an environment takes: a schema does not say what a validator asks for.

The simplest comes first; then those with another value in one place, with something in every place, with other values
in two places, and last some random ones, the shorter before the longer. Nothing is sent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice

import numpy as np

from gonogo.errors import CodecError
from gonogo.rollouts.action_fields import ActionField, put
from gonogo.rollouts.schema import rooted, simplest
from gonogo.rollouts.space import Space, landmarks
from gonogo.rollouts.types import Schemas
from gonogo.wire import Action

__all__ = ["accepted"]

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
