"""What an environment takes, where its schema does not say it.

``power: list[float]`` takes one number for each zone, and says so only when it refuses another count. A list of another
size is sent in vain by every policy that does not try. So each list is sent once in each size. If all but one are
refused, or nothing is said of one alone, it is the size that the environment takes. Where the size depends on the
task's seed nothing is known.

Of many an action's fields some are needed beside one choice and not beside another, and only a refusal says so:
``reply_text is required when action is 'reply'``. Every policy that does not try changes one field of the action that
does least, so that all of them would be refused. There the plainest action that exploration saw accepted takes its
place: of those that end no episode the one that is paid least, and then the shortest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from gonogo.explore.novelty import masked, texts_in
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.schema import forms_of, rooted
from gonogo.rollouts.space import EACH, Space
from gonogo.rollouts.types import Schemas
from gonogo.wire import Action, JsonSchema, TaskOptions

Fly = Callable[[Sequence[tuple[TaskOptions, Sequence[Action]]]], list[Episode]]
"""Flies plans of one turn: reset options and actions of each."""

MOST = 13
"""Items of the longest list that is sent."""
MOST_LISTS = 3
"""Lists of an action that are tried."""
MOST_TRIED = 6
"""Accepted actions that are sent, each in the first turn of two tasks."""
BOUNDS = frozenset({"minItems", "maxItems", "prefixItems"})
SAID = ("title", "description", "default")
"""What a schema says of a field beside its forms."""


def list_sizes(space: Space, tasks: Sequence[TaskOptions], fly: Fly) -> dict[str, int]:
    """The size of each list of an action that takes one size alone, by the field's name.

    Args:
        space: The actions.
        tasks: Reset options with two seeds; the size has to be the same on both.
        fly: What sends each list, in each size.
    """
    found = {}
    for name, base in islice(open_lists(space), MOST_LISTS):
        sizes = set[int | None]()
        for task in tasks:
            if None not in sizes:
                sizes.add(size_taken(fly, task, name, base))
        if len(sizes) == 1 and (size := sizes.pop()) is not None:
            found[name] = size
    return found


def open_lists(space: Space) -> Iterator[tuple[str, Action]]:
    """The lists of an action whose schema leaves their size open, each with an action that holds one item."""
    plain = [leaf for leaf in space.leaves() if not leaf.tool]
    fields = {leaf.name: leaf for leaf in plain}
    for leaf in plain:
        if len(leaf.path) == 2 and leaf.path[1] == EACH:
            field = fields[leaf.path[0]]
            lists = [form for form in field.options if form.get("type") == "array"]
            if not any(BOUNDS & form.keys() for form in lists):
                yield field.name, leaf.base


def size_taken(fly: Fly, task: TaskOptions, name: str, base: Action) -> int | None:
    """The one size of a list that is not refused; None where there is no such, or it is the longest that was sent.

    A size is refused if its action is, or if something is said of it, where nothing is said of another size. Where
    something is said of each, the one is taken of which nothing is said that is said of others.

    Args:
        fly: What sends it.
        task: Reset options.
        name: The field.
        base: An action that holds one item of it.
    """
    item = base[name][0]
    sent = fly([(task, [{**base, name: [item] * size}]) for size in range(1, MOST + 1)])
    refused = [e.error is not None or any(t.invalid is not None for t in e.turns) for e in sent]
    if not any(refused):
        said = [answer(episode) for episode in sent]
        refused = [bool(each) for each in said]
        if all(refused):
            # What is taken is answered, too, and as no other size is. One item may be told in another way.
            refused = [n == 0 or said.count(each) > 1 for n, each in enumerate(said)]
    taken = [size for size, no in enumerate(refused, 1) if not no]
    return taken[0] if len(taken) == 1 and taken[0] < MOST else None


def answer(episode: Episode) -> frozenset[str]:
    """What is said after an episode's first turn and was not said before it, without what differs by numbers."""
    if not episode.turns:
        return frozenset([masked(episode.error or "")])
    turn = episode.turns[0]
    before = {text for _, text in texts_in(turn.observation)}
    after = {text for _, text in texts_in(episode.final_observation)} - before
    said = {masked(text, turn.action) for text in after}
    return frozenset(said | ({masked(turn.invalid, turn.action)} if turn.invalid else set()))


