"""How many items a list of an action has to have, where its schema does not say.

``power: list[float]`` takes one number for each zone, and says so only when it refuses another count. A list of another
size is sent in vain by every policy that does not try. So each list is sent once in each size. If one size alone is
answered otherwise than all the others, it is the size that the environment takes. Where the size depends on the task's
seed nothing is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from gonogo.explore.novelty import masked, texts_in
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.schema import forms_of
from gonogo.rollouts.space import Space
from gonogo.wire import Action, JsonSchema, TaskOptions

Fly = Callable[[Sequence[tuple[TaskOptions, Sequence[Action]]]], list[Episode]]
"""Flies plans of one turn: reset options and actions of each."""

MOST = 12
"""Items of the longest list that is tried."""
MOST_LISTS = 3
"""Lists of an action that are tried."""
BOUNDS = frozenset({"minItems", "maxItems", "prefixItems"})


def list_sizes(
    space: Space, schema: JsonSchema, tasks: Sequence[TaskOptions], fly: Fly
) -> dict[str, int]:
    """The size of each list of an action that takes one size alone, by the field's name.

    Args:
        space: The actions.
        schema: Schema of an action.
        tasks: Reset options with two seeds; the size has to be the same on both.
        fly: What sends each list, in each size.
    """
    found = {}
    for name, base in open_lists(space, schema):
        sizes = {size_taken(fly, task, name, base) for task in tasks}
        if len(sizes) == 1 and (size := sizes.pop()) is not None:
            found[name] = size
    return found


def open_lists(space: Space, schema: JsonSchema) -> Iterator[tuple[str, Action]]:
    """The first lists of an action whose schema leaves their size open, each with an action that holds one item."""
    number = 0
    for leaf in space.leaves():
        if len(leaf.path) != 2 or not isinstance(held := leaf.base.get(leaf.path[0]), list):
            continue
        field = schema.get("properties", {}).get(leaf.path[0])
        lists = [form for form in forms_of(field, schema) if form.get("type") == "array"]
        if (
            lists
            and held
            and number < MOST_LISTS
            and not any(BOUNDS & form.keys() for form in lists)
        ):
            number += 1
            yield leaf.path[0], leaf.base


def size_taken(fly: Fly, task: TaskOptions, name: str, base: Action) -> int | None:
    """The one size of a list that is answered otherwise than all others; None where there is no such.

    Args:
        fly: What sends it.
        task: Reset options.
        name: The field.
        base: An action that holds one item of it.
    """
    item = base[name][0]
    sent = fly([(task, [{**base, name: [item] * size}]) for size in range(1, MOST + 1)])
    said = [answer(episode) for episode in sent]
    often = Counter(said)
    single = [size for size, each in enumerate(said, 1) if often[each] == 1]
    return single[0] if len(single) == 1 and len(often) == 2 else None


def answer(episode: Episode) -> frozenset[str]:
    """What is said after an episode's first turn and was not said before it, without what differs by numbers."""
    if not episode.turns:
        return frozenset([masked(episode.error or "")])
    turn = episode.turns[0]
    before = {text for _, text in texts_in(turn.observation)}
    after = {text for _, text in texts_in(episode.final_observation)} - before
    said = {masked(text, turn.action) for text in after}
    return frozenset(said | ({masked(turn.invalid, turn.action)} if turn.invalid else set()))


def sized(schema: JsonSchema, sizes: Mapping[str, int]) -> JsonSchema:
    """An action's schema in which lists have the sizes that are known.

    Args:
        schema: As the environment gives it.
        sizes: By field.
    """
    fields = dict(schema.get("properties") or {})
    for name, size in sizes.items():
        forms = [
            {**form, "minItems": size, "maxItems": size} if form.get("type") == "array" else form
            for form in forms_of(fields[name], schema)
        ]
        fields[name] = forms[0] if len(forms) == 1 else {"anyOf": forms}
    return {**schema, "properties": fields} if sizes else schema