def sized(schemas: Schemas, sizes: Mapping[str, int]) -> Schemas:
    """An environment's schemas, in which lists of an action have the sizes that are known.

    Args:
        schemas: As the environment gives them.
        sizes: By field.
    """
    if not sizes:
        return schemas
    root = rooted(schemas.action)
    fields = dict(root.get("properties") or {})
    for name, size in sizes.items():
        forms = [
            {**form, "minItems": size, "maxItems": size} if form.get("type") == "array" else form
            for form in forms_of(fields[name], root)
        ]
        said = {key: fields[name][key] for key in SAID if key in fields[name]}
        fields[name] = {**(forms[0] if len(forms) == 1 else {"anyOf": forms}), **said}
    return replace(schemas, action={**root, "properties": fields})


def accepted_action(
    schema: JsonSchema, tasks: Sequence[TaskOptions], explored: Sequence[Episode], fly: Fly
) -> Action | None:
    """The plainest action that is taken in the first turn of each task; None where the one that does least is, or none.

    Args:
        schema: Of an action, of which one does least.
        tasks: Reset options with two seeds.
        explored: What exploration flew.
        fly: What sends an action once.
    """
    if is_taken(Space(schema).idle(), tasks, fly):
        return None
    stands = (
        each for each in accepted_in(explored) if Space(with_base(schema, each)).idle() == each
    )
    tried = islice(stands, MOST_TRIED)
    return next((action for action in tried if is_taken(action, tasks, fly)), None)


def is_taken(action: Action, tasks: Sequence[TaskOptions], fly: Fly) -> bool:
    """Whether an action is taken in the first turn of each task."""
    flown = fly([(task, [action]) for task in tasks])
    return all(e.error is None and all(t.invalid is None for t in e.turns) for e in flown)


def accepted_in(explored: Sequence[Episode]) -> list[Action]:
    """The actions that exploration saw accepted, the plainest first, each once."""
    found: dict[str, tuple[bool, float, int, Action]] = {}
    for action, ends, pay in accepted_turns(explored):
        said = json.dumps(action, sort_keys=True)
        before = found.get(said)
        known = (ends, pay, len(said)) if before is None else before[:3]
        found[said] = (known[0] or ends, max(known[1], pay), len(said), action)
    ordered = sorted(found.items(), key=lambda pair: (*pair[1][:3], pair[0]))
    return [action for _, (_, _, _, action) in ordered]


def accepted_turns(explored: Sequence[Episode]) -> Iterator[tuple[Action, bool, float]]:
    """Each action that was accepted, whether it ended its episode, and what it was paid."""
    for episode in explored:
        for turn in episode.turns:
            if turn.action is not None and turn.invalid is None and episode.error is None:
                yield turn.action, turn.done, turn.reward or 0.0


def with_base(schema: JsonSchema, base: Action | None) -> JsonSchema:
    """An action's schema in which the fields of an action are needed, and its values stand where nothing else is said.

    Args:
        schema: As the environment gives it.
        base: The action; None for none.
    """
    root = rooted(schema)
    fields = root.get("properties")
    if base is None or not isinstance(fields, dict) or not base.keys() <= fields.keys():
        return schema
    given = {name: field for name, field in fields.items() if isinstance(field, dict)}
    held = {name: {**given.get(name, {}), "default": value} for name, value in base.items()}
    needed = dict.fromkeys([*root.get("required", ()), *base])
    return {**root, "properties": {**fields, **held}, "required": list(needed)}
